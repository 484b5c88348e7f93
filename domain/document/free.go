package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// freeMembers are the members of a movie whose content is free: only the client uses it. They are kept as raw JSON; only
// mergeFree decodes objects among them. Decision 57.
var freeMembers = map[string]bool{"client-data": true, "client_data": true, "comment": true}

// decode decodes JSON. Numbers keep their spelling, so that times stay exact. The members named in freeMembers, such as
// client-data, become json.RawMessage. If a key is repeated in an object, its last value is used.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	tree, err := decodeTop(dec, raw)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return tree, nil
}

// decodeTop decodes an object member by member, and any other value as a whole.
func decodeTop(dec *json.Decoder, raw []byte) (any, error) {
	if !isObject(raw) {
		return decodeAny(dec)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	tree := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // a key is always a string here
		if tree[name], err = decodeMember(dec, name); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return tree, err
}

func decodeMember(dec *json.Decoder, name string) (any, error) {
	if !freeMembers[name] {
		return decodeAny(dec)
	}
	var free json.RawMessage
	if err := dec.Decode(&free); err != nil {
		return nil, err
	}
	if string(free) == "null" {
		return nil, nil
	}
	return free, nil
}

func decodeAny(dec *json.Decoder) (any, error) {
	var value any
	err := dec.Decode(&value)
	return value, err
}

func isObject(raw []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) }

// mergeFree does the same as Merge for the raw JSON of a member that only the client uses, such as client-data. It merges
// two objects key by key. If base or over is not an object, it returns over without decoding anything.
func mergeFree(base, over json.RawMessage) json.RawMessage {
	var below, above map[string]json.RawMessage
	if !isObject(base) || !isObject(over) || json.Unmarshal(base, &below) != nil || json.Unmarshal(over, &above) != nil {
		return over
	}
	for name, value := range above {
		if under, ok := below[name]; ok {
			value = mergeFree(under, value)
		}
		below[name] = value
	}
	merged, err := json.Marshal(below)
	if err != nil { // an error cannot happen, because every part was decoded before
		return over
	}
	return merged
}

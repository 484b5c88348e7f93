package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// freeMembers are the members of a movie that mean nothing to it: they are kept as they were written, and never decoded. Decision 57.
var freeMembers = map[string]bool{"client-data": true, "client_data": true, "comment": true}

// decode keeps numbers as they were written, so that times stay exact, and free members as json.RawMessage. Of a key that is given twice the
// last one counts.
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

// decodeTop reads an object member by member, and any other value at once.
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
		name, _ := token.(string) // the decoder lets nothing else stand here
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

// mergeFree is Merge for free members: only objects that are on both sides are looked into.
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
	if err != nil { // every part of it was read
		return over
	}
	return merged
}

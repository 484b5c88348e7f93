package result

import (
	"bytes"
	"encoding/json"
)

// Echo holds the parts of a movie's document that are only for its sender: the status and webhooks return them unchanged.
type Echo struct {
	ID string // the client's own id; empty: the document has none
	// ClientData is a JSON object; {}: the document has none.
	ClientData json.RawMessage
}

// ReadEcho reads the echo from a document. The echo of a document that cannot be read is empty.
func ReadEcho(document []byte) Echo {
	var fields struct {
		ID         json.RawMessage `json:"id"`
		Dashed     json.RawMessage `json:"client-data"`
		Underlined json.RawMessage `json:"client_data"` // decision 23: the spelling with an underscore is accepted too
	}
	// After an error no field is set, and the echo is empty.
	_ = json.Unmarshal(document, &fields)
	data := fields.Dashed
	if len(data) == 0 {
		data = fields.Underlined
	}
	if !isObject(data) {
		data = json.RawMessage("{}")
	}
	return Echo{ID: text(fields.ID), ClientData: data}
}

// text reads an id, which is a string or a number. It keeps the spelling of a number.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func isObject(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

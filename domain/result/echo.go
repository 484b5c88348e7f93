package result

import (
	"bytes"
	"encoding/json"
)

// Echo is what a movie's document says for its sender only: it comes back unread in the status and in webhooks.
type Echo struct {
	ID string // the client's own id, empty when none was given
	// ClientData is a JSON object, {} when none was given.
	ClientData json.RawMessage
}

// ReadEcho reads the echo from a document. A document that cannot be read has none.
func ReadEcho(document []byte) Echo {
	var fields struct {
		ID         json.RawMessage `json:"id"`
		Dashed     json.RawMessage `json:"client-data"`
		Underlined json.RawMessage `json:"client_data"` // decision 23
	}
	// An error leaves what was read before it.
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

// text reads an id: a string, or a number as it is written.
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

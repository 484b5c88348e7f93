package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
)

// The content types of a call's body that a receiver can ask for. Spec: Events, rule 3.
const (
	JSONContent = "application/json"
	FormContent = "application/x-www-form-urlencoded"
)

// encode returns the body of a call with the given payload, and the content type of the body.
func encode(payload []byte, contentType string) ([]byte, string, error) {
	if contentType != FormContent {
		return payload, JSONContent, nil
	}
	values, err := form(payload)
	if err != nil {
		return nil, "", err
	}
	return []byte(values.Encode()), FormContent, nil
}

// form converts the fields of a JSON object to strings: objects and arrays stay JSON text, booleans become true and false,
// numbers keep their spelling, null fields are dropped. Decision 35.
func form(payload []byte) (url.Values, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(payload, &fields); err != nil {
		return nil, fmt.Errorf("read the payload: %w", err)
	}
	values := make(url.Values, len(fields))
	for name, raw := range fields {
		switch {
		case bytes.Equal(raw, []byte("null")):
		case raw[0] == '"':
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, fmt.Errorf("read field %s of the payload: %w", name, err)
			}
			values.Set(name, text)
		default:
			values.Set(name, string(raw))
		}
	}
	return values, nil
}

package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"moviola/domain"
)

// ErrCursor refuses a cursor that this installation has not made for this list and caller. Decision 14.
var ErrCursor = domain.Errorf(domain.Invalid, "next_token_invalid", "Invalid next_token")

// maxCursor bounds the text of a cursor.
const maxCursor = 1024

// macLength is how much of the HMAC a cursor carries.
const macLength = 16

// Cursors writes and reads places in lists as opaque text that only this installation can make. Decision 14.
type Cursors struct {
	key   []byte
	label string
}

// NewCursors returns the cursors of one kind of list. The label keeps them apart from those of other lists. Every process of an
// installation has the same key: at least 16 bytes.
func NewCursors(key []byte, label string) Cursors { return Cursors{key: key, label: label} }

// Encode writes a place. What it may be read for, the account above all, belongs into it.
func (c Cursors) Encode(at any) (string, error) {
	data, err := json.Marshal(at)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(c.mac(data), data...)), nil
}

// Decode reads a place made by Encode. Every other text is refused with ErrCursor. The caller checks that the place is its own.
func (c Cursors) Decode(text string, into any) error {
	if len(text) > maxCursor {
		return ErrCursor
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	// Some texts decode to the same bytes as another: only the one that was handed out counts.
	if err != nil || len(raw) < macLength || base64.RawURLEncoding.EncodeToString(raw) != text {
		return ErrCursor
	}
	if !hmac.Equal(raw[:macLength], c.mac(raw[macLength:])) {
		return ErrCursor
	}
	if err := json.Unmarshal(raw[macLength:], into); err != nil {
		return ErrCursor
	}
	return nil
}

func (c Cursors) mac(data []byte) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte(c.label + "\x00"))
	h.Write(data)
	return h.Sum(nil)[:macLength]
}

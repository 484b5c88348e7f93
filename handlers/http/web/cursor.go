package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"moviola/domain"
)

// ErrCursor refuses a cursor that was not made by this installation for this list and caller. Decision 14.
var ErrCursor = domain.Errorf(domain.Invalid, "next_token_invalid", "Invalid next_token")

// maxCursor is the maximum length of a cursor's text, in bytes. A cursor has the filters of its list: see Encode.
const maxCursor = 64 << 10

// macLength is how many bytes of the HMAC a cursor contains.
const macLength = 16

// Cursors encodes the positions at which pages of lists begin, as opaque, signed texts. Decision 14.
type Cursors struct {
	key   []byte
	label string
}

// NewCursors returns the cursors of one kind of list. A cursor is valid only with the same label, so lists do not accept each
// other's cursors. The key has at least 16 bytes, and must be the same in every process of an installation.
func NewCursors(key []byte, label string) Cursors { return Cursors{key: key, label: label} }

// Encode returns the cursor for the parameter at, a value that says where the next page of a list begins and is encoded
// as JSON. The value must include everything that the cursor is restricted to, above all the account.
func (c Cursors) Encode(at any) (string, error) {
	data, err := json.Marshal(at)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(c.mac(data), data...)), nil
}

// Decode decodes a cursor that Encode has returned, into the value that the parameter `into` points to. For any other
// text the error is ErrCursor. The caller has to check that the account in the decoded value is the one that makes the
// request.
func (c Cursors) Decode(text string, into any) error {
	if len(text) > maxCursor {
		return ErrCursor
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	// Different Base64 texts can decode to the same bytes: only the canonical one is accepted.
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

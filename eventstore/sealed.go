package eventstore

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"moviola/domain"
)

// ErrErased says that an account was erased: its key exists no more.
var ErrErased = errors.New("the account was erased")

// ErrNoKey says that an account has no key, and was not erased.
var ErrNoKey = errors.New("the account has no key")

// Keys holds the keys of accounts, under which personal data in events is encrypted. It is safe for concurrent use. When the keys
// cannot be read now, its errors are ErrUnavailable.
type Keys interface {
	// Key returns the key of an account; ErrNoKey or ErrErased when there is none.
	Key(account domain.AccountID) (*AccountKey, error)
	// KeyToSeal is Key for an event to be written. It may make the account's first key.
	KeyToSeal(account domain.AccountID) (*AccountKey, error)
	// Erased reports whether an account was erased.
	Erased(account domain.AccountID) (bool, error)
}

// sealedVersion is added to the version of a payload whose personal data is encrypted or was left out. So an earlier
// version of the program, which cannot decrypt, does not know the version of the payload, and leaves the event's stream
// alone.
const sealedVersion = 1000

// sealedField is the field of a payload with its encrypted personal data. It is missing when the account was erased before the
// event was written.
const sealedField = "personal"

// plainVersion removes the mark of encryption (sealedVersion) from the version of a payload, and reports whether the version had
// it.
func plainVersion(version int) (int, bool) {
	if version > sealedVersion {
		return version - sealedVersion, true
	}
	return version, false
}

// AccountKey encrypts for one account. It is safe for concurrent use.
type AccountKey struct {
	aead  cipher.AEAD
	nonce []byte // secret from which nonces are derived
}

// NewAccountKey returns the key of an account from its 32 random bytes.
func NewAccountKey(random []byte) (*AccountKey, error) {
	if len(random) != sha256.Size {
		return nil, fmt.Errorf("the key of an account has %d bytes, not %d", len(random), sha256.Size)
	}
	derived, err := hkdf.Expand(sha256.New, random, "moviola account: content and nonces", 2*sha256.Size)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived[:sha256.Size])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &AccountKey{aead: aead, nonce: derived[sha256.Size:]}, err
}

// Seal encrypts a content and binds it to its place. The nonce is derived from key, place and content. So encrypting the same
// content for the same place again gives the same bytes, by which a retry and a copy of the log are recognised.
func (k *AccountKey) Seal(place string, content []byte) []byte {
	mac := hmac.New(sha256.New, k.nonce)
	_, _ = fmt.Fprintf(mac, "%d\n%s", len(place), place) // writing to a hash never fails
	_, _ = mac.Write(content)
	nonce := mac.Sum(nil)[:k.aead.NonceSize()]
	return k.aead.Seal(nonce, nonce, content, []byte(place))
}

// Open decrypts a content that Seal has encrypted for the same place.
func (k *AccountKey) Open(place string, sealed []byte) ([]byte, error) {
	if len(sealed) < k.aead.NonceSize() {
		return nil, errors.New("it is too short to be encrypted content")
	}
	return k.aead.Open(nil, sealed[:k.aead.NonceSize()], sealed[k.aead.NonceSize():], []byte(place))
}

// placeOf is the place of an event's personal data, to which Seal binds it: stream, type and id of the event.
func placeOf(stream, eventType string, id uuid.UUID) string {
	return stream + "\n" + eventType + "\n" + id.String()
}

// WithKeys returns the codec that encrypts and decrypts personal data with the keys of accounts.
func (c *Codec) WithKeys(keys Keys) *Codec { return &Codec{kinds: c.kinds, keys: keys} }

// WithoutPersonal returns a codec that leaves personal data out when it decodes events, encrypted or not: it needs no key. The
// personal fields are empty. It must not be used for writing.
func (c *Codec) WithoutPersonal() *Codec { return &Codec{kinds: c.kinds, impersonal: true} }

// seal encrypts the personal data of a payload; of an erased account it leaves the personal data out. It returns false when
// the payload stays as it is: it has no personal data or no account, its account has no key, or the codec has no keys at
// all.
func (c *Codec) seal(k kind, stream string, account domain.AccountID, p Proposed) ([]byte, bool, error) {
	if c.keys == nil || len(k.personal) == 0 || account == "" {
		return p.Data, false, nil
	}
	left, taken, err := split(p.Data, k.personal)
	if err != nil || taken == nil {
		return p.Data, false, err
	}
	key, err := c.keys.KeyToSeal(account)
	switch {
	case errors.Is(err, ErrErased):
		return left, true, nil
	case errors.Is(err, ErrNoKey):
		return p.Data, false, nil
	case err != nil:
		return nil, false, err
	}
	data, err := withSealed(left, key.Seal(placeOf(stream, p.Type, p.ID), taken))
	return data, true, err
}

// withSealed adds the encrypted personal data to a payload.
func withSealed(payload json.RawMessage, sealed []byte) ([]byte, error) {
	value, err := json.Marshal(sealed)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(payload[:len(payload)-1]) // payload is an object, as json.Marshal writes it: its last byte is }
	if len(payload) > len("{}") {
		out.WriteByte(',')
	}
	_, _ = fmt.Fprintf(&out, "%q:%s}", sealedField, value) // writing to a buffer never fails
	return out.Bytes(), nil
}

// open returns the payload of r with its personal data, which open decrypts if sealed is true. The payload comes without
// personal data when the account was erased, and when c is a codec that WithoutPersonal has returned.
func (c *Codec) open(k kind, r Recorded, account domain.AccountID, sealed bool) ([]byte, error) {
	switch {
	case c.impersonal:
		return impersonal(k, r.Data)
	case c.keys == nil && sealed:
		return nil, errors.New("its personal data is encrypted, and this command has no keys of accounts")
	case c.keys == nil || len(k.personal) == 0 && !sealed:
		return r.Data, nil
	case !sealed:
		erased, err := c.keys.Erased(account)
		if err != nil || !erased {
			return r.Data, err
		}
		return impersonal(k, r.Data)
	}
	return c.unseal(k, r, account)
}

// unseal returns a payload with its encrypted personal data decrypted.
func (c *Codec) unseal(k kind, r Recorded, account domain.AccountID) ([]byte, error) {
	var has struct {
		Personal []byte `json:"personal"`
	}
	if err := json.Unmarshal(r.Data, &has); err != nil || len(has.Personal) == 0 {
		return r.Data, err
	}
	key, err := c.keys.Key(account)
	switch {
	case errors.Is(err, ErrErased):
		return impersonal(k, r.Data)
	case errors.Is(err, ErrNoKey):
		return nil, fmt.Errorf("its personal data is encrypted with the key of account %s, which is lost: bring it back with "+
			"moviola accounts keys restore, or erase the account: %w", account, err)
	case err != nil:
		return nil, err
	}
	personal, err := key.Open(placeOf(r.Stream, r.Type, r.ID), has.Personal)
	if err != nil {
		return nil, fmt.Errorf("decrypt its personal data: %w", err)
	}
	return join(r.Data, personal)
}

// impersonal returns a payload without its personal data.
func impersonal(k kind, payload []byte) ([]byte, error) {
	left, _, err := split(payload, k.personal)
	return left, err
}

// TellsPersonal reports whether an event has personal data that is not encrypted, for example because it was written before
// its account had a key.
func (c *Codec) TellsPersonal(r Recorded) (bool, error) {
	k, ok := c.kinds[r.Type]
	if !ok || len(k.personal) == 0 {
		return false, nil
	}
	_, taken, err := split(r.Data, k.personal)
	return taken != nil, err
}

// Encrypt returns a stored event with its personal data encrypted, and whether it differs. Of an erased account the
// personal data is left out. An event without personal data in clear stays as it is, byte for byte, and so does one whose
// account has no key. With the same key of the account, Encrypt returns the same bytes for the same event.
func (c *Codec) Encrypt(r Recorded) (Recorded, bool, error) {
	k, ok := c.kinds[r.Type]
	var meta Metadata
	if !ok || len(k.personal) == 0 || json.Unmarshal(r.Metadata, &meta) != nil {
		return r, false, nil
	}
	if _, sealed := plainVersion(meta.Version); sealed {
		return r, false, nil
	}
	p := Proposed{ID: r.ID, Type: r.Type, Data: r.Data}
	data, sealed, err := c.seal(k, r.Stream, meta.Account, p)
	if err == nil && sealed {
		r.Data = data
		r.Metadata, err = withVersion(r.Metadata, meta.Version+sealedVersion)
	}
	if err != nil {
		return r, false, fmt.Errorf("encrypt the personal data of event %d of %s, %s: %w", r.Revision, r.Stream, r.Type, err)
	}
	return r, sealed, nil
}

// withVersion replaces the version in the stored metadata of an event. All other fields stay as they are.
func withVersion(metadata []byte, version int) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(metadata, &fields); err != nil {
		return nil, err
	}
	value, err := json.Marshal(version)
	if err != nil {
		return nil, err
	}
	fields["v"] = value
	return json.Marshal(fields)
}

// Package vault encrypts what users entrust to the service, with AES-256-GCM under keys derived from the secret of the
// installation. A ciphertext names its key, so that keys can be renewed: what an old key has sealed stays readable as long as
// that key is still given. What the contents are is not known here.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/domain/connection"
)

var _ commands.Vault = (*Vault)(nil)

// keyBytes is the length of a key: AES-256.
const keyBytes = 32

// Vault seals under one key and opens what it or an older one has sealed. It is safe for concurrent use.
type Vault struct {
	current string
	keys    map[string]cipher.AEAD // by id
}

// New returns a vault that seals under the first key. Every key has 32 bytes.
func New(current []byte, older ...[]byte) (*Vault, error) {
	v := &Vault{keys: map[string]cipher.AEAD{}}
	for i, key := range append([][]byte{current}, older...) {
		if len(key) != keyBytes {
			return nil, fmt.Errorf("vault: key %d has %d bytes, not %d", i, len(key), keyBytes)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("vault: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("vault: %w", err)
		}
		id := keyID(key)
		if i == 0 {
			v.current = id
		}
		v.keys[id] = aead
	}
	return v, nil
}

// keyID names a key without giving it away.
func keyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("moviola key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// Key is the id of the key that Seal uses.
func (v *Vault) Key() string { return v.current }

// Seal encrypts content for a place: only there it can be opened again.
func (v *Vault) Seal(place string, content []byte) (connection.Sealed, error) {
	aead := v.keys[v.current]
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(content)+aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return connection.Sealed{}, fmt.Errorf("seal %s: %w", place, err)
	}
	return connection.Sealed{Key: v.current, Data: aead.Seal(nonce, nonce, content, []byte(place))}, nil
}

// Open decrypts what Seal has made for the place. A key that is not given any more is commands.ErrKeyRetired.
func (v *Vault) Open(place string, sealed connection.Sealed) ([]byte, error) {
	aead, ok := v.keys[sealed.Key]
	if !ok {
		return nil, fmt.Errorf("open %s, key %q: %w", place, sealed.Key, commands.ErrKeyRetired)
	}
	if len(sealed.Data) < aead.NonceSize() {
		return nil, fmt.Errorf("open %s: %w", place, errors.New("it is cut short"))
	}
	content, err := aead.Open(nil, sealed.Data[:aead.NonceSize()], sealed.Data[aead.NonceSize():], []byte(place))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", place, err)
	}
	return content, nil
}

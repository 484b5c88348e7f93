// Package vault encrypts the credentials of accounts, and other content that may contain secrets, with AES-256-GCM. The caller
// derives the keys from a secret. A ciphertext contains the id of its key, so that the key can be replaced: older ciphertexts can
// be decrypted as long as the vault has their key, too. The package does not interpret contents.
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

// Vault encrypts with one key and decrypts with this and older keys. It is safe for concurrent use.
type Vault struct {
	current string
	keys    map[string]cipher.AEAD // the ciphers of all keys, by key id
}

// New returns a vault that encrypts with the key current, and decrypts with older keys, too. Every key has 32 bytes.
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

// keyID returns an id that does not reveal the key.
func keyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("moviola key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// Key returns the id of the key that Seal uses.
func (v *Vault) Key() string { return v.current }

// Seal encrypts content for a place: a name of where the ciphertext is stored. Open must be called with the same place.
func (v *Vault) Seal(place string, content []byte) (connection.Sealed, error) {
	aead := v.keys[v.current]
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(content)+aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return connection.Sealed{}, fmt.Errorf("seal %s: %w", place, err)
	}
	return connection.Sealed{Key: v.current, Data: aead.Seal(nonce, nonce, content, []byte(place))}, nil
}

// Open decrypts what Seal has encrypted for the place. commands.ErrKeyRetired: the vault no longer has the key with which it was
// encrypted.
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

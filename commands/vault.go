package commands

import (
	"errors"

	"moviola/domain/connection"
)

// ErrKeyRetired is the error of a Vault for content that was encrypted with a key that the Vault no
// longer has.
var ErrKeyRetired = errors.New("the key that sealed it is not known any more")

// Vault encrypts users' secrets. It is safe for concurrent use.
type Vault interface {
	// Key is the id of the key that Seal uses.
	Key() string
	// Seal encrypts content and binds the ciphertext to a place. The ciphertext can be decrypted
	// only for that place.
	Seal(place string, content []byte) (connection.Sealed, error)
	// Open decrypts content that Seal has encrypted for the place with its present or an older key.
	// For any other content the error is ErrKeyRetired.
	Open(place string, sealed connection.Sealed) ([]byte, error)
}

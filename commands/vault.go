package commands

import (
	"errors"

	"moviola/domain/connection"
)

// ErrKeyRetired is the error of a Vault for content that was encrypted with a key that the Vault no longer has.
var ErrKeyRetired = errors.New("the key that sealed it is not known any more")

// Vault encrypts users' secrets. It is safe for concurrent use.
type Vault interface {
	// Key is the id of the key that Seal uses.
	Key() string
	// Seal encrypts content for a place: a name of where the ciphertext is stored. The ciphertext can be decrypted only with the
	// same place.
	Seal(place string, content []byte) (connection.Sealed, error)
	// Open decrypts content that Seal has encrypted for the place, with the present or an older key. ErrKeyRetired: the Vault no
	// longer has that key. Any other error means that the content is damaged, or was encrypted for another place.
	Open(place string, sealed connection.Sealed) ([]byte, error)
}

package commands

import (
	"errors"

	"moviola/domain/connection"
)

// ErrKeyRetired is what a Vault returns for content sealed under a key that it is not given any more.
var ErrKeyRetired = errors.New("the key that sealed it is not known any more")

// Vault encrypts what users entrust to the service. It is safe for concurrent use.
type Vault interface {
	// Key is the id of the key that Seal uses.
	Key() string
	// Seal encrypts content for a place, the only one where it can be opened again.
	Seal(place string, content []byte) (connection.Sealed, error)
	// Open decrypts what Seal has made for the place, under its own or an older key; otherwise ErrKeyRetired.
	Open(place string, sealed connection.Sealed) ([]byte, error)
}

package secret

import (
	"sync"

	"moviola/adapters/vault"
	"moviola/domain/connection"
)

// LateVault is a vault that is opened at its first use: commands that only read the read models often need no secret, and may not
// have it. It is safe for concurrent use.
type LateVault struct{ open func() (*vault.Vault, error) }

// NewLateVault returns the vault of the data folder data. The vault is opened only when it is first used. shared is true
// when other hosts may share the installation.
func NewLateVault(data string, shared bool) LateVault {
	return LateVault{sync.OnceValues(func() (*vault.Vault, error) {
		secret, err := Load(data, shared)
		if err != nil {
			return nil, err
		}
		return NewVault(data, secret)
	})}
}

// Seal implements projections.Sealer.
func (l LateVault) Seal(place string, content []byte) (connection.Sealed, error) {
	v, err := l.open()
	if err != nil {
		return connection.Sealed{}, err
	}
	return v.Seal(place, content)
}

// Open implements projections.Sealer.
func (l LateVault) Open(place string, sealed connection.Sealed) ([]byte, error) {
	v, err := l.open()
	if err != nil {
		return nil, err
	}
	return v.Open(place, sealed)
}

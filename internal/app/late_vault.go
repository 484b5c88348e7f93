package app

import (
	"sync"

	"moviola/adapters/vault"
	"moviola/domain/connection"
)

// lateVault is a vault that is opened when something is to be sealed or opened first: commands that only look at read models often need none,
// and may not have the secret. It is safe for concurrent use.
type lateVault struct{ open func() (*vault.Vault, error) }

func newLateVault(cfg Config) lateVault {
	return lateVault{sync.OnceValues(func() (*vault.Vault, error) {
		secret, err := loadSecret(cfg)
		if err != nil {
			return nil, err
		}
		return newVault(cfg, secret)
	})}
}

// Seal implements projections.Sealer.
func (l lateVault) Seal(place string, content []byte) (connection.Sealed, error) {
	v, err := l.open()
	if err != nil {
		return connection.Sealed{}, err
	}
	return v.Seal(place, content)
}

// Open implements projections.Sealer.
func (l lateVault) Open(place string, sealed connection.Sealed) ([]byte, error) {
	v, err := l.open()
	if err != nil {
		return nil, err
	}
	return v.Open(place, sealed)
}

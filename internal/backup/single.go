package backup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
)

// ageHeader begins every file that age has encrypted.
const ageHeader = "age-encryption.org/"

// Close encrypts content, a single file outside of an archive, with the passphrase or to the recipients in c. If c has
// neither a passphrase nor recipients, Close returns content as it is. Open is the inverse.
func (c Config) Close(content []byte) ([]byte, error) {
	switch {
	case c.Passphrase != "" && len(c.Recipients) > 0:
		return nil, errors.New("give a passphrase or recipients, not both")
	case c.Passphrase != "":
		scrypt, err := age.NewScryptRecipient(c.Passphrase)
		if err != nil {
			return nil, err
		}
		if c.WorkFactor > 0 {
			scrypt.SetWorkFactor(c.WorkFactor)
		}
		return encrypt(content, scrypt)
	case len(c.Recipients) > 0:
		recipients, err := parseRecipients(c.Recipients)
		if err != nil {
			return nil, err
		}
		return encrypt(content, recipients...)
	}
	return content, nil
}

// Open decrypts content, which Close has encrypted. It returns content that is not encrypted as it is.
func (c Config) Open(content []byte) ([]byte, error) {
	if !bytes.HasPrefix(content, []byte(ageHeader)) {
		return content, nil
	}
	var identities []age.Identity
	if c.Identities != "" {
		read, err := age.ParseIdentities(strings.NewReader(c.Identities))
		if err != nil {
			return nil, fmt.Errorf("read the identity: %w", err)
		}
		identities = read
	}
	if c.Passphrase != "" {
		scrypt, err := age.NewScryptIdentity(c.Passphrase)
		if err != nil {
			return nil, err
		}
		identities = append(identities, scrypt)
	}
	if len(identities) == 0 {
		return nil, errors.New("it is encrypted: give its passphrase, or the identity file of one of its recipients")
	}
	return decrypt(content, identities...)
}

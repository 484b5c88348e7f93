package media

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"strings"

	"moviola/domain"
)

// Parts of the addresses of files: <base>/v2/media/<token>/files/<folder>/<name>, or cache instead of files. Decision 45.
const (
	AddressPath = "/v2/media/"
	filesPart   = "/files/"
	cachePart   = "/cache/"
)

// Addresses makes and reads the addresses of files. The token in an address names the account and cannot be guessed: it is
// the account's id, encrypted with the installation's key, and changes only with that key. It is safe for concurrent use.
type Addresses struct {
	base  string
	block cipher.Block
}

// NewAddresses returns the addresses below a base (scheme and host, no slash at the end). key has at least 16 bytes and is the
// same in every process of an installation.
func NewAddresses(base string, key []byte) (*Addresses, error) {
	if len(key) < aes.BlockSize {
		return nil, fmt.Errorf("media addresses: a key of %d bytes is too short", len(key))
	}
	block, err := aes.NewCipher(key[:aes.BlockSize])
	if err != nil {
		return nil, fmt.Errorf("media addresses: %w", err)
	}
	return &Addresses{base: base, block: block}, nil
}

// Token returns the token of an account in addresses; empty for an account id that is longer than the ids that the service
// makes.
func (a *Addresses) Token(account domain.AccountID) string {
	if len(account) > aes.BlockSize {
		return ""
	}
	var b [aes.BlockSize]byte
	copy(b[:], account)
	a.block.Encrypt(b[:], b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// account returns the account of a token. A guessed token decrypts to an invalid id, except with negligible probability.
func (a *Addresses) account(token string) (domain.AccountID, bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != aes.BlockSize {
		return "", false
	}
	a.block.Decrypt(b, b)
	id := strings.TrimRight(string(b), "\x00")
	// Different texts can decode to the same bytes, so only the spelling that Token returns is accepted.
	return domain.AccountID(id), id != "" && domain.IsBase62(id) && a.Token(domain.AccountID(id)) == token
}

// File returns the address of a file of an account's library. The address changes when the file is moved.
func (a *Addresses) File(account domain.AccountID, p Path) string {
	return a.base + AddressPath + a.Token(account) + filesPart + p.String()
}

// Cached returns the address of a file that is stored for a limited time; name may contain folders.
func (a *Addresses) Cached(account domain.AccountID, name string) string {
	return a.base + AddressPath + a.Token(account) + cachePart + name
}

// Address is the file that an address names: a file of a library or, if Cached is not empty, a file that is stored for a
// limited time.
type Address struct {
	Account domain.AccountID
	Path    Path
	Cached  string
}

// Find reads the path of an address, without the base. It accepts only the spelling that File and Cached return.
func (a *Addresses) Find(path string) (Address, bool) {
	rest, ok := strings.CutPrefix(path, AddressPath)
	token, rest, found := strings.Cut(rest, "/")
	if !ok || !found {
		return Address{}, false
	}
	account, ok := a.account(token)
	if !ok {
		return Address{}, false
	}
	if cached, ok := strings.CutPrefix("/"+rest, cachePart); ok {
		return Address{Account: account, Cached: cached}, cached != "" && !strings.Contains(cached, "..")
	}
	file, ok := strings.CutPrefix("/"+rest, filesPart)
	if !ok {
		return Address{}, false
	}
	p, err := ParsePath(file)
	return Address{Account: account, Path: p}, err == nil && p.String() == file
}

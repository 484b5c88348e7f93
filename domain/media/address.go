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

// Addresses makes and reads the addresses of files. The part of an address that says whose the file is cannot be guessed: it is
// the account's id, enciphered, and so the same for ever. It is safe for concurrent use.
type Addresses struct {
	base  string
	block cipher.Block
}

// NewAddresses returns the addresses below a base (scheme and host, no slash at the end) for a key of 16 bytes at least, the same in every
// process of an installation.
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

// Token is what stands for an account in addresses; empty for one whose id is longer than any that is given out.
func (a *Addresses) Token(account domain.AccountID) string {
	if len(account) > aes.BlockSize {
		return ""
	}
	var b [aes.BlockSize]byte
	copy(b[:], account)
	a.block.Encrypt(b[:], b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// account reads a token. What nobody was given out decrypts to no account's id.
func (a *Addresses) account(token string) (domain.AccountID, bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != aes.BlockSize {
		return "", false
	}
	a.block.Decrypt(b, b)
	id := strings.TrimRight(string(b), "\x00")
	// Some texts decode to the same bytes as another: only the one that is handed out counts.
	return domain.AccountID(id), id != "" && domain.IsBase62(id) && a.Token(domain.AccountID(id)) == token
}

// File is the address of a file of an account's library. It changes only by a move.
func (a *Addresses) File(account domain.AccountID, p Path) string {
	return a.base + AddressPath + a.Token(account) + filesPart + p.String()
}

// Cached is the address of a file that is kept for a while: name may have folders.
func (a *Addresses) Cached(account domain.AccountID, name string) string {
	return a.base + AddressPath + a.Token(account) + cachePart + name
}

// Address is what the path of an address names: a file of a library, or, where Cached is not empty, one that is kept for a while.
type Address struct {
	Account domain.AccountID
	Path    Path
	Cached  string
}

// Find reads the path of an address: what follows the base address. It accepts the one spelling that is handed out, and no other.
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

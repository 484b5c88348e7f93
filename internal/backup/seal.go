package backup

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
)

// Kinds of encryption of an archive.
const (
	encryptionNone       = "none"
	encryptionPassphrase = "passphrase"
	encryptionRecipients = "recipients"
)

// errSealed is the error for an archive that cannot be decrypted with the given keys.
var errSealed = errors.New("the archive is encrypted")

// header is the unencrypted description of an archive.
type header struct {
	Format     int      `json:"format"`
	Encryption string   `json:"encryption"`
	Recipients []string `json:"recipients,omitempty"`
}

// sealing encrypts and decrypts the files of an archive. With recipients and no identity, it only encrypts.
type sealing struct {
	kind       string
	recipients []age.Recipient
	identities []age.Identity
	key        []byte // HMAC key for the names of chunks; nil: a name is the plain SHA-256 of the content
}

// Create opens the archive at a place for writing, and creates it when the place has none. All backups of an archive have
// the same encryption: an existing archive must have the requested one.
func Create(ctx context.Context, cfg Config) (*Archive, error) {
	want := header{Format: format, Encryption: encryptionNone}
	switch {
	case cfg.Passphrase != "" && len(cfg.Recipients) > 0:
		return nil, errors.New("give a passphrase or recipients, not both")
	case cfg.Passphrase != "":
		want.Encryption = encryptionPassphrase
	case len(cfg.Recipients) > 0:
		want.Encryption, want.Recipients = encryptionRecipients, slices.Sorted(slices.Values(cfg.Recipients))
	}
	if _, err := parseRecipients(want.Recipients); err != nil {
		return nil, err
	}
	there, err := isThere(ctx, cfg.Place, formatFile)
	if err != nil {
		return nil, err
	}
	if !there {
		if err := begin(ctx, cfg, want); err != nil {
			return nil, err
		}
	}
	return open(ctx, cfg, &want)
}

// Open opens an archive for reading.
func Open(ctx context.Context, cfg Config) (*Archive, error) { return open(ctx, cfg, nil) }

// open opens an archive. Its header must equal want, unless that is nil.
func open(ctx context.Context, cfg Config, want *header) (*Archive, error) {
	encoded, err := readAll(ctx, cfg.Place, formatFile, maxChunkBytes)
	if err != nil {
		return nil, fmt.Errorf("this is no backup of moviola: %w", err)
	}
	var is header
	if err := json.Unmarshal(encoded, &is); err != nil {
		return nil, fmt.Errorf("read %s: %w", formatFile, err)
	}
	if is.Format != format {
		return nil, fmt.Errorf("the archive has format %d, this program knows %d: use a newer one", is.Format, format)
	}
	if want != nil && (is.Encryption != want.Encryption || !slices.Equal(is.Recipients, want.Recipients)) {
		return nil, fmt.Errorf("the archive there has the encryption %s %s: use the same, or another place",
			is.Encryption, strings.Join(is.Recipients, " "))
	}
	a := &Archive{cfg: cfg, seal: sealing{kind: is.Encryption}}
	switch is.Encryption {
	case encryptionNone:
		return a, nil
	case encryptionPassphrase:
		return a, a.unlock(ctx)
	case encryptionRecipients:
		return a, a.address(is, want == nil)
	}
	return nil, fmt.Errorf("the archive has an encryption that this program does not know: %s", is.Encryption)
}

// unlock decrypts the archive's key with the passphrase.
func (a *Archive) unlock(ctx context.Context) error {
	if a.cfg.Passphrase == "" {
		return fmt.Errorf("%w: give its passphrase", errSealed)
	}
	locked, err := readAll(ctx, a.cfg.Place, keyFile, maxChunkBytes)
	if err != nil {
		return err
	}
	scrypt, err := age.NewScryptIdentity(a.cfg.Passphrase)
	if err != nil {
		return err
	}
	text, err := decrypt(locked, scrypt)
	if err != nil {
		return fmt.Errorf("%w, and the passphrase does not open it: %w", errSealed, err)
	}
	identity, err := age.ParseX25519Identity(string(text))
	if err != nil {
		return fmt.Errorf("read %s: %w", keyFile, err)
	}
	a.seal.recipients, a.seal.identities = []age.Recipient{identity.Recipient()}, []age.Identity{identity}
	a.seal.key, err = hkdf.Key(sha256.New, text, nil, "moviola names of a backup", sha256.Size)
	return err
}

// address sets up encryption to recipients. Reading requires an identity.
func (a *Archive) address(is header, reads bool) (err error) {
	if a.seal.recipients, err = parseRecipients(is.Recipients); err != nil {
		return err
	}
	if a.cfg.Identities != "" {
		if a.seal.identities, err = age.ParseIdentities(strings.NewReader(a.cfg.Identities)); err != nil {
			return fmt.Errorf("read the identity: %w", err)
		}
	}
	if reads && len(a.seal.identities) == 0 {
		return fmt.Errorf("%w to %s: give the identity file of one of them", errSealed, strings.Join(is.Recipients, ", "))
	}
	return nil
}

// begin creates an archive. The header is written last: without it there is no archive.
func begin(ctx context.Context, cfg Config, want header) error {
	if want.Encryption == encryptionPassphrase {
		identity, err := age.GenerateX25519Identity()
		if err != nil {
			return err
		}
		scrypt, err := age.NewScryptRecipient(cfg.Passphrase)
		if err != nil {
			return err
		}
		if cfg.WorkFactor > 0 {
			scrypt.SetWorkFactor(cfg.WorkFactor)
		}
		locked, err := encrypt([]byte(identity.String()), scrypt)
		if err != nil {
			return err
		}
		if err := cfg.Place.Put(ctx, keyFile, bytes.NewReader(locked)); err != nil {
			return fmt.Errorf("write %s: %w", keyFile, err)
		}
	}
	if err := cfg.Place.Put(ctx, readmeFile, strings.NewReader(readme)); err != nil {
		return fmt.Errorf("write %s: %w", readmeFile, err)
	}
	encoded, err := json.MarshalIndent(want, "", "  ")
	if err == nil {
		err = cfg.Place.Put(ctx, formatFile, bytes.NewReader(append(encoded, '\n')))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", formatFile, err)
	}
	return nil
}

const readme = `This is a backup of a Moviola installation. It holds the secret of the installation (in the folder "secrets"): ` +
	`whoever reads it
can forge addresses of uploads and read stored credentials. Keep it as you keep passwords. Bring it back with

    moviola restore --from THIS --data NEWFOLDER
`

func parseRecipients(texts []string) ([]age.Recipient, error) {
	var all []age.Recipient
	for _, text := range texts {
		recipients, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("recipient %q: %w", text, err)
		}
		all = append(all, recipients...)
	}
	return all, nil
}

// suffix returns the suffix of encrypted files.
func (s *sealing) suffix() string {
	if s.kind == encryptionNone {
		return ""
	}
	return sealedSuffix
}

// reads reports whether this process can decrypt the archive.
func (s *sealing) reads() bool { return s.kind == encryptionNone || len(s.identities) > 0 }

// name returns the name of a chunk, a hash of its content.
func (s *sealing) name(content []byte) string {
	if s.key == nil {
		return sum(content)
	}
	mac := hmac.New(sha256.New, s.key)
	mac.Write(content)
	return hex.EncodeToString(mac.Sum(nil))
}

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

func (s *sealing) close(content []byte) ([]byte, error) {
	if s.kind == encryptionNone {
		return content, nil
	}
	return encrypt(content, s.recipients...)
}

func (s *sealing) open(content []byte) ([]byte, error) {
	if s.kind == encryptionNone {
		return content, nil
	}
	return decrypt(content, s.identities...)
}

func encrypt(content []byte, to ...age.Recipient) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to...)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func decrypt(content []byte, with ...age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(content), with...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

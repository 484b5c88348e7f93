package anchorage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"moviola/projections/audit"
)

// Place keeps anchors at an address. It is safe for concurrent use.
type Place struct {
	address Address
	label   string
	put     func(ctx context.Context, sheet audit.Sheet) error
}

// Config is what Open needs beside an address.
type Config struct {
	Client *http.Client // sends requests to webhooks
	Agent  string       // User-Agent of the requests to webhooks
	// Mail sends an e-mail with one attached file. Nil: there is no mail server.
	Mail func(ctx context.Context, to, subject, text, name string, content []byte) error
}

// Open returns the place at an address, without connecting to it.
func Open(ctx context.Context, a Address, cfg Config) (*Place, error) {
	p := &Place{address: a}
	switch a.Kind {
	case Folder:
		p.label, p.put = "folder "+a.Folder, p.toFolder
	case Webhook:
		// a hash of the address is part of the label: a web host may have several places, and the path of the address may be secret
		sum := sha256.Sum256([]byte(a.URL.String()))
		p.label = fmt.Sprintf("webhook %s://%s %s", a.URL.Scheme, a.URL.Host, hex.EncodeToString(sum[:4]))
		p.put = func(ctx context.Context, sheet audit.Sheet) error { return p.toWebhook(ctx, cfg, sheet) }
	case Mail:
		if cfg.Mail == nil {
			return nil, errors.New("mailto: needs a mail server: give --smtp and --smtp-from")
		}
		p.label = "mail " + a.To
		p.put = func(ctx context.Context, sheet audit.Sheet) error { return toMail(ctx, a.To, cfg, sheet) }
	case S3:
		bucket, err := openBucket(ctx, a)
		if err != nil {
			return nil, err
		}
		p.label, p.put = bucketLabel(a), bucket.put
	default:
		return nil, errors.New("the address has no kind")
	}
	return p, nil
}

// bucketLabel returns the label of a bucket. Two services, two partitions of AWS and two tenants of a service may each have
// a bucket of one name, so the label also has the endpoint, the region and the profile, as far as the address names them.
func bucketLabel(a Address) string {
	label := "s3 " + a.Bucket + "/" + a.Prefix
	if a.URL != nil {
		label += " endpoint=" + a.URL.Scheme + "://" + a.URL.Host + a.URL.EscapedPath()
	}
	if a.Region != "" {
		label += " region=" + a.Region
	}
	if a.Profile != "" {
		label += " profile=" + a.Profile
	}
	return label
}

// Kind returns the kind of the place.
func (p *Place) Kind() string { return p.address.Kind }

// Label distinguishes places, and contains no secret.
func (p *Place) Label() string { return p.label }

// Put keeps an anchor. A folder and a bucket first get the list of the hashes of all ledger events, so that an anchor there
// always has its list. A webhook and a mailbox get the anchor alone: a list that is kept elsewhere can be checked against it.
func (p *Place) Put(ctx context.Context, sheet audit.Sheet) error { return p.put(ctx, sheet) }

// file is one of the files that a place keeps.
type file struct {
	name    string
	content []byte
}

func filesOf(sheet audit.Sheet) []file {
	name := sheet.Name + audit.AnchorSuffix
	return []file{{name + audit.ListSuffix, sheet.List}, {name, sheet.Content}}
}

func (p *Place) toFolder(ctx context.Context, sheet audit.Sheet) error {
	if err := os.MkdirAll(p.address.Folder, 0o750); err != nil {
		return err
	}
	for _, f := range filesOf(sheet) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := WriteNew(filepath.Join(p.address.Folder, f.name), f.content); err != nil {
			return err
		}
	}
	return nil
}

// WriteNew writes a file that must not exist yet, and syncs it to disk. After an error the file does not exist, unless it did
// before.
func WriteNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// mostAnswer is the largest number of bytes that are read of a webhook's answer. An answer is read so that the connection can be
// used again.
const mostAnswer = 64 << 10

func (p *Place) toWebhook(ctx context.Context, cfg Config, sheet audit.Sheet) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address.URL.String(), bytes.NewReader(sheet.Content))
	if err != nil {
		return errors.New("the address cannot be called")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", cfg.Agent)
	request.Header.Set("Moviola-Anchor", sheet.Name+audit.AnchorSuffix)
	answer, err := cfg.Client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer func() { _ = answer.Body.Close() }() // an error of closing loses nothing: the answer was only read
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer)); err != nil {
		return withoutAddress(err)
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %d", answer.StatusCode)
	}
	return nil
}

// withoutAddress takes the address, which may contain a secret, out of an error of a client.
func withoutAddress(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

func toMail(ctx context.Context, to string, cfg Config, sheet audit.Sheet) error {
	text := fmt.Sprintf("The attached file is an anchor of the credit ledgers, taken at %s.\n\n"+
		"SHA-256 of the file: %s\nLedgers: %d\nEvents: %d\n\n"+
		"Keep it where the operators of the service cannot change it. moviola audit verify --against FILE --public-key KEY\n"+
		"compares the log with it.\n", sheet.TakenAt.Format(time.RFC3339), sheet.Digest, sheet.Ledgers, sheet.Events)
	return cfg.Mail(ctx, to, "Anchor "+sheet.Name, text, sheet.Name+audit.AnchorSuffix, sheet.Content)
}

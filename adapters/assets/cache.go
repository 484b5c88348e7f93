// Package assets brings the sources of movies to the local disk: downloaded through the guarded client, recognised by their
// content, kept under the hash of their content in a folder per account, and probed.
//
// Only pictures, videos and sound of known formats pass. Playlists and everything else that can name another file are refused
// before any decoder sees them, but for SVG drawings: a browser draws them as pictures, which load nothing.
package assets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/internal/fair"
	"moviola/internal/quota"
)

var _ commands.Assets = (*Cache)(nil)

// Prober says what is in a video or audio file, read by the named demuxer. It returns commands.ErrNotMedia when the file is
// not of that format.
type Prober interface {
	Probe(ctx context.Context, path, format string) (commands.Media, error)
}

// Converter makes pictures that are read here of those that are not.
type Converter interface {
	// ToPNG writes the picture in the file at path, read by the named demuxer of ffmpeg or as "heif", to a PNG file of eight bits
	// a channel. It returns commands.ErrNotMedia when it cannot be read, and a *domain.Error when a program for it is missing.
	ToPNG(ctx context.Context, path, format, to string) error
}

// Config is what a Cache needs. Client, Dir and Prober must be set.
type Config struct {
	Client   *http.Client  // the guarded road out
	Dir      string        // a folder per account is made in it; may be shared by several processes of one host
	Prober   Prober        //
	Pictures Converter     // of TIFF files as cameras write them, AVIF and HEIC; nil: they are refused
	MaxBytes int64         // of one download; 0: 2 GiB
	Timeout  time.Duration // of one download, all tries together; 0: 5 minutes
	// Connections and Bytes are the budgets of downloads that are under way, for which accounts take turns; nil: none. A download
	// takes one connection, and as many bytes as it has; until its server has said how many these are, it is taken for Guess
	// bytes; 0: 64 MiB.
	Connections, Bytes *fair.Budget
	Guess              int64
	// Retries are the pauses before a download that failed for a passing reason is tried again; nil: half a second, two seconds.
	Retries []time.Duration
	// Base is the service's public address; what lies below it comes from Own and never over the network. Empty: nothing does.
	Base string
	Own  OwnFiles
	// TTL is how long a download is used without asking its server again, and how long a file is kept after its last use; 0: 72
	// hours. Decision 51. It holds whenever Sweep is called.
	TTL time.Duration
	// MaxTotal bounds the bytes of all files; 0: 50 GiB. MaxAccount bounds those of one account; 0: 20 GiB. They hold whenever
	// something is written: what was used longest ago makes room, but for what was used in the last ten minutes.
	MaxTotal, MaxAccount int64
	// MaxTotalFiles and MaxAccountFiles bound the number of files in the same way; 0: nothing does.
	MaxTotalFiles, MaxAccountFiles int64
	// Shared is where other hosts find what this one has downloaded, and the other way round. nil: none does, or they share the
	// folder.
	Shared Store
	Now    func() time.Time // nil: time.Now
	Log    logrus.FieldLogger
}

const (
	defaultTTL      = 72 * time.Hour
	defaultMaxTotal = 50 << 30
	defaultMaxBytes = 2 << 30
	defaultTimeout  = 5 * time.Minute
	defaultGuess    = 64 << 20
	maxRedirects    = 5
)

// Cache is a commands.Assets on a local folder.
type Cache struct {
	cfg     Config
	client  *http.Client
	base    *url.URL // nil: none
	flights flights
	room    *quota.Bound
	files   *checker
}

// Bound returns what the cache holds of its bounds. A refusal counts also when older downloads made room afterwards.
func (c *Cache) Bound() quota.Status { return c.room.Status() }

// New returns a Cache in cfg.Dir, which it creates.
func New(cfg Config) (*Cache, error) {
	if cfg.Client == nil || cfg.Prober == nil || cfg.Dir == "" {
		return nil, errors.New("assets need a client, a prober and a folder")
	}
	cfg = cfg.withDefaults()
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make asset folder: %w", err)
	}
	c := &Cache{cfg: cfg, files: &checker{log: cfg.Log}}
	c.room = quota.New(quota.Limits{
		Account: quota.Amount{Bytes: cfg.MaxAccount, Files: cfg.MaxAccountFiles},
		Total:   quota.Amount{Bytes: cfg.MaxTotal, Files: cfg.MaxTotalFiles},
	}, c.measure)
	if cfg.Base != "" {
		base, err := url.Parse(cfg.Base)
		if err != nil || base.Host == "" {
			return nil, errors.New("the service's public address cannot be read")
		}
		c.base = base
	}
	c.client = c.boundRedirects(cfg.Client)
	return c, nil
}

// withDefaults fills in what is left out.
func (cfg Config) withDefaults() Config {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, defaultMaxBytes)
	cfg.Guess = cmp.Or(cfg.Guess, defaultGuess)
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.TTL = cmp.Or(cfg.TTL, defaultTTL)
	cfg.MaxTotal = cmp.Or(cfg.MaxTotal, defaultMaxTotal)
	cfg.MaxAccount = cmp.Or(cfg.MaxAccount, min(defaultAccount, cfg.MaxTotal))
	if cfg.Retries == nil {
		cfg.Retries = []time.Duration{500 * time.Millisecond, 2 * time.Second}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	return cfg
}

// Fetch brings the file at address to the local disk. See commands.Assets. What the account has downloaded within the time to
// live is taken from the disk, and no server is asked. Decision 51. Callers that ask for the same address at once share one
// download.
func (c *Cache) Fetch(ctx context.Context, account domain.AccountID, address string) (commands.Asset, error) {
	return c.flights.do(ctx, string(account)+" "+address, func(ctx context.Context) (commands.Asset, error) {
		return c.fetch(ctx, c.shelf(account), address, nil)
	})
}

// Refetch is Fetch, but takes nothing from the disk that was downloaded before a time; zero: nothing at all. It keeps what it
// gets. Decision 51: an element's cache is false.
func (c *Cache) Refetch(ctx context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, error) {
	if asset, ok := c.KeptSince(ctx, account, address, since); ok {
		return asset, nil
	}
	return c.fetch(ctx, c.shelf(account), address, &since)
}

// Kept is what Fetch takes from the disk; false when it would ask a server.
func (c *Cache) Kept(_ context.Context, account domain.AccountID, address string) (commands.Asset, bool) {
	return c.kept(c.shelf(account), address, time.Time{})
}

// KeptSince is what Refetch takes from the disk; false when it would ask a server.
func (c *Cache) KeptSince(_ context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, bool) {
	if since.IsZero() {
		return commands.Asset{}, false
	}
	return c.kept(c.shelf(account), address, since)
}

// IsOwn says that an address is below the service's public base.
func (c *Cache) IsOwn(address string) bool {
	target, err := parseAddress(address)
	if err != nil {
		return false
	}
	_, own := c.ownPath(target)
	return own
}

// kept is what is used without asking the server: a download that is recent enough, and no older than a time.
func (c *Cache) kept(s shelf, address string, since time.Time) (commands.Asset, bool) {
	known := s.visit(address)
	if !c.counts(known) || known.At.Before(since) {
		return commands.Asset{}, false
	}
	asset, ok := s.asset(known.Hash)
	return asset, ok && s.use(known.Hash) == nil
}

func (c *Cache) shelf(account domain.AccountID) shelf {
	return shelf{Folder(c.cfg.Dir, account), account, c.files}
}

// Folder is where the files of an account are, below the folder of a Cache.
func Folder(dir string, account domain.AccountID) string {
	return filepath.Join(dir, hashText(string(account))[:32])
}

// fetch brings the file at address onto the shelf. With fresh nothing is taken that was downloaded before that time; when that is
// zero, nothing at all.
func (c *Cache) fetch(ctx context.Context, s shelf, address string, fresh *time.Time) (commands.Asset, error) {
	target, err := parseAddress(address)
	if err != nil {
		return commands.Asset{}, err
	}
	if err := s.make(); err != nil {
		return commands.Asset{}, err
	}
	var known visit
	var since time.Time
	if fresh != nil {
		since = *fresh
	} else if asset, ok := c.kept(s, address, since); ok {
		return asset, nil
	}
	if _, own := c.ownPath(target); !own && (fresh == nil || !since.IsZero()) {
		if asset, ok := c.takeShared(ctx, s, address, target, since); ok {
			return asset, nil
		}
	}
	if fresh == nil {
		known = s.visit(address)
	}
	got, err := c.download(ctx, s, target, known)
	if err != nil {
		return commands.Asset{}, err
	}
	asset, ok := s.asset(got.Hash)
	if !ok {
		if asset, err = c.examine(ctx, s, got.Hash, target); err != nil {
			return commands.Asset{}, err
		}
	}
	if err := writeJSON(s.visitPath(address), got); err != nil {
		return commands.Asset{}, fmt.Errorf("note the download of asset %s: %w", got.Hash, err)
	}
	c.share(ctx, s, address, got)
	return asset, s.use(got.Hash)
}

// counts says whether a download is recent enough to be used without asking its server. Using it does not make it more recent.
func (c *Cache) counts(v visit) bool {
	age := c.cfg.Now().Sub(v.At)
	return !v.At.IsZero() && age >= 0 && age < c.cfg.TTL
}

// shelf is the folder of one account: files/<hash> with what is known of them in files/<hash>.json, and visits/<hash of the
// address>.json.
type shelf struct {
	dir     string
	account domain.AccountID
	files   *checker
}

// visit is what is remembered of an address.
type visit struct {
	Hash         string `json:"hash"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	// At is when the server sent the file, or said that it was the same. Zero: the address is the service's own, which is read
	// each time.
	At time.Time `json:"at,omitzero"`
}

func (s shelf) make() error {
	for _, sub := range []string{"files", "visits"} {
		if err := os.MkdirAll(filepath.Join(s.dir, sub), 0o700); err != nil {
			return fmt.Errorf("make asset folder: %w", err)
		}
	}
	return nil
}

func (s shelf) filePath(hash string) string { return filepath.Join(s.dir, "files", hash) }

func (s shelf) visitPath(address string) string {
	return filepath.Join(s.dir, "visits", hashText(address)+".json")
}

// visit returns what is remembered of an address, nothing when its file is gone.
func (s shelf) visit(address string) visit {
	var v visit
	if readJSON(s.visitPath(address), &v) != nil {
		return visit{}
	}
	if _, ok := s.asset(v.Hash); !ok {
		return visit{}
	}
	return v
}

// asset returns the examined file with this content. One that is gone or damaged counts as not there.
func (s shelf) asset(hash string) (commands.Asset, bool) {
	var a commands.Asset
	if hash == "" || readJSON(s.filePath(hash)+".json", &a) != nil {
		return commands.Asset{}, false
	}
	a.Path = s.filePath(hash)
	if a.Converted {
		a.Path += convertedExtension
	}
	if a.Hash = hash; !s.intact(a) {
		return commands.Asset{}, false
	}
	return a, true
}

// use notes that the file with this content is in use.
func (s shelf) use(hash string) error {
	now := time.Now()
	if err := os.Chtimes(s.filePath(hash)+".json", now, now); err != nil {
		return fmt.Errorf("note the use of asset %s: %w", hash, err)
	}
	return nil
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// writeJSON replaces the file at path in one step.
func writeJSON(path string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, removeIfThere(temp.Name()))
	}
	return err
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

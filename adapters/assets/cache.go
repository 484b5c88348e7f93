// Package assets brings the sources of movies to the local disk: it downloads them through the guarded client, or copies
// them from the service's own files or from the downloads of another host. It has them examined (package examine), and
// stores them under the hash of their content in a folder per account.
//
// Only pictures, videos, sound, fonts and captions of known formats are accepted. Playlists and other lists of further files
// are refused before a decoder reads them. SVG drawings can name further files, too, but are accepted: browsers draw them as
// pictures, which load nothing.
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

	"moviola/adapters/assets/examine"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/fair"
	"moviola/internal/quota"
)

// Config is what a Cache needs. Client, Dir and Prober must be set.
type Config struct {
	Client   *http.Client      // client whose addresses are checked by adapters/outbound
	Dir      string            // contains a folder per account; several processes of one host may share it
	Prober   examine.Prober    //
	Pictures examine.Converter // converts what Go cannot decode; nil: see examine.Examiner
	MaxBytes int64             // largest size of one download; 0: 2 GiB
	Timeout  time.Duration     // time limit of one download, retries included; 0: 5 minutes
	// Connections and Bytes are budgets for running downloads, which accounts use in turns; nil: unbounded. A download takes
	// one connection, and its size in bytes. A download of unknown size takes Guess bytes at first, and more when it has
	// read them; Guess 0: 64 MiB.
	Connections, Bytes *fair.Budget
	Guess              int64
	// Retries are the pauses before retries after temporary failures; nil: half a second, two seconds.
	Retries []time.Duration
	// Base is the public address of the service. Files at addresses below Base are read from Own, never over the network.
	// Empty: all files are downloaded.
	Base string
	Own  OwnFiles
	// TTL is how long a download is used without asking its server again, and how long a file is kept after its last use; 0: 72
	// hours. Decision 51. Sweep removes files after this time.
	TTL time.Duration
	// MaxTotal bounds the bytes of the files of all accounts; 0: 50 GiB. MaxAccount bounds those of one account; 0: 20 GiB,
	// or MaxTotal if that is less. They are enforced when a source is written or a picture was converted: the least recently
	// used files are removed, except for those used in the last ten minutes. If that is not enough, the source is refused.
	MaxTotal, MaxAccount int64
	// MaxTotalFiles and MaxAccountFiles bound the number of files of all accounts and of one account, as MaxTotal and MaxAccount
	// bound the bytes; 0: unbounded.
	MaxTotalFiles, MaxAccountFiles int64
	// Shared is a store through which hosts share their downloads. nil: there is one host, or the hosts share Dir.
	Shared Store
	Now    func() time.Time // returns the current time; nil: time.Now
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

// Cache is a render.Assets on a local folder.
type Cache struct {
	cfg     Config
	client  *http.Client
	base    *url.URL // public address of the service; nil: it has none
	flights flights
	room    *quota.Bound
	files   *checker
	sources *examine.Examiner
}

// Bound returns the limits of the cache's files, the space in use, and how many writes were counted as refused because
// they would have exceeded a limit. Such a write is counted even if it succeeded after other files were removed.
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
	c := &Cache{
		cfg: cfg, files: &checker{log: cfg.Log},
		sources: &examine.Examiner{Prober: cfg.Prober, Pictures: cfg.Pictures, Log: cfg.Log},
	}
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

// withDefaults returns the configuration with the default in every field that is zero and has one.
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

// Fetch brings the file at address to the local disk. See render.Assets. A file that the account has downloaded within the time
// to live comes from the disk, without asking the server. Decision 51. Concurrent callers with the same account and address
// share one download.
func (c *Cache) Fetch(ctx context.Context, account domain.AccountID, address string) (commands.Asset, error) {
	return c.flights.do(ctx, string(account)+" "+address, func(ctx context.Context) (commands.Asset, error) {
		return c.fetch(ctx, c.folderOf(account), address, nil)
	})
}

// Refetch brings the file at address to the local disk, as Fetch does, and stores it. It uses a stored file only if that was
// downloaded at the time in the parameter since or later. If since is zero, it uses no stored file. Decision 51: used for
// elements whose property cache is false.
func (c *Cache) Refetch(ctx context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, error) {
	if asset, ok := c.KeptSince(ctx, account, address, since); ok {
		return asset, nil
	}
	return c.fetch(ctx, c.folderOf(account), address, &since)
}

// Kept returns the file on the local disk that Fetch would use; false when Fetch would get it from elsewhere.
func (c *Cache) Kept(_ context.Context, account domain.AccountID, address string) (commands.Asset, bool) {
	return c.kept(c.folderOf(account), address, time.Time{})
}

// KeptSince returns the file on the local disk that Refetch would use; false when Refetch would get it from elsewhere.
func (c *Cache) KeptSince(_ context.Context, account domain.AccountID, address string, since time.Time) (commands.Asset, bool) {
	if since.IsZero() {
		return commands.Asset{}, false
	}
	return c.kept(c.folderOf(account), address, since)
}

// IsOwn reports whether an address is below the service's public address, Config.Base.
func (c *Cache) IsOwn(address string) bool {
	target, err := parseAddress(address)
	if err != nil {
		return false
	}
	_, own := c.ownPath(target)
	return own
}

// kept returns a download that can be used without asking its server: it is recent enough, and was not made before the time in
// the parameter since.
func (c *Cache) kept(s accountFolder, address string, since time.Time) (commands.Asset, bool) {
	known := s.visit(address)
	if !c.counts(known) || known.At.Before(since) {
		return commands.Asset{}, false
	}
	asset, ok := s.asset(known.Hash)
	return asset, ok && s.use(known.Hash) == nil
}

func (c *Cache) folderOf(account domain.AccountID) accountFolder {
	return accountFolder{Folder(c.cfg.Dir, account), account, c.files}
}

// Folder is the folder of an account's files, below the folder of a Cache.
func Folder(dir string, account domain.AccountID) string {
	return filepath.Join(dir, hashText(string(account))[:32])
}

// fetch brings the file at address into the account's folder. It uses a stored file only if that was downloaded at the time
// in the parameter fresh or later. If fresh is the zero time, it uses no stored file. If fresh is nil, the file only has to
// be recent enough: see counts.
func (c *Cache) fetch(ctx context.Context, s accountFolder, address string, fresh *time.Time) (commands.Asset, error) {
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

// counts reports whether a download was made less than the time to live ago, so that it is used without asking its server. Using
// the download does not extend this time.
func (c *Cache) counts(v visit) bool {
	age := c.cfg.Now().Sub(v.At)
	return !v.At.IsZero() && age >= 0 && age < c.cfg.TTL
}

// accountFolder is the folder of one account: files/<hash>, facts about them in files/<hash>.json, and visits/<hash of the
// address>.json.
type accountFolder struct {
	dir     string
	account domain.AccountID
	files   *checker
}

// visit is the record of a download from an address.
type visit struct {
	Hash         string `json:"hash"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	// At is when the server sent the file, or confirmed that it had not changed. Zero in a record: the address is one of
	// the service itself, or was redirected to one, and is read every time.
	At time.Time `json:"at,omitzero"`
}

func (s accountFolder) make() error {
	for _, sub := range []string{"files", "visits"} {
		if err := os.MkdirAll(filepath.Join(s.dir, sub), 0o700); err != nil {
			return fmt.Errorf("make asset folder: %w", err)
		}
	}
	return nil
}

func (s accountFolder) filePath(hash string) string { return filepath.Join(s.dir, "files", hash) }

func (s accountFolder) visitPath(address string) string {
	return filepath.Join(s.dir, "visits", hashText(address)+".json")
}

// visit returns the record of an address; the zero visit when there is none, or its file is gone or damaged.
func (s accountFolder) visit(address string) visit {
	var v visit
	if readJSON(s.visitPath(address), &v) != nil {
		return visit{}
	}
	if _, ok := s.asset(v.Hash); !ok {
		return visit{}
	}
	return v
}

// asset returns the examined file whose content has this hash. false: it does not exist, or is damaged.
func (s accountFolder) asset(hash string) (commands.Asset, bool) {
	var a commands.Asset
	if hash == "" || readJSON(s.filePath(hash)+".json", &a) != nil {
		return commands.Asset{}, false
	}
	a.Path = s.filePath(hash)
	if a.Converted {
		a.Path += examine.ConvertedExtension
	}
	if a.Hash = hash; !s.intact(a) {
		return commands.Asset{}, false
	}
	return a, true
}

// use marks the file whose content has this hash as used now.
func (s accountFolder) use(hash string) error {
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

// writeJSON replaces the file at path atomically.
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

package accountkeys_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/domain"
	"moviola/eventstore"
	"moviola/internal/accountkeys"
	"moviola/internal/accountkeys/keystest"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	keystest.Run(t, func(t *testing.T) accountkeys.KeyStore {
		return accountkeys.NewFolder(filepath.Join(t.TempDir(), accountkeys.FolderName))
	})
}

// TestFolder_private: nobody but the owner reads a key, a name that leads elsewhere is refused, and an erased key is overwritten.
func TestFolder_private(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), accountkeys.FolderName)
	store := accountkeys.NewFolder(dir)
	if err := store.Add(t.Context(), "ada", make([]byte, accountkeys.Bytes)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "ada"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	held, err := os.Open(filepath.Join(dir, "ada"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Erase(t.Context(), "ada", time.Now()); err != nil {
		t.Fatal(err)
	}
	content := make([]byte, 100)
	n, _ := held.Read(content)
	if left := strings.Trim(string(content[:n]), "\x00"); left != "" {
		t.Errorf("of the key is left %q", left)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	for _, bad := range []domain.AccountID{"../x", "", "a/b", ".new-1"} {
		if err := store.Add(t.Context(), bad, make([]byte, accountkeys.Bytes)); err == nil {
			t.Errorf("a key was stored for %q", bad)
		}
	}
}

// counting is a store that counts the questions, and fails when told so.
type counting struct {
	accountkeys.Folder
	finds atomic.Int64
	fail  atomic.Bool
}

var errStore = errors.New("the store is away")

func (c *counting) Find(ctx context.Context, account domain.AccountID) ([]byte, time.Time, error) {
	c.finds.Add(1)
	if c.fail.Load() {
		return nil, time.Time{}, errStore
	}
	return c.Folder.Find(ctx, account)
}

// clock is a clock that tests turn.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(1e9, c.at.Load()) }
func (c *clock) turn(d time.Duration) { c.at.Add(int64(d)) }

// TestRing: two processes share a store; what one erases the other uses for no longer than a second.
func TestRing(t *testing.T) {
	t.Parallel()
	store := &counting{Folder: accountkeys.NewFolder(filepath.Join(t.TempDir(), accountkeys.FolderName))}
	var time clock
	making, other := accountkeys.NewRing(store, true, time.now), accountkeys.NewRing(store, false, time.now)
	if _, err := other.KeyToSeal("ada"); !errors.Is(err, eventstore.ErrNoKey) || store.finds.Load() > 0 {
		t.Errorf("without any key: %v, after %d questions", err, store.finds.Load())
	}
	if _, err := making.KeyToSeal("ada"); err != nil {
		t.Fatal(err)
	}
	time.turn(2e9)
	if _, err := other.KeyToSeal("ada"); err != nil {
		t.Errorf("an account that has a key is not encrypted for: %v", err)
	}
	asked := store.finds.Load()
	for range 10 {
		if _, err := other.Key("ada"); err != nil {
			t.Error(err)
		}
	}
	if got := store.finds.Load(); got != asked {
		t.Errorf("%d questions within a second", got-asked)
	}
	if erased, err := other.Erased("ada"); erased || err != nil {
		t.Errorf("before the erasure: %v, %v", erased, err)
	}
	if err := store.Erase(t.Context(), "ada", time.now()); err != nil {
		t.Fatal(err)
	}
	time.turn(1e9)
	for name, ring := range map[string]*accountkeys.Ring{"making": making, "other": other} {
		if _, err := ring.Key("ada"); !errors.Is(err, eventstore.ErrErased) {
			t.Errorf("%s: a second later the key says %v", name, err)
		}
		if _, err := ring.KeyToSeal("ada"); !errors.Is(err, eventstore.ErrErased) {
			t.Errorf("%s: a second later the key to seal says %v", name, err)
		}
		if erased, err := ring.Erased("ada"); !erased || err != nil {
			t.Errorf("%s: a second later erased says %v, %v", name, erased, err)
		}
	}
}

// TestRing_unavailable: a store that cannot be read is an outage, and no account without a key.
func TestRing_unavailable(t *testing.T) {
	t.Parallel()
	store := &counting{Folder: accountkeys.NewFolder(filepath.Join(t.TempDir(), accountkeys.FolderName))}
	store.fail.Store(true)
	ring := accountkeys.NewRing(store, true, time.Now)
	if _, err := ring.Key("ada"); !errors.Is(err, eventstore.ErrUnavailable) || !errors.Is(err, errStore) {
		t.Errorf("key: %v", err)
	}
	if _, err := ring.KeyToSeal("ada"); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("key to seal: %v", err)
	}
	store.fail.Store(false)
	if _, err := ring.KeyToSeal("ada"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestRing_bound: a process holds a bounded number of keys.
func TestRing_bound(t *testing.T) {
	t.Parallel()
	store := &counting{Folder: accountkeys.NewFolder(filepath.Join(t.TempDir(), accountkeys.FolderName))}
	var time clock
	ring := accountkeys.NewRing(store, false, time.now)
	for i := range 3 * accountkeys.CachedKeys {
		_, _ = ring.Key(domain.AccountID(strconv.Itoa(i))) // ErrNoKey
	}
	if held := ring.Held(); held > accountkeys.CachedKeys {
		t.Errorf("%d keys are held", held)
	}
}

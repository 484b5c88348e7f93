package commands_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/mediafiles"
	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// TestPreparedStore_Store: an asset that cannot be stored in the media library is stored outside of it for a limited time,
// and a warning says why. Spec: Preload item result.
func TestPreparedStore_Store(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	type stored struct {
		Address, Web string // from their last folder on; a number drawn at random is left out
		Persistent   bool
		Expires      bool
		Warning      preload.Warning
	}
	for name, tt := range map[string]struct {
		account domain.AccountID
		save    bool
		web     bool
		id      string
		fails   func(key string, put int) bool // reports whether a write fails, by its key and number (from 1)
		want    stored
		err     error
	}{
		"cached":                    {id: "a", web: true, want: stored{Address: "cache/batch/1-.png", Web: "cache/batch/1--web.mp4", Expires: true}},
		"kept":                      {id: "a", save: true, web: true, want: stored{Address: "files/generated/batch-a.png", Web: "files/generated/batch-a-web.mp4", Persistent: true}},
		"blocked":                   {id: "a", save: true, account: mallory, want: stored{Address: "cache/batch/1-.png", Expires: true, Warning: preload.QuotaBlocked}},
		"blocked, not to be kept":   {id: "a", account: mallory, want: stored{Address: "cache/batch/1-.png", Expires: true}},
		"the library fails":         {id: "a", save: true, fails: under(blobkey.Media.Prefix()), want: stored{Address: "cache/batch/1-.png", Expires: true, Warning: preload.PersistFailed}},
		"the name is too long":      {id: strings.Repeat("x", 250), save: true, want: stored{Address: "cache/batch/1-.png", Expires: true, Warning: preload.PersistFailed}},
		"only the web form fails":   {id: "a", save: true, web: true, fails: func(_ string, put int) bool { return put == 2 }, want: stored{Address: "cache/batch/1-.png", Web: "cache/batch/1--web.mp4", Expires: true, Warning: preload.PersistFailed}},
		"the cache fails":           {id: "a", fails: under(blobkey.Prepared.Prefix()), err: broken},
		"both fail, to be tried on": {id: "a", save: true, fails: under(""), err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			addresses, err := media.NewAddresses("https://video.test", make([]byte, 16))
			l.must(err)
			var shown []eventstore.Position
			s := preloads.NewPreparedStore(preloads.PreparedStoreConfig{
				Files: l.files, Keep: l.keep, Addresses: addresses, Prices: prices, Now: l.clock, TTL: time.Hour,
				Shown: func(_ context.Context, at eventstore.Position) { shown = append(shown, at) },
			})
			p := prepared(t, tt.web)
			l.failPuts(tt.fails, broken)
			account := tt.account
			if account == "" {
				account = alice
			}
			job := commands.PrepareJob{Account: account, Batch: "batch", Item: preload.Wanted{Item: preload.Item{ID: tt.id, Save: tt.save}}}
			r, err := s.Store(t.Context(), job, p)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			got := stored{Persistent: r.Name != "", Expires: r.ExpiresAt != nil, Warning: r.Warning}
			got.Address, got.Web = preloads.PreparedAddresses(addresses, account, r)
			got.Address, got.Web = withoutRandom(got.Address), withoutRandom(got.Web)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			if end := l.end(); r.Name != "" && (len(shown) == 0 || shown[len(shown)-1] != end) {
				t.Errorf("the library was waited for until %v, its last event is at %v", shown, end)
			}
			if r.Size != 5 || r.Width != 30 {
				t.Errorf("%+v", r)
			}
			if name := "batch-" + tt.id + p.Extension; r.Warning == preload.PersistFailed && len(name) < 250 {
				l.failPuts(nil, nil)
				again, err := l.keep.Handle(t.Context(), mediafiles.KeepMedia{Account: account, Name: name, Size: 5, Open: opener(p.Path)})
				if err != nil || again.Name != name {
					t.Errorf("an asset outside of the library is there too: the next one is %s, %v", again.Name, err)
				}
			}
		})
	}
}

// Two elements of a movie that have the same id are two assets; another attempt at the movie stores neither again. Decision 47.
func TestPreparedStore_KeepMade_sameName(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	s := preloads.NewPreparedStore(preloads.PreparedStoreConfig{
		Files: l.files, Keep: l.keep, Now: l.clock, TTL: time.Hour, Shown: func(context.Context, eventstore.Position) {},
	})
	for range 2 {
		for before := range 2 {
			l.must(s.KeepMade(t.Context(), alice, "Abcd1234Efgh5678", "voice", before, prepared(t, false)))
		}
	}
	next, err := l.keep.Handle(t.Context(), mediafiles.KeepMedia{
		Account: alice, Name: "Abcd1234Efgh5678-voice.png", Size: 5, Open: opener(prepared(t, false).Path),
	})
	if err != nil || next.Name != "Abcd1234Efgh5678-voice-3.png" {
		t.Errorf("after two assets comes %s, %v", next.Name, err)
	}
}

// opener opens a local file.
func opener(path string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return os.Open(path) }
}

// failPuts makes those writes fail for which fails returns true; nil: none.
func (l *library) failPuts(fails func(key string, put int) bool, with error) {
	puts := 0
	l.files.Fail(func(call, key string) error {
		if call == "put" {
			puts++
		}
		if call == "put" && fails != nil && fails(key, puts) {
			return with
		}
		return nil
	})
}

// under returns a function for failPuts that selects the keys with a prefix.
func under(prefix string) func(string, int) bool {
	return func(key string, _ int) bool { return strings.HasPrefix(key, prefix) }
}

// prepared is an asset on the disk, with a form for browsers or without.
func prepared(t *testing.T, web bool) commands.Prepared {
	t.Helper()
	p := commands.Prepared{Path: filepath.Join(t.TempDir(), "a.png"), Extension: ".png", ContentType: "image/png", Size: 5, Width: 30, Height: 20}
	err := os.WriteFile(p.Path, []byte("asset"), 0o600)
	if web {
		p.Web, p.WebExtension, p.WebType = filepath.Join(t.TempDir(), "a.mp4"), ".mp4", "video/mp4"
		err = errors.Join(err, os.WriteFile(p.Web, []byte("derivative"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withoutRandom returns an address without its base, the account's token and the random part of a key outside of the
// library.
func withoutRandom(address string) string {
	if address == "" {
		return ""
	}
	parts := strings.SplitN(strings.TrimPrefix(address, "https://video.test/v2/media/"), "/", 2)
	if folder, name, cached := strings.Cut(parts[1], "/1-"); cached {
		return folder + "/1-" + name[20:]
	}
	return parts[1]
}

// end returns the position of the last event of the log.
func (l *library) end() eventstore.Position {
	l.t.Helper()
	for last, err := range l.store.ReadAll(l.t.Context(), eventstore.Backwards, eventstore.Position{}) {
		l.must(err)
		return last.Position
	}
	l.t.Fatal("the log is empty")
	return eventstore.Position{}
}

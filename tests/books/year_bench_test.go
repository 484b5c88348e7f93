package books_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
)

// dated is a log whose events were created when their metadata say: the embedded event store has no clock that a test could set.
type dated struct{ eventstore.Store }

func (d dated) ReadStream(
	ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	return redated(d.Store.ReadStream(ctx, stream, dir, from))
}

func (d dated) ReadAll(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	return redated(d.Store.ReadAll(ctx, dir, from))
}

func redated(events iter.Seq2[eventstore.Recorded, error]) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for event, err := range events {
			var meta eventstore.Metadata
			if err == nil && json.Unmarshal(event.Metadata, &meta) == nil && !meta.Time.IsZero() {
				event.Created = meta.Time
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// diskFolder are archive files in a folder.
type diskFolder string

func (d diskFolder) Put(_ context.Context, key string, r io.Reader) error {
	content, err := io.ReadAll(r)
	path := filepath.Join(string(d), filepath.FromSlash(key))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	return err
}

func (d diskFolder) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	return os.Open(filepath.Join(string(d), filepath.FromSlash(key)))
}

func (d diskFolder) Delete(_ context.Context, key string) error {
	return os.Remove(filepath.Join(string(d), filepath.FromSlash(key)))
}

// bytesIn returns the bytes of all files in a folder.
func bytesIn(t testing.TB, dir string) (sum int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// ownLog is an embedded event store in a folder, and its client.
type ownLog struct {
	dir    string
	server *embedded.Server
	served chan error
	client *eventstoredb.Store
}

// start opens the event store and reads the end of its log. It returns how long that took.
func (o *ownLog) start(t testing.TB) time.Duration {
	t.Helper()
	begun := time.Now()
	var err error
	if o.server, err = embedded.Open(embedded.Config{Dir: o.dir, NeedsPass: true}); err != nil {
		t.Fatal(err)
	}
	o.served = make(chan error, 1)
	go func(server *embedded.Server, served chan error) { served <- server.Serve() }(o.server, o.served)
	if o.client, err = eventstoredb.Open(eventstoredb.Config{Addr: o.server.Addr()}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.client.Head(context.Background()); err != nil {
		t.Fatal(err)
	}
	return time.Since(begun)
}

func (o *ownLog) stop(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	if err := errors.Join(o.client.Close(ctx), o.server.Close(ctx), <-o.served); err != nil {
		t.Fatal(err)
	}
}

// number returns the number in an environment variable, or another one.
func number(t testing.TB, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// BenchmarkYear simulates a year of 1,000 movies a day of one account with an embedded event store and --history 720h, and prints
// what there is at the end of each month. MOVIOLA_BENCH_MOVIES gives another number of movies a day.
func BenchmarkYear(b *testing.B) {
	movies := number(b, "MOVIOLA_BENCH_MOVIES", 1000)
	o, files := &ownLog{dir: b.TempDir()}, b.TempDir()
	o.start(b)
	at := &dated{}
	at.Store = o.client
	y := newYear(b, func(func() time.Time) eventstore.Store { return at }, func(func() time.Time) archived.Files { return diskFolder(files) })
	fmt.Printf("%d movies a day\n| Month | Movies | Log, MB | of it in use, MB | Archive, MB | Start of the log, ms | Start of the ledger, ms | Events read | Longest round of the keeper, ms |\n|---|---|---|---|---|---|---|---|---|\n", movies)
	for range 12 {
		longest := time.Duration(0)
		month := y.now.Month()
		for y.now.Month() == month {
			longest = max(longest, y.day(movies))
		}
		if _, err := eventstoredb.Scavenge(b.Context(), eventstoredb.Config{Addr: o.server.Addr()}); err != nil {
			b.Fatal(err)
		}
		o.stop(b)
		started := o.start(b)
		at.Store = o.client
		begun := time.Now()
		totals, read := y.fold()
		folded := time.Since(begun)
		if totals.Charged != int64(7*y.next) {
			b.Fatalf("charged %d", totals.Charged)
		}
		stats, err := logfile.LogStats(b.Context(), o.dir)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Printf("| %d | %d | %.1f | %.1f | %.1f | %d | %d | %d | %d |\n", int(month), y.next, float64(bytesIn(b, o.dir))/1e6,
			float64(stats.FileBytes-stats.FreeBytes)/1e6, float64(bytesIn(b, files))/1e6,
			started.Milliseconds(), folded.Milliseconds(), read, longest.Milliseconds())
	}
	o.stop(b)
}

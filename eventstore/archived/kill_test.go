package archived_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"moviola/eventstore"
	"moviola/eventstore/archived"
)

var errKilled = errors.New("killed")

// killer ends a process at one of its steps: an append, or a call that changes files. After that nothing works any more.
type killer struct {
	mu    sync.Mutex
	left  int  // steps until the end
	after bool // the last step is done, and its outcome not heard of
	dead  bool
	what  string // the last step
}

// step calls do, unless the process has ended or ends with it.
func (k *killer) step(what string, do func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return errKilled
	}
	if k.left--; k.left > 0 {
		return do()
	}
	k.dead, k.what = true, what
	if k.after {
		_ = do() // nobody hears of the outcome
	}
	return errKilled
}

// mortal is the log of a process that is killed.
type mortal struct {
	eventstore.Store
	*killer
}

func (m mortal) Append(
	ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed,
) (done eventstore.Appended, err error) {
	err = m.step("append to "+stream, func() error {
		done, err = m.Store.Append(ctx, stream, expected, events...)
		return err
	})
	return done, err
}

// mortalFiles are the files of a process that is killed.
type mortalFiles struct {
	*folder
	*killer
}

func (m mortalFiles) Put(ctx context.Context, key string, r io.Reader) error {
	return m.step("put", func() error { return m.folder.Put(ctx, key, r) })
}

func (m mortalFiles) Open(ctx context.Context, key string) (file io.ReadSeekCloser, err error) {
	err = m.step("open", func() error {
		file, err = m.folder.Open(ctx, key)
		return err
	})
	return file, err
}

// Whatever step a process is killed at, every answer is the same then, and after another process has gone on.
func TestArchive_killed(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			steps := 1
			if removes(kind) {
				steps = 4 // each takes an event store of its own
			}
			for _, after := range []bool{false, true} {
				for n := 1; ; n += steps {
					if !killAt(t, open(t), removes(kind), n, after) {
						break
					}
				}
			}
		})
	}
}

// killAt archives in a process that is killed at its nth step, then in another one. It returns false when there is no such step.
func killAt(t *testing.T, log eventstore.Store, removes bool, n int, after bool) bool {
	t.Helper()
	files, k := newFolder(), &killer{left: n, after: after}
	streams := fillLog(t, log, 5, 3000)
	before := ask(t, log, streams)
	_, err := newArchive(mortal{log, k}, mortalFiles{files, k}, "movie").Archive(t.Context(), later())
	if !k.dead {
		if err != nil {
			t.Fatal(err)
		}
		return false
	}
	if !errors.Is(err, errKilled) {
		t.Fatalf("killed at step %d: %v", n, err)
	}
	when := fmt.Sprintf("killed at step %d, %s (done: %v)", n, k.what, after)
	wantSame(t, when, before, ask(t, newArchive(log, files, "movie"), streams))
	store := newArchive(log, files, "movie")
	if _, err := store.Archive(t.Context(), later()); err != nil {
		t.Fatalf("%s; going on: %v", when, err)
	}
	if removes {
		awaitLeft(t, log, kept(log, before, streams))
	}
	wantSame(t, when+" and gone on", before, ask(t, store, streams))
	wantSame(t, when+" and started anew", before, ask(t, newArchive(log, files, "movie"), streams))
	return true
}

// Of processes that archive at once all but one may give way, and nothing is lost or doubled.
func TestArchive_twice(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			log, files := open(t), newFolder()
			streams := fillLog(t, log, 20, 100)
			before := ask(t, log, streams)
			var both sync.WaitGroup
			for range 3 {
				both.Go(func() {
					_, err := newArchive(log, files, "movie").Archive(t.Context(), later())
					if err != nil && !errors.Is(err, archived.ErrBusy) {
						t.Error(err)
					}
				})
			}
			both.Wait()
			store := newArchive(log, files, "movie")
			if _, err := store.Archive(t.Context(), later()); err != nil {
				t.Fatal(err)
			}
			wantSame(t, "after three at once", before, ask(t, store, streams))
			named := 0
			for event, err := range log.ReadStream(t.Context(), archived.CatalogStream, eventstore.Forwards, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(event.Data), `"key"`) {
					named++
				}
			}
			if named != len(files.files) {
				t.Errorf("%d files are named, %d are there", named, len(files.files))
			}
		})
	}
}

// A file that is damaged or gone is named, and never read as if its events were not there.
func TestArchive_damaged(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]func(*folder, string){
		"gone":      func(f *folder, key string) { delete(f.files, key) },
		"cut":       func(f *folder, key string) { f.files[key] = f.files[key][:len(f.files[key])/2] },
		"a block":   func(f *folder, key string) { f.files[key][10] ^= 1 },
		"directory": func(f *folder, key string) { f.files[key][len(f.files[key])-10] ^= 1 },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			log, files := kinds["memory"](t), newFolder()
			fillLog(t, log, 9, 300)
			if _, err := newArchive(log, files, "movie").Archive(t.Context(), later()); err != nil {
				t.Fatal(err)
			}
			for key := range files.files {
				damage(files, key)
				store := newArchive(log, files, "movie")
				for name, read := range map[string]func() error{
					"stream": func() (last error) {
						for _, last = range store.ReadStream(t.Context(), "movie-1", eventstore.Forwards, 0) {
						}
						return last
					},
					"all": func() (last error) {
						for _, last = range store.ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
						}
						return last
					},
				} {
					if err := read(); err == nil || !strings.Contains(err.Error(), key) {
						t.Errorf("%s: the error is %v", name, err)
					}
				}
			}
		})
	}
}

package commands_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/domain/key"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// fog is a store that hides the streams of a category, like a node of the event store that lags behind. hides reports for
// each read of such a stream, counted from 1, whether the stream is hidden.
type fog struct {
	eventstore.Store
	category string
	hides    func(read int) bool

	mu    sync.Mutex
	reads int
}

func (f *fog) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	if category, _ := eventstore.SplitStream(stream); category == f.category {
		f.mu.Lock()
		f.reads++
		hidden := f.hides(f.reads)
		f.mu.Unlock()
		if hidden {
			return func(func(eventstore.Recorded, error) bool) {}
		}
	}
	return f.Store.ReadStream(ctx, stream, dir, from)
}

// inFog calls do with a log that hides streams of a category.
func (w *world) inFog(category string, hides func(read int) bool, do func() error) error {
	clear := w.log
	defer func() { w.log = clear }()
	w.log = eventstore.NewLog(&fog{Store: w.store, category: category, hides: hides}, eventstore.NewCodec())
	return do()
}

func (w *world) requireUnseen(what string, err error) {
	w.t.Helper()
	if !errors.Is(err, eventstore.ErrUnavailable) {
		w.t.Errorf("%s: %v, want an outage", what, err)
	}
}

func always(int) bool          { return true }
func onlyFirst(read int) bool  { return read == 1 }
func afterFirst(read int) bool { return read > 1 }

// TestUnseen: when an event that was acknowledged cannot be read, the command fails. It never returns zero values. Decision
// 60.
func TestUnseen(t *testing.T) {
	t.Parallel()
	t.Run("the first key of an account", func(t *testing.T) {
		t.Parallel()
		w := newEmptyWorld(t)
		w.requireUnseen("open", w.inFog(account.StreamCategory, always, func() error {
			return second(w.openAccount(accounts.OpenAccount{ID: alice, Name: "Alice"}))
		}))
	})
	t.Run("the time of a deletion", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.finishedMovie(project)
		w.requireUnseen("delete", w.inFog(movie.StreamCategory, afterFirst, func() error { return second(w.deleteFile(alice)) }))
		w.must(second(w.deleteFile(alice)))
	})
	t.Run("the time of a revocation", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		issued, err := w.issueKey(accounts.IssueKey{Account: alice, Name: "ci", Role: key.Render})
		w.must(err)
		revoke := func() error { return second(w.revokeKey(accounts.RevokeKey{ID: issued.ID, Account: alice})) }
		w.requireUnseen("revoke", w.inFog(key.StreamCategory, afterFirst, revoke))
		w.must(revoke())
	})
}

// TestUnseen_batch: a preload batch that the first read does not find keeps its document and its hold. Decision 60.
func TestUnseen_batch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	id, err := w.request(preloadBatch)
	w.must(err)
	w.wait(age)
	w.requireUnseen("settle", w.inFog(preload.StreamCategory, onlyFirst, func() error { return w.settleItem(id, 0) }))
	w.wantCredits(0, 10)
	w.wantFiles(blobkey.Request(alice, id))
}

// TestUnseen_purge: a file whose RenderFinished the first read does not find may be later than the purge, and stays.
// Decision 60.
func TestUnseen_purge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before, err := w.log.End(t.Context())
	w.must(err)
	w.finishedMovie(project)
	requireNothing(t, w.inFog(movie.StreamCategory, onlyFirst, func() error {
		return commands.NewPurgeFileHandler(w.log, w.files, w.clock).Handle(t.Context(), commands.PurgeFile{Project: project, Before: before})
	}))
	w.wantFiles(blobkey.RendersOf(project) + "1.mp4")
}

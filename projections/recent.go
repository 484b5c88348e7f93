package projections

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// recentAge is how long a document may be served from memory. The limit matters when the Reader of this process
	// hangs: then the process does not learn that other processes have changed the document.
	recentAge = time.Second
	// maxRecent is the maximum of documents in memory.
	maxRecent = 4096
)

// recent caches decoded documents that were read since the read models last changed, such as a movie that a client
// polls, and its account. It is used while the Reader runs, which reports every change that it sees. The documents in
// it are shared: nobody may modify them.
type recent struct {
	running atomic.Bool
	changes atomic.Uint64

	mu    sync.Mutex
	since uint64 // value of the field `changes` when the first document in docs was read
	until time.Time
	docs  map[recentKey]any
}

type recentKey struct{ collection, id string }

// stored is a document, or the fact that it does not exist.
type stored[T any] struct {
	doc   T
	found bool
}

// mark returns the number of changes so far. A reader takes it before it reads a document and passes it to recall and
// keep. mark returns false while the Reader does not run: then nothing is cached.
func (r *recent) mark() (uint64, bool) { return r.changes.Load(), r.running.Load() }

// changed invalidates everything that was read before.
func (r *recent) changed() { r.changes.Add(1) }

// recall returns a document from the cache, if it was cached since the last change; mark is what recent.mark returned.
func recall[T any](r *recent, mark uint64, key recentKey) (stored[T], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since != mark || time.Now().After(r.until) {
		return stored[T]{}, false
	}
	known, ok := r.docs[key].(stored[T])
	return known, ok
}

// keep caches a document that was read from the store. The caller has taken mark, the number of changes of the read
// models, from recent.mark before it read the document. So keep can tell whether the cached documents are older than
// this one.
func keep[T any](r *recent, mark uint64, key recentKey, doc stored[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); r.docs == nil || mark > r.since || now.After(r.until) || len(r.docs) >= maxRecent {
		r.docs, r.since, r.until = make(map[recentKey]any), mark, now.Add(recentAge)
	}
	if mark == r.since {
		r.docs[key] = doc
	}
}

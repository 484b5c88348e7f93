package projections

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// recentAge bounds how long a document may be answered from memory: a process whose Reader is held up does not know what others
	// have written.
	recentAge = time.Second
	// maxRecent bounds the documents in memory.
	maxRecent = 4096
)

// recent keeps the documents that were read since the read models last changed, decoded: what is asked for again and again is the
// movie that is waited for, and its account. It is used while the Reader runs, which tells it of every change that it sees.
// Nobody changes what a document from here points to.
type recent struct {
	running atomic.Bool
	changes atomic.Uint64

	mu    sync.Mutex
	since uint64 // changes when the first of docs was read
	until time.Time
	docs  map[recentKey]any
}

type recentKey struct{ collection, id string }

// stored is a document, or that there is none.
type stored[T any] struct {
	doc   T
	found bool
}

// mark is what a reader takes before it reads, to say with keep how new its document is at least. False: nothing is kept now.
func (r *recent) mark() (uint64, bool) { return r.changes.Load(), r.running.Load() }

// changed makes everything that was read before this moment unfit.
func (r *recent) changed() { r.changes.Add(1) }

// recall returns a document that was read after the last change.
func recall[T any](r *recent, mark uint64, key recentKey) (stored[T], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since != mark || time.Now().After(r.until) {
		return stored[T]{}, false
	}
	known, ok := r.docs[key].(stored[T])
	return known, ok
}

// keep remembers a document that was read after mark was taken.
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

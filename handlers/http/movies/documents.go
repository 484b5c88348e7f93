package movies

import (
	"bytes"
	"container/list"
	"encoding/json"
	"sync"

	"moviola/domain/result"
)

// The bounds of what is kept of documents, and as much again of their echoes: of all together, and of one, in bytes.
const (
	maxKeptBytes    = 32 << 20
	maxKeptDocument = 256 << 10
	keptOverhead    = 512 // of an entry beside its text
)

// posted is a movie's JSON as it was posted, and what the client wants to see of it again.
type posted struct {
	json json.RawMessage
	echo result.Echo
}

// documents keeps the posted JSON that was asked for last. A movie is asked for many times, and its document never changes.
// The zero documents keeps nothing yet; it is safe for concurrent use.
type documents struct {
	mu    sync.Mutex
	bytes int
	byKey map[string]*list.Element
	order list.List // of *kept, the last used first
}

type kept struct {
	key string
	doc posted
}

func (k *kept) size() int {
	return len(k.key) + len(k.doc.json) + len(k.doc.echo.ClientData) + keptOverhead
}

// get returns a document that is kept.
func (d *documents) get(key string) (posted, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.byKey[key]
	if !ok {
		return posted{}, false
	}
	d.order.MoveToFront(found)
	return found.Value.(*kept).doc, true
}

// put keeps a document, unless it is large, and lets go of those that were not used for longest.
func (d *documents) put(key string, doc posted) {
	if len(doc.json)+len(doc.echo.ClientData) > maxKeptDocument {
		return
	}
	doc.json = bytes.Clone(doc.json)                       // reading has left room behind it
	doc.echo.ClientData = bytes.Clone(doc.echo.ClientData) // else it would hold the whole document
	entry := &kept{key: key, doc: doc}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := d.byKey[key]; there {
		return
	}
	if d.byKey == nil {
		d.byKey = map[string]*list.Element{}
	}
	d.byKey[key] = d.order.PushFront(entry)
	for d.bytes += entry.size(); d.bytes > maxKeptBytes; {
		oldest := d.order.Back()
		gone := d.order.Remove(oldest).(*kept)
		delete(d.byKey, gone.key)
		d.bytes -= gone.size()
	}
}

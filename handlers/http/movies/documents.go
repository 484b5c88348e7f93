package movies

import (
	"bytes"
	"container/list"
	"encoding/json"
	"sync"

	"moviola/domain/result"
)

// Limits of each postedCache, in bytes: of all its documents together, and of one document.
const (
	maxKeptBytes    = 32 << 20
	maxKeptDocument = 256 << 10
	keptOverhead    = 512 // memory that a cached document needs beside its text, in bytes
)

// posted is what answers contain of the JSON that was posted for a movie. The field json is all of it, without the secrets
// of destinations; empty: only echo is known. The field echo has the values that are only for the client (ID and ClientData).
type posted struct {
	json json.RawMessage
	echo result.Echo
}

// size returns the length of the texts in bytes. A client chooses the length of each.
func (p posted) size() int { return len(p.json) + len(p.echo.ID) + len(p.echo.ClientData) }

// postedCache caches the posted JSON, or only the client's own values in it, of the movies that were requested last. A
// client requests a movie many times, and the JSON that was posted never changes. Large documents are not cached. The zero
// postedCache is empty. A postedCache is safe for concurrent use.
type postedCache struct {
	mu    sync.Mutex
	bytes int
	byKey map[string]*list.Element
	order list.List // elements are *kept, the most recently used first
}

type kept struct {
	key string
	doc posted
}

func (k *kept) size() int { return len(k.key) + k.doc.size() + keptOverhead }

// get returns a cached document; false: the document is not cached.
func (d *postedCache) get(key string) (posted, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.byKey[key]
	if !ok {
		return posted{}, false
	}
	d.order.MoveToFront(found)
	return found.Value.(*kept).doc, true
}

// put caches a document, unless it is too large, and evicts the documents that were unused for longest.
func (d *postedCache) put(key string, doc posted) {
	if doc.size() > maxKeptDocument {
		return
	}
	doc.json = bytes.Clone(doc.json)                       // the copy has no spare capacity, unlike the slice that was read
	doc.echo.ClientData = bytes.Clone(doc.echo.ClientData) // without the copy, the client data would keep all JSON in memory
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

package archived

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
)

// CatalogStream is the catalogue: the stream whose events name the archive files. These events have system types, so readers of
// the log do not get them.
const CatalogStream = "archive-files"

const (
	// an archive file was written, or all streams up to a position were examined and none could be archived
	archivedType  = "$archived"
	truncatedType = "$truncated" // the streams of an archive file are truncated in the log
	// the log may collapse archived streams from here on; a version that does not know this type refuses the catalogue
	collapsingType = "$collapsing"
)

// Entry is an archive file as the catalogue describes it.
type Entry struct {
	Revision eventstore.Revision `json:"-"` // revision of the catalogue's event that names the file

	// storage key of the archive file; empty: the entry names no file, because no stream could be archived
	Key       string              `json:"key,omitempty"`
	Hash      string              `json:"hash,omitempty"`     // hex SHA-256 of the archive file
	Directory span                `json:"directory,omitzero"` // place and checksum of the file's directory: its list of blocks
	Events    int                 `json:"events,omitempty"`   // number of events in the archive file
	Streams   int                 `json:"streams,omitempty"`  // number of streams in the archive file
	Bytes     int64               `json:"bytes,omitempty"`    // size of the archive file in bytes
	First     eventstore.Position `json:"first,omitzero"`     // position in the log of the archive file's first event
	Last      eventstore.Position `json:"last,omitzero"`      // position in the log of the archive file's last event
	// Through is a position in the log. The rule named Lane has examined every stream whose newest event is at or before
	// it.
	Through eventstore.Position `json:"through"`
	Lane    string              `json:"lane,omitempty"` // name of the rule by which streams were chosen (Rule.Lane)
}

// truncation is the content of the catalogue's event which says that the streams of a file are truncated in the log.
type truncation struct {
	File eventstore.Revision `json:"file"`
	// the log may collapse those of the streams that have ended
	Collapse bool `json:"collapse,omitempty"`
}

// catalog caches the catalogue of archive files in this process. It is safe for concurrent use.
type catalog struct {
	log eventstore.Store

	reading chan struct{} // has room for the one goroutine that reads the catalogue

	mu   sync.Mutex
	last eventstore.Revision
	// entries that name a file, in the order of the catalogue; the slice is replaced, never changed
	entries []Entry
	// position up to which each rule has examined the log, by the name of the rule (Entry.Lane)
	through map[string]eventstore.Position
	// revisions of the entries whose streams may not be truncated yet: the catalogue has no event $truncated for them
	open map[eventstore.Revision]bool
	// revisions of the entries whose streams were truncated when the log could not collapse streams yet
	whole      map[eventstore.Revision]bool
	collapsing bool  // the catalogue has an event $collapsing
	cuts       []cut // one for each archive file whose streams were truncated, in the order of the catalogue
}

// cut says when the streams of an archive file were truncated, and how many events the file has.
type cut struct {
	at     time.Time
	events int
}

func newCatalog(log eventstore.Store) *catalog {
	return &catalog{
		log: log, reading: make(chan struct{}, 1), last: eventstore.NoStream, through: map[string]eventstore.Position{},
		open: map[eventstore.Revision]bool{}, whole: map[eventstore.Revision]bool{},
	}
}

// refresh reads the catalogue's events that were appended before the call began, and returns all entries that name a file.
func (c *catalog) refresh(ctx context.Context) ([]Entry, error) {
	select {
	case c.reading <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("read the catalogue of the archive: %w", ctx.Err())
	}
	defer func() { <-c.reading }()
	c.mu.Lock()
	from := c.last + 1
	c.mu.Unlock()
	for event, err := range c.log.ReadStream(ctx, CatalogStream, eventstore.Forwards, from) {
		if err == nil {
			err = c.add(event)
		}
		if err != nil {
			return nil, fmt.Errorf("read the catalogue of the archive: %w", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries, nil
}

// add updates the cached catalogue with one event of the catalogue.
func (c *catalog) add(event eventstore.Recorded) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event.Type {
	case archivedType:
		entry := Entry{Revision: event.Revision}
		if err := json.Unmarshal(event.Data, &entry); err != nil {
			return fmt.Errorf("event %d: %w", event.Revision, err)
		}
		if entry.Key != "" {
			c.entries = append(slices.Clip(c.entries), entry)
			c.open[event.Revision] = true
		}
		c.through[entry.Lane] = entry.Through
	case truncatedType:
		var done truncation
		if err := json.Unmarshal(event.Data, &done); err != nil {
			return fmt.Errorf("event %d: %w", event.Revision, err)
		}
		if c.open[done.File] {
			delete(c.open, done.File)
			if entry, found := find(c.entries, done.File); found {
				c.cuts = append(c.cuts, cut{at: event.Created, events: entry.Events})
			}
			c.whole[done.File] = true
		}
		if done.Collapse {
			delete(c.whole, done.File)
		}
	case collapsingType:
		c.collapsing = true
	default:
		return fmt.Errorf("event %d has the type %s, which this version does not know: start the newer version", event.Revision,
			event.Type)
	}
	c.last = event.Revision
	return nil
}

// at returns the entry at a revision of the catalogue.
func (c *catalog) at(ctx context.Context, revision eventstore.Revision) (Entry, error) {
	c.mu.Lock()
	entries, known := c.entries, c.last >= revision
	c.mu.Unlock()
	if !known {
		var err error
		if entries, err = c.refresh(ctx); err != nil {
			return Entry{}, err
		}
	}
	entry, found := find(entries, revision)
	if !found {
		return Entry{}, errors.New("the catalogue of the archive does not have its file")
	}
	return entry, nil
}

// find returns the entry that was made at a revision of the catalogue; false: entries does not have it.
func find(entries []Entry, revision eventstore.Revision) (Entry, bool) {
	i, found := slices.BinarySearchFunc(entries, revision, func(e Entry, r eventstore.Revision) int { return int(e.Revision - r) })
	if !found {
		return Entry{}, false
	}
	return entries[i], true
}

// Truncated says how many events are in the archive files whose streams were truncated in the log since a moment. The
// newest event that an archive file has of a stream is counted too, although it stays in the log at first.
type Truncated struct {
	Events int       // number of events in these archive files
	First  time.Time // when the streams of the first of them were truncated; the zero time: there are none
}

// Truncated counts the events in the archive files whose streams were truncated in the log after a moment. A log that does
// not remove truncated events by itself still has them, unless it was scavenged.
func (s *Store) Truncated(ctx context.Context, since time.Time) (Truncated, error) {
	if _, err := s.catalog.refresh(ctx); err != nil {
		return Truncated{}, err
	}
	s.catalog.mu.Lock()
	defer s.catalog.mu.Unlock()
	var all Truncated
	for _, c := range s.catalog.cuts {
		if !c.at.After(since) {
			continue
		}
		if all.Events += c.events; all.First.IsZero() {
			all.First = c.at
		}
	}
	return all, nil
}

// state returns the last revision of the catalogue, and the position up to which the rule named lane has examined the
// log. open lists the entries whose streams may not be truncated yet: the catalogue has no event $truncated for them.
func (c *catalog) state(lane string) (last eventstore.Revision, through eventstore.Position, open []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range c.entries {
		if c.open[entry.Revision] {
			open = append(open, entry)
		}
	}
	return c.last, c.through[lane], open
}

// uncollapsed lists the entries whose streams were truncated so that the log must not collapse them.
func (c *catalog) uncollapsed() (entries []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range c.entries {
		if c.whole[entry.Revision] {
			entries = append(entries, entry)
		}
	}
	return entries
}

// announced reports whether the catalogue says that the log may collapse streams.
func (c *catalog) announced() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.collapsing
}

// append adds an event to the catalogue, whose last revision must be the parameter after, and returns the new last
// revision. When the catalogue has another last revision, the error is ErrConflict.
func (c *catalog) append(ctx context.Context, after eventstore.Revision, kind string, content any) (eventstore.Revision, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return 0, err
	}
	done, err := c.log.Append(ctx, CatalogStream, after, eventstore.Proposed{ID: uuid.New(), Type: kind, Data: data})
	return done.Revision, err
}

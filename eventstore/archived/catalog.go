package archived

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"moviola/eventstore"
)

// CatalogStream names the archive files. Its events have system types, so that nobody who reads the log sees them.
const CatalogStream = "archive-files"

const (
	archivedType  = "$archived"  // a file was archived, or there was nothing to archive up to a place
	truncatedType = "$truncated" // the streams of a file are truncated in the log
)

// Entry is an archive file, as the catalogue names it.
type Entry struct {
	Revision eventstore.Revision `json:"-"` // of its event in the catalogue

	Key       string              `json:"key,omitempty"`      // empty: no file
	Hash      string              `json:"hash,omitempty"`     // hex SHA-256 of the file
	Directory span                `json:"directory,omitzero"` // where the file's directory is
	Events    int                 `json:"events,omitempty"`   // number of events
	Streams   int                 `json:"streams,omitempty"`  // number of streams
	Bytes     int64               `json:"bytes,omitempty"`    // size of the file
	First     eventstore.Position `json:"first,omitzero"`     // position of the first event
	Last      eventstore.Position `json:"last,omitzero"`      // position of the last event
	Through   eventstore.Position `json:"through"`            // streams whose newest event is up to here need not be looked at again
}

// truncation is the content of the event that says that a file's streams are truncated.
type truncation struct {
	File eventstore.Revision `json:"file"`
}

// catalog is what a process knows of the catalogue. It is safe for concurrent use.
type catalog struct {
	log eventstore.Store

	reading sync.Mutex // one read at a time

	mu      sync.Mutex
	last    eventstore.Revision
	entries []Entry                      // those with a file, in the order of the catalogue; replaced, never changed
	through eventstore.Position          // of the newest entry
	open    map[eventstore.Revision]bool // entries whose streams may not be truncated yet
}

func newCatalog(log eventstore.Store) *catalog {
	return &catalog{log: log, last: eventstore.NoStream, open: map[eventstore.Revision]bool{}}
}

// refresh reads what was added to the catalogue before the call began, and returns all entries.
func (c *catalog) refresh(ctx context.Context) ([]Entry, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
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

// add applies an event of the catalogue.
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
		c.through = entry.Through
	case truncatedType:
		var done truncation
		if err := json.Unmarshal(event.Data, &done); err != nil {
			return fmt.Errorf("event %d: %w", event.Revision, err)
		}
		delete(c.open, done.File)
	default:
		return fmt.Errorf("event %d has the type %s, which this version does not know: start the newer version", event.Revision,
			event.Type)
	}
	c.last = event.Revision
	return nil
}

// at returns the entry with a revision.
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
	i, found := slices.BinarySearchFunc(entries, revision, func(e Entry, r eventstore.Revision) int { return int(e.Revision - r) })
	if !found {
		return Entry{}, errors.New("the catalogue of the archive does not have its file")
	}
	return entries[i], nil
}

// state returns the revision of the catalogue, up to where streams were looked at, and the entries that are not truncated yet.
func (c *catalog) state() (last eventstore.Revision, through eventstore.Position, open []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range c.entries {
		if c.open[entry.Revision] {
			open = append(open, entry)
		}
	}
	return c.last, c.through, open
}

// append adds an event to the catalogue after its last known one, and returns its revision.
func (c *catalog) append(ctx context.Context, after eventstore.Revision, kind string, content any) (eventstore.Revision, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return 0, err
	}
	done, err := c.log.Append(ctx, CatalogStream, after, eventstore.Proposed{ID: uuid.New(), Type: kind, Data: data})
	return done.Revision, err
}

package logfile

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Reserved names, event types and revisions, for the metadata of streams and for deleted streams.
const (
	MetaPrefix  = "$$" // the stream with the metadata of a stream is named by this prefix and the name of that stream
	MetaType    = "$metadata"
	SoftDeleted = math.MaxInt64 // value of $tb in the metadata of a softly deleted stream
	// eventstore.CollapseProperty: the stream may be collapsed once all its events are truncated
	collapseProperty = "moviolaCollapse"
	discardProperty  = "moviolaDiscard" // eventstore.DiscardProperty: nobody needs the stream once all its events are truncated
	TombstoneType    = "$streamDeleted"
	Tombstoned       = math.MaxInt64 // the revision of a tombstone: no other event can follow it
)

// Head is the state of a stream that its readers and writers need.
type Head struct {
	// revision of the newest event. It is -1 when the stream has no event yet, and the constant Tombstoned when the
	// stream is deleted for good.
	Last int64
	Meta streamMeta
}

// Tombstoned reports whether the stream is deleted for good.
func (h Head) Tombstoned() bool { return h.Last == Tombstoned }

// Limited reports whether retention may hide some of the stream's events from readers.
func (h Head) Limited() bool { return h.Tombstoned() || h.Meta.limited() }

// streamMeta is the part of a stream's metadata that retention acts on. It decides which events readers of the stream see;
// reads of the whole log return a hidden event until it is removed.
type streamMeta struct {
	Known          bool // false: the stream has no metadata
	truncateBefore int64
	maxCount       int64
	MaxAge         time.Duration
	discard        bool
	collapse       bool
}

// SoftDeleted reports whether the stream is deleted until its next event.
func (m streamMeta) SoftDeleted() bool { return m.truncateBefore == SoftDeleted }

// limited reports whether this metadata may hide some of the stream's events from readers.
func (m streamMeta) limited() bool { return m.truncateBefore > 0 || m.maxCount > 0 || m.MaxAge > 0 }

// Discarded reports whether nobody needs the stream any more: its metadata says so (discardProperty) and hides all its
// events by $tb. Then an append that expects no stream succeeds (Absent), and the stream may be removed as a whole.
func (h Head) Discarded() bool {
	return h.Meta.discard && !h.Tombstoned() && h.Last >= 0 && h.Meta.truncateBefore > h.Last
}

// Collapsible reports whether the stream may be collapsed: its metadata says so (collapseProperty) and hides all its events by
// $tb.
func (h Head) Collapsible() bool {
	return h.Meta.collapse && !h.Meta.discard && !h.Tombstoned() && !h.Meta.SoftDeleted() && h.Last >= 0 &&
		h.Meta.truncateBefore > h.Last
}

// Absent returns the revision at which the stream must end for an append that expects no stream. It is -1 or, when
// metadata discards events of the stream, the revision of the last discarded event.
func (h Head) Absent() int64 {
	if !h.Meta.discard || h.Tombstoned() {
		return -1
	}
	return min(h.Meta.truncateBefore-1, h.Last)
}

// ParseMeta reads a $metadata event. It ignores data that is not JSON, and fields that are not sensible numbers.
func ParseMeta(data []byte) streamMeta {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return streamMeta{Known: true}
	}
	number := func(name string) int64 {
		var value int64
		if json.Unmarshal(fields[name], &value) != nil {
			return 0
		}
		return max(value, 0)
	}
	meta := streamMeta{Known: true, truncateBefore: number("$tb"), maxCount: number("$maxCount")}
	flag := func(name string) bool { return string(fields[name]) == "true" }
	meta.discard, meta.collapse = flag(discardProperty), flag(collapseProperty)
	if seconds := number("$maxAge"); seconds < math.MaxInt64/int64(time.Second) {
		meta.MaxAge = time.Duration(seconds) * time.Second
	}
	return meta
}

// WithTruncateBefore returns metadata with another $tb; all other fields keep their values. Data that is not a JSON object
// is dropped.
func WithTruncateBefore(data []byte, revision int64) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(data, &fields) != nil || fields == nil { // the JSON value null leaves fields nil
		fields = map[string]json.RawMessage{}
	}
	fields["$tb"] = json.RawMessage(fmt.Sprint(revision))
	return json.Marshal(fields)
}

// FirstVisible is the lowest revision that $tb and $maxCount leave to readers. $maxAge is checked for each event.
func (h Head) FirstVisible() int64 {
	if h.Tombstoned() {
		return Tombstoned
	}
	first := h.Meta.truncateBefore
	if h.Meta.maxCount > 0 {
		first = max(first, h.Last-h.Meta.maxCount+1)
	}
	return max(first, 0)
}

// ExpiredBefore is the creation time, in ticks, before which $maxAge hides events.
func (h Head) ExpiredBefore(now time.Time) int64 {
	if h.Meta.MaxAge == 0 {
		return math.MinInt64
	}
	return Ticks(now.Add(-h.Meta.MaxAge))
}

// LoadHead reads a stream's head from the log.
func LoadHead(ctx context.Context, log Storage, stream string) (Head, error) {
	last, err := log.LastRevision(ctx, stream)
	if err != nil {
		return Head{}, err
	}
	if described, isMeta := strings.CutPrefix(stream, MetaPrefix); isMeta {
		base, err := log.LastRevision(ctx, described)
		if base == Tombstoned {
			last = Tombstoned // the tombstone applies to the metadata stream too
		}
		// a metadata stream has no metadata of its own: only its newest event applies
		return Head{Last: last, Meta: streamMeta{maxCount: 1}}, err
	}
	newest, err := NewestOf(ctx, log, MetaPrefix+stream)
	if err != nil || newest == nil {
		return Head{Last: last}, err
	}
	return Head{Last: last, Meta: ParseMeta(newest.Data)}, nil
}

// NewestOf returns a stream's newest record, nil when it has none.
func NewestOf(ctx context.Context, log Storage, stream string) (*Record, error) {
	page, err := log.ReadStream(ctx, stream, StreamPage{High: NoLimit, Until: NoLimit, Backwards: true, Limit: 1})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page[0], nil
}

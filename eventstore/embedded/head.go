package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

const (
	metaPrefix    = "$$" // this and a stream's name are the name of the stream that holds its metadata
	metaType      = "$metadata"
	softDeleted   = math.MaxInt64 // the $tb of a deleted stream
	tombstoneType = "$streamDeleted"
	tombstoned    = math.MaxInt64 // the revision of a tombstone: no other event can follow it
)

// head is the state of a stream that its readers and writers need.
type head struct {
	last int64 // revision of the newest event, -1 before the first; tombstoned when the stream is deleted for good
	meta streamMeta
}

func (h head) tombstoned() bool { return h.last == tombstoned }

// limited reports whether retention may hide some of the stream's events from readers.
func (h head) limited() bool { return h.tombstoned() || h.meta.limited() }

// streamMeta is the part of a stream's metadata that the server acts on. It decides what readers of the stream see; reads of the
// whole log still return every event.
type streamMeta struct {
	known          bool // the stream has metadata
	truncateBefore int64
	maxCount       int64
	maxAge         time.Duration
}

func (m streamMeta) softDeleted() bool { return m.truncateBefore == softDeleted }

// limited reports whether this metadata may hide some of the stream's events from readers.
func (m streamMeta) limited() bool { return m.truncateBefore > 0 || m.maxCount > 0 || m.maxAge > 0 }

// parseMeta reads a $metadata event. It ignores data that is not JSON, and fields that are not sensible numbers.
func parseMeta(data []byte) streamMeta {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return streamMeta{known: true}
	}
	number := func(name string) int64 {
		var value int64
		if json.Unmarshal(fields[name], &value) != nil {
			return 0
		}
		return max(value, 0)
	}
	meta := streamMeta{known: true, truncateBefore: number("$tb"), maxCount: number("$maxCount")}
	if seconds := number("$maxAge"); seconds < math.MaxInt64/int64(time.Second) {
		meta.maxAge = time.Duration(seconds) * time.Second
	}
	return meta
}

// withTruncateBefore returns metadata with another $tb; all other fields keep their exact text.
func withTruncateBefore(data []byte, revision int64) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(data, &fields) != nil || fields == nil { // "null" makes it nil
		fields = map[string]json.RawMessage{}
	}
	fields["$tb"] = json.RawMessage(fmt.Sprint(revision))
	return json.Marshal(fields)
}

// firstVisible is the lowest revision that $tb and $maxCount leave to readers. $maxAge is checked for each event.
func (h head) firstVisible() int64 {
	if h.tombstoned() {
		return tombstoned
	}
	first := h.meta.truncateBefore
	if h.meta.maxCount > 0 {
		first = max(first, h.last-h.meta.maxCount+1)
	}
	return max(first, 0)
}

// expiredBefore is the creation time, in ticks, before which $maxAge hides events.
func (h head) expiredBefore(now time.Time) int64 {
	if h.meta.maxAge == 0 {
		return math.MinInt64
	}
	return ticks(now.Add(-h.meta.maxAge))
}

// loadHead reads a stream's head from the log.
func loadHead(ctx context.Context, log storage, stream string) (head, error) {
	last, err := log.LastRevision(ctx, stream)
	if err != nil {
		return head{}, err
	}
	if described, isMeta := strings.CutPrefix(stream, metaPrefix); isMeta {
		base, err := log.LastRevision(ctx, described)
		if base == tombstoned {
			last = tombstoned // the tombstone applies to the metadata stream too
		}
		return head{last: last, meta: streamMeta{maxCount: 1}}, err // of a metadata stream only the newest event applies
	}
	newest, err := newestOf(ctx, log, metaPrefix+stream)
	if err != nil || newest == nil {
		return head{last: last}, err
	}
	return head{last: last, meta: parseMeta(newest.data)}, nil
}

// newestOf returns a stream's newest record, nil when it has none.
func newestOf(ctx context.Context, log storage, stream string) (*record, error) {
	page, err := log.ReadStream(ctx, stream, streamPage{high: noLimit, until: noLimit, backwards: true, limit: 1})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page[0], nil
}

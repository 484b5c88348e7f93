package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/eventstore/embedded/logfile"
)

const (
	defaultScavenge = 10 * time.Second
	// time between two checks of all streams with metadata: events reach the age $maxAge without any append
	fullScavenge = time.Hour
	removeLimit  = 256 // maximum of old records removed in one transaction, so that appends do not wait long
	// rounds to wait before a discarded stream is removed, so that an append that has read the stream before it was discarded
	// can end
	discardRounds = 6
	collapseLimit = 32 // maximum of streams collapsed in one transaction, so that appends do not wait long
	// maximum of streams remembered for the next round; with more, all that have metadata or a tombstone are checked
	maxRipe = 10_000
)

// removal is the scavenger's request to the writer: remove a stream's oldest records, those below a revision, or remove a
// discarded stream as a whole, or collapse streams.
type removal struct {
	stream   string
	below    int64
	whole    bool         // remove the whole discarded stream, not only its oldest records
	collapse []string     // streams to collapse; empty: none
	reply    chan removed // result of the removal; buffered
}

type removed struct {
	count int
	err   error
}

// clear does what the scavenger requests in r: it removes records of a stream, in a transaction of its own.
func (w *writer) clear(r *removal) removed {
	if err := w.broken(); err != nil {
		return removed{err: err}
	}
	switch {
	case len(r.collapse) > 0:
		return w.collapse(r.collapse)
	case r.whole:
		return w.discard(r.stream)
	}
	count, err := w.log.Remove(r.stream, r.below, removeLimit)
	return removed{count: count, err: w.judge(err)}
}

// discard removes a discarded stream as a whole, unless it has begun a new life, or it or its metadata has the newest
// record of the log. That record always stays: it holds the log's last position.
func (w *writer) discard(stream string) removed {
	h, err := w.head(context.Background(), stream)
	if err != nil || !h.Discarded() {
		return removed{err: err}
	}
	count, err := w.log.Discard(stream, w.last)
	if count > 0 {
		delete(w.heads, stream)
		delete(w.heads, logfile.MetaPrefix+stream)
	}
	return removed{count: count, err: w.judge(err)}
}

// collapse collapses those of the streams that may still be collapsed. Their heads stay as they are. The newest record of the log
// always stays: it holds the log's last position.
func (w *writer) collapse(streams []string) removed {
	ripe := make([]string, 0, len(streams))
	for _, stream := range streams {
		h, err := w.head(context.Background(), stream)
		if err != nil {
			return removed{err: err}
		}
		if h.Collapsible() {
			ripe = append(ripe, stream)
		}
	}
	if len(ripe) == 0 {
		return removed{}
	}
	count, late, err := w.log.Collapse(ripe, w.last)
	again := map[string]bool{} // the next round tries again
	for _, stream := range late {
		again[stream] = true
	}
	w.scavengeable.add(again)
	var corrupt *logfile.CorruptError
	if count == 0 && err == nil || errors.As(err, &corrupt) {
		return removed{err: err} // nothing was written: that says nothing of the disk, and old damage fails only what reads it
	}
	return removed{count: count, err: w.judge(err)}
}

// scavengeable is the set of streams that may have records to remove. The writer fills it, the scavenger empties it.
type scavengeable struct {
	mu      sync.Mutex
	streams map[string]bool
	// more streams were added than the set may hold: all streams with metadata or a tombstone have to be checked
	all bool
}

func newScavengeable() *scavengeable { return &scavengeable{streams: map[string]bool{}} }

func (r *scavengeable) add(streams map[string]bool) {
	if len(streams) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.streams)+len(streams) > maxRipe {
		r.all = true
		return
	}
	maps.Copy(r.streams, streams)
}

func (r *scavengeable) take() (streams map[string]bool, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	streams, all = r.streams, r.all
	r.streams, r.all = map[string]bool{}, false
	return streams, all
}

// scavenger removes in the background, few at a time, the records that $maxCount, $maxAge, $tb or deletion hide from a
// stream's readers. The newest record of a stream stays, because it holds the stream's last revision. A discarded stream is
// removed as a whole. A stream of which that is allowed is collapsed: its newest record goes, too, and a row of a few bytes holds
// the revision.
type scavenger struct {
	log    logfile.Storage
	writer *writer
	now    func() time.Time
	note   logrus.FieldLogger
	every  time.Duration

	orders chan chan removed // requests for a round; each has a channel for the result
	count  int               // number of records removed in all rounds
	ripe   []string          // streams to be collapsed in the next transaction
	// When unearth is true, the next round that checks all streams with metadata also looks for tombstones in every stream
	// of the log. It is true when the set scavengeable may have lost streams, and when an operator has requested the round.
	// A stream with a tombstone and no metadata can be found in no other way.
	unearth bool
}

// run scavenges until the context ends. The first round checks every stream with metadata, and every stream with a tombstone.
func (s *scavenger) run(ctx context.Context) {
	round := time.NewTicker(s.every)
	defer round.Stop()
	var full time.Time // when all streams with metadata were last checked
	// an earlier run of the server may have ended before it cleaned all streams of its set scavengeable, which is lost
	s.unearth = true
	for {
		select {
		case <-ctx.Done():
			return
		case order := <-s.orders:
			before := s.count
			s.unearth = true
			err := s.sweep(ctx, nil, true)
			order <- removed{count: s.count - before, err: err}
			continue
		case <-round.C:
		}
		streams, all := s.writer.scavengeable.take()
		s.unearth = s.unearth || all
		now := s.now()
		if all = all || now.Sub(full) >= fullScavenge; all {
			full = now
		}
		if err := s.sweep(ctx, streams, all); err != nil && ctx.Err() == nil {
			s.note.WithError(err).Warn("event store: old events not removed; trying again within an hour")
		}
	}
}

// sweep calls clean for the given streams and, when all is true, for every stream that has metadata. When all and s.unearth
// are true, it also calls clean for every stream that has a tombstone and older records.
func (s *scavenger) sweep(ctx context.Context, streams map[string]bool, all bool) error {
	err := s.cleanAll(ctx, streams, all)
	if err == nil {
		err = s.collapse(ctx)
	}
	if err == nil && all && s.unearth {
		err = s.cleanBuried(ctx)
		s.unearth = false
	}
	// after an error, some of the given streams may still have hidden records: the next round with all finds them
	s.unearth = s.unearth || err != nil
	return err
}

// cleanBuried cleans every stream that has a tombstone and older records. It looks at every stream of the log, a page at a time.
func (s *scavenger) cleanBuried(ctx context.Context) error {
	for after, more := int64(0), true; more; more = after > 0 {
		names, next, err := s.log.Buried(ctx, after, logfile.PageLimit)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := s.clean(ctx, name); err != nil {
				return err
			}
		}
		after = next
	}
	return nil
}

func (s *scavenger) cleanAll(ctx context.Context, streams map[string]bool, all bool) error {
	for stream := range streams {
		if err := s.clean(ctx, stream); err != nil {
			return err
		}
	}
	for after := ""; all; {
		names, err := s.log.MetaStreams(ctx, after, logfile.PageLimit)
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			after = name
			if err := s.clean(ctx, name); err != nil { // name is a metadata stream: clean removes its old metadata events
				return err
			}
			if err := s.clean(ctx, strings.TrimPrefix(name, logfile.MetaPrefix)); err != nil {
				return err
			}
		}
	}
	return nil
}

// clean removes the records of one stream that retention or deletion hides from readers, except those that firstKept keeps.
// A discarded stream is removed as a whole, once discardRounds rounds have passed. A stream that may be collapsed is added to
// s.ripe.
func (s *scavenger) clean(ctx context.Context, stream string) error {
	h, err := logfile.LoadHead(ctx, s.log, stream)
	if err != nil || !h.Limited() {
		return err
	}
	if h.Discarded() {
		return s.discard(ctx, stream)
	}
	first, err := s.log.FirstRevision(ctx, stream)
	if err != nil {
		return err
	}
	below, err := s.firstKept(ctx, stream, h, first)
	if h.Collapsible() && below-first < removeLimit {
		below = first // these records go when the stream is collapsed
	}
	for first < below && err == nil {
		var count int
		count, err = s.remove(ctx, stream, below)
		first += int64(count)
		if count == 0 {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("remove old events of %s: %w", stream, err)
	}
	if !h.Collapsible() || first > h.Last { // the stream is collapsed already when first is behind its newest event
		return nil
	}
	if s.ripe = append(s.ripe, stream); len(s.ripe) < collapseLimit {
		return nil
	}
	return s.collapse(ctx)
}

// collapse asks the writer to collapse the streams in s.ripe.
func (s *scavenger) collapse(ctx context.Context) error {
	ripe := s.ripe
	if s.ripe = nil; len(ripe) == 0 {
		return nil
	}
	if _, err := s.order(ctx, &removal{collapse: ripe, reply: make(chan removed, 1)}); err != nil {
		return fmt.Errorf("collapse streams: %w", err)
	}
	return nil
}

// discard asks the writer to remove a discarded stream, when the stream was discarded at least discardRounds rounds ago.
func (s *scavenger) discard(ctx context.Context, stream string) error {
	meta, err := logfile.NewestOf(ctx, s.log, logfile.MetaPrefix+stream)
	if err != nil || meta == nil || meta.Created > logfile.Ticks(s.now().Add(-discardRounds*s.every)) {
		return err
	}
	if _, err := s.order(ctx, &removal{stream: stream, whole: true, reply: make(chan removed, 1)}); err != nil {
		return fmt.Errorf("remove %s: %w", stream, err)
	}
	return nil
}

// firstKept returns the lowest revision that has to stay in a stream; all records below it can be removed. The stream's
// newest record always stays. A record older than $maxAge also stays when a record with a lower revision stays, so that the
// remaining revisions have no gaps.
func (s *scavenger) firstKept(ctx context.Context, stream string, h logfile.Head, first int64) (int64, error) {
	kept := max(min(h.FirstVisible(), h.Last), first)
	expired := h.ExpiredBefore(s.now())
	for kept < h.Last && h.Meta.MaxAge > 0 {
		page, err := s.log.ReadStream(ctx, stream,
			logfile.StreamPage{Low: kept, High: h.Last - 1, Until: logfile.NoLimit, Limit: logfile.PageLimit})
		if err != nil || len(page) == 0 {
			return kept, err
		}
		for _, r := range page {
			if r.Created >= expired {
				return kept, nil
			}
			kept = r.Revision + 1
		}
	}
	return kept, nil
}

// remove asks the writer to remove one batch of records.
func (s *scavenger) remove(ctx context.Context, stream string, below int64) (int, error) {
	return s.order(ctx, &removal{stream: stream, below: below, reply: make(chan removed, 1)})
}

// order waits until the writer has done a removal.
func (s *scavenger) order(ctx context.Context, order *removal) (int, error) {
	select {
	case s.writer.chores <- order:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.writer.done:
		return 0, errClosed
	}
	done := <-order.reply
	s.count += done.count
	return done.count, done.err
}

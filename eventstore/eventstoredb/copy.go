package eventstoredb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"moviola/eventstore"
)

const (
	copyEvents   = 500             // maximum of events of one stream that are appended together
	copyBytes    = 512 << 10       // maximum size of several events that are appended together, in bytes
	copyPatience = time.Minute     // maximum time without progress while a store is unavailable
	copyPause    = time.Second / 2 // pause between retries while a store is unavailable
	lookBack     = 10_000          // maximum of the target's newest events that are searched for in the source
	copyStreams  = 200_000         // maximum of streams whose last revision in the target is cached
)

// Source is a log that can be copied: a Store of this package, or an archived.Store, which reads a log together with its
// archive files.
type Source interface {
	ReadStream(
		ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
	) iter.Seq2[eventstore.Recorded, error]
	ReadEverything(ctx context.Context, dir eventstore.Direction, from eventstore.Position) iter.Seq2[eventstore.Recorded, error]
	Head(ctx context.Context) (eventstore.Position, error)
}

// Copied is the progress of a copy.
type Copied struct {
	Events   int64               // number of events copied by this call, stream metadata included
	Filled   int64               // number of placeholders written for events that retention has removed from the source
	Position eventstore.Position // position in the source of the last event copied
	End      eventstore.Position // end of the source when the copy last read the source
	Resumed  bool                // an earlier copy was continued
}

// Copy copies a log into another store: one event after the other in the order of the log, with the same ids and revisions.
// It copies stream metadata too, whose revisions may differ in the copy, and leaves out system events. Placeholders take
// the revisions of events that retention has removed, so that later events keep their revisions. Metadata hides the
// placeholders.
//
// The target alone determines where the copy starts: after its newest event that the source has too. So another call
// continues an interrupted copy, and updates a complete one after more appends to the source. A target is refused when the
// source has none of its newest events, of which Copy looks at lookBack. Most appends are sent without waiting for answers,
// by the protocol's batch append; to a server without that, and after a refusal, the copy appends one batch after the
// other. Nobody else may write to the target meanwhile. report is called from time to time.
func Copy(ctx context.Context, from Source, to *Store, report func(Copied)) (Copied, error) {
	c := &copier{from: from, to: to, report: report, ends: map[string]eventstore.Revision{}}
	for patience := time.Now().Add(copyPatience); ; {
		before := c.done
		err := c.run(ctx)
		switch {
		case err == nil && c.done == before: // this pass has copied nothing: the copy is complete
			return c.done, nil
		// An append in a lane, which does not wait for answers, was refused, or the server has no batch append. The next
		// run waits for the answer to each append: then the refused append succeeds, or its error tells the cause.
		case errors.Is(err, errLane) && !c.slow && ctx.Err() == nil:
			c.slow = true
			continue
		case err != nil && !errors.Is(err, eventstore.ErrUnavailable), ctx.Err() != nil:
			return c.done, err
		}
		if c.done != before {
			patience = time.Now().Add(copyPatience)
		}
		if err == nil {
			continue
		}
		if time.Now().After(patience) {
			return c.done, err
		}
		select {
		case <-time.After(copyPause):
		case <-ctx.Done():
			return c.done, ctx.Err()
		}
	}
}

// copier is a copy in progress.
type copier struct {
	from   Source
	to     *Store
	report func(Copied)
	placed bool // the start of the copy is known: done.Position is valid
	done   Copied
	slow   bool // wait for the answer to each append before the next is sent: lane is not used
	// sends appends without waiting for answers; nil when slow is true, and outside of the method run
	lane  *lane
	ends  map[string]eventstore.Revision // last revision that was sent to the target, by stream
	batch []eventstore.Recorded          // consecutive events of one stream, which are appended together
	bytes int
}

// run copies from the position that the copy has reached to the end of the source.
func (c *copier) run(ctx context.Context) (err error) {
	c.batch, c.bytes = nil, 0
	if c.done.End, err = c.from.Head(ctx); err != nil {
		return err
	}
	if err := c.place(ctx); err != nil {
		return fmt.Errorf("look at what the target has: %w", err)
	}
	if !c.slow {
		if c.lane, err = c.to.openLane(ctx, c.written); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				// Unanswered appends may have been written: the next run determines the start from the target again. After a
				// refused append, which later ones in the target hide, it goes on behind the newest append that was answered
				// before.
				c.placed = errors.Is(err, errLane)
				clear(c.ends)
			}
			err = errors.Join(err, c.lane.close())
			c.lane = nil
		}()
	}
	for event, err := range c.from.ReadEverything(ctx, eventstore.Forwards, c.done.Position) {
		if err != nil {
			return err
		}
		if !isCopied(event) {
			continue
		}
		if err := c.take(ctx, event); err != nil {
			return err
		}
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	return c.settle(ctx)
}

// settle waits until the target has answered every append.
func (c *copier) settle(ctx context.Context) error {
	if c.lane == nil {
		return nil
	}
	return c.lane.drain(ctx)
}

// written records that the target has stored events.
func (c *copier) written(events int64, last eventstore.Position) {
	c.done.Events += events
	if c.done.Position.Compare(last) < 0 {
		c.done.Position = last
	}
	c.report(c.done)
}

// isCopied returns false for events whose type or stream begins with $, except for the metadata of streams without $. It
// also returns false for metadata that discards its stream: not every server knows what that means.
func isCopied(event eventstore.Recorded) bool {
	stream, isMeta := strings.CutPrefix(event.Stream, metaPrefix)
	if isMeta {
		return event.Type == metaType && !isSystem(stream) && !eventstore.Discards(event.Data)
	}
	return !isSystem(event.Type) && !isSystem(stream)
}

// place finds the start of the copy from the newest events of the target.
func (c *copier) place(ctx context.Context) error {
	if c.placed {
		return nil
	}
	seen := 0
	for event, err := range c.to.ReadEverything(ctx, eventstore.Backwards, eventstore.Position{}) {
		if err != nil {
			return err
		}
		if !isCopied(event) {
			continue
		}
		at, found, err := c.inSource(ctx, event)
		if err != nil {
			return err
		}
		if found {
			c.done.Position, c.done.Resumed, c.placed = at, true, true
			return nil
		}
		if seen++; seen >= lookBack {
			break
		}
	}
	if seen > 0 {
		return errors.New("it has events that the source does not have: only an empty store or an unfinished copy can be copied to")
	}
	c.placed = true
	return nil
}

// inSource looks for an event of the target in the source. Metadata events may have other revisions in the source, so only
// the newest metadata event of a stream can be found.
func (c *copier) inSource(ctx context.Context, event eventstore.Recorded) (eventstore.Position, bool, error) {
	dir, revision := eventstore.Forwards, event.Revision
	if strings.HasPrefix(event.Stream, metaPrefix) {
		dir, revision = eventstore.Backwards, -1
	}
	for there, err := range c.from.ReadStream(ctx, event.Stream, dir, revision) {
		if err != nil {
			return eventstore.Position{}, false, err
		}
		return there.Position, there.ID == event.ID, nil
	}
	return eventstore.Position{}, false, nil
}

// take adds an event to the field batch. When the event cannot be appended together with the events that are there, take appends
// those first.
func (c *copier) take(ctx context.Context, event eventstore.Recorded) error {
	size := len(event.Data) + len(event.Metadata)
	if n := len(c.batch); n > 0 {
		last := c.batch[n-1]
		isMeta := strings.HasPrefix(event.Stream, metaPrefix)
		if isMeta || last.Stream != event.Stream || last.Revision+1 != event.Revision || n == copyEvents || c.bytes+size > copyBytes {
			if err := c.flush(ctx); err != nil {
				return err
			}
		}
	}
	c.batch = append(c.batch, event)
	c.bytes += size
	return nil
}

// flush appends the events of the field batch to the target, and empties the field.
func (c *copier) flush(ctx context.Context) error {
	if len(c.batch) == 0 {
		return nil
	}
	first, last := c.batch[0], c.batch[len(c.batch)-1]
	before, known := c.ends[first.Stream]
	if len(c.ends) >= copyStreams {
		clear(c.ends)
	}
	follows := first.Revision == 0 || known && before == first.Revision-1
	if c.lane != nil && follows && !strings.HasPrefix(first.Stream, metaPrefix) {
		if err := c.lane.send(ctx, c.batch, c.bytes); err != nil {
			return fmt.Errorf("copy event %d of %s, or one before it: %w", first.Revision, first.Stream, err)
		}
	} else {
		// These events do not go through the lane, which does not wait for answers. settle waits for the answers to all
		// earlier appends, and appendBatch appends the events by a call of its own. appendBatch reports a conflict when the
		// target's stream has other events where these belong.
		if err := c.settle(ctx); err != nil {
			return err
		}
		if err := c.appendBatch(ctx, first); err != nil {
			return fmt.Errorf("copy event %d of %s: %w", first.Revision, first.Stream, err)
		}
		c.written(int64(len(c.batch)), last.Position)
	}
	c.ends[first.Stream] = last.Revision
	c.batch, c.bytes = c.batch[:0], 0
	return nil
}

func (c *copier) appendBatch(ctx context.Context, first eventstore.Recorded) error {
	if stream, isMeta := strings.CutPrefix(first.Stream, metaPrefix); isMeta {
		return c.copyMeta(ctx, stream, first)
	}
	events := make([]eventstore.Proposed, len(c.batch))
	for i, event := range c.batch {
		events[i] = proposed(event)
	}
	_, err := c.to.Append(ctx, first.Stream, first.Revision-1, events...)
	var conflict *eventstore.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	if there := conflict.Actual - conflict.Expected; there >= 0 {
		if there == 0 || int(there) >= len(events) {
			return err
		}
		// a run that ended with a refused append may have written the first events of this batch
		if _, err := c.to.Append(ctx, first.Stream, conflict.Expected, events[:there]...); err != nil {
			return err
		}
		_, err = c.to.Append(ctx, first.Stream, conflict.Actual, events[there:]...)
		return err
	}
	if err := c.fill(ctx, first.Stream, revisions{conflict.Actual + 1, first.Revision}); err != nil {
		return fmt.Errorf("fill the revisions before it: %w", err)
	}
	_, err = c.to.Append(ctx, first.Stream, first.Revision-1, events...)
	return err
}

func proposed(event eventstore.Recorded) eventstore.Proposed {
	return eventstore.Proposed{ID: event.ID, Type: event.Type, Data: event.Data, Metadata: event.Metadata}
}

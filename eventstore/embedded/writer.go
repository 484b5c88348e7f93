package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"moviola/eventstore/embedded/logfile"
)

const (
	maxBatchOps   = 1024     // maximum of operations in one commit
	maxBatchBytes = 4 << 20  // payload in bytes at which no more operations are added to a commit
	maxQueueBytes = 64 << 20 // maximum payload of the waiting operations, in bytes
	maxQueueWait  = 2 * time.Second
	maxHeads      = 100_000 // number of cached heads of streams above which the next batch drops them all
)

var (
	errBusy   = errors.New("too many appends are waiting")
	errClosed = errors.New("the server is shutting down")
)

// operation is one request to the writer: an append, a deletion or a change of a persistent subscription.
type operation struct {
	ctx      context.Context
	stream   string
	expected expectation
	events   []*logfile.Record // events to be appended; the writer sets position, revision and creation time
	remove   bool              // the operation deletes the stream
	forGood  bool              // together with remove: leave a tombstone, after which the stream can never be written to
	group    *logfile.GroupRow // the persistent subscription to be stored; nil: none
	bytes    int64
	reply    chan result // gets the operation's result; buffered, so that the writer does not block when the caller has left
}

// result is the outcome of an operation: revision and position of the last event, or an error.
type result struct {
	revision int64
	position int64
	err      error
}

// writer is the only goroutine that writes. It assigns positions and revisions, and owns the heads of streams.
type writer struct {
	log  logfile.Storage
	tail *tail
	now  func() time.Time
	note logrus.FieldLogger

	queue   chan *operation
	chores  chan *removal
	waiting atomic.Int64 // payload of all operations in the queue, in bytes
	closing chan struct{}
	done    chan struct{}
	failure atomic.Pointer[error] // set after a write error other than a full disk: nothing is written any more
	trouble atomic.Pointer[error] // error of the newest transaction if the disk was full; nil after a success

	scavengeable *scavengeable // streams that retention may have something to remove from
	heads        map[string]*logfile.Head
	last         int64 // position of the newest record, including records that are not committed yet
	batch        []*logfile.Record
	batchOf      map[string][]*logfile.Record // records of the operations that are being written, by stream
	// streams that are changed by the operations being written, and from which retention may remove records
	limited map[string]bool
	groups  []*logfile.GroupRow // changes to persistent subscriptions by the operations being written
}

func newWriter(log logfile.Storage, tail *tail, now func() time.Time, note logrus.FieldLogger) *writer {
	return &writer{
		log: log, tail: tail, now: now, note: note, last: tail.edge(),
		queue: make(chan *operation, maxBatchOps), chores: make(chan *removal), scavengeable: newScavengeable(),
		closing: make(chan struct{}), done: make(chan struct{}),
		heads: map[string]*logfile.Head{}, batchOf: map[string][]*logfile.Record{}, limited: map[string]bool{},
	}
}

// submit queues an operation and waits for its result. When the operation's context ends first, the operation is dropped if
// it is still in the queue; otherwise it may still be written.
func (w *writer) submit(op *operation) result {
	if err := w.enqueue(op); err != nil {
		return result{err: err}
	}
	return w.await(op)
}

// enqueue queues an operation. The writer handles operations in this order.
func (w *writer) enqueue(op *operation) error {
	if err := w.broken(); err != nil {
		return err
	}
	if w.waiting.Add(op.bytes) > maxQueueBytes {
		w.waiting.Add(-op.bytes)
		return errBusy
	}
	patience := time.NewTimer(maxQueueWait)
	defer patience.Stop()
	select {
	case w.queue <- op:
		return nil
	case <-patience.C:
		w.waiting.Add(-op.bytes)
		return errBusy
	case <-op.ctx.Done():
		w.waiting.Add(-op.bytes)
		return op.ctx.Err()
	case <-w.done:
		return errClosed
	}
}

// await waits for the result of a queued operation.
func (w *writer) await(op *operation) result {
	select {
	case r := <-op.reply:
		return r
	case <-op.ctx.Done():
		return result{err: op.ctx.Err()}
	case <-w.done:
	}
	select { // the writer may have answered this operation just before it ended
	case r := <-op.reply:
		return r
	default:
		return result{err: errClosed}
	}
}

// broken returns the error after which the writer has stopped writing; nil while it writes.
func (w *writer) broken() error { return load(&w.failure) }

// health returns the error with which appends fail now, until a restart or until the disk has room; nil: appends succeed.
func (w *writer) health() error {
	if err := w.broken(); err != nil {
		return err
	}
	return load(&w.trouble)
}

func load(p *atomic.Pointer[error]) error {
	if err := p.Load(); err != nil {
		return *err
	}
	return nil
}

// run writes until close is called. Then it writes the operations that are left in the queue, and ends.
func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case op := <-w.queue:
			w.write(w.collect(op))
		case r := <-w.chores:
			r.reply <- w.clear(r)
		case <-w.closing:
			for {
				select {
				case op := <-w.queue:
					w.write(w.collect(op))
				default:
					return
				}
			}
		}
	}
}

// collect takes all waiting operations that can be committed together with the first: these operations share the cost of one
// sync.
func (w *writer) collect(first *operation) []*operation {
	ops := []*operation{first}
	bytes := first.bytes
	for len(ops) < maxBatchOps && bytes < maxBatchBytes {
		select {
		case op := <-w.queue:
			ops = append(ops, op)
			bytes += op.bytes
		default:
			w.waiting.Add(-bytes)
			return ops
		}
	}
	w.waiting.Add(-bytes)
	return ops
}

// write decides a batch of operations, commits it and answers them. Even an operation that writes nothing is answered after the
// commit: it may have been compared with events of the same batch.
func (w *writer) write(ops []*operation) {
	if len(w.heads) > maxHeads {
		clear(w.heads)
	}
	w.batch = nil // not w.batch[:0]: the old slice would keep its records in memory until they are overwritten
	w.groups = w.groups[:0]
	clear(w.batchOf)
	clear(w.limited)
	before := w.last
	results := make([]result, len(ops))
	for i, op := range ops {
		results[i] = w.apply(op)
	}
	if err := w.commit(); err != nil {
		w.last = before
		clear(w.heads)
		for i := range results {
			results[i] = result{err: err}
		}
	}
	for i, op := range ops {
		op.reply <- results[i]
	}
}

// commit makes the collected records durable, and publishes them to readers.
func (w *writer) commit() error {
	if err := w.broken(); err != nil {
		return err
	}
	if len(w.batch) == 0 && len(w.groups) == 0 {
		return nil
	}
	err := w.judge(w.log.Commit(w.batch, w.groups))
	if err == nil && len(w.batch) > 0 {
		w.tail.publish(w.batch)
		w.scavengeable.add(w.limited)
	}
	return err
}

// judge sets the writer's health from the result of a transaction: whether the log can still be written to.
func (w *writer) judge(err error) error {
	switch {
	case err == nil:
		w.trouble.Store(nil)
		return nil
	case errors.Is(err, logfile.ErrFull):
		w.trouble.Store(&err)
		w.note.WithError(err).Error("event store: disk full; appends are refused until there is room")
		return err
	}
	// After a failed write or sync the state of the disk is unknown, and a second sync may report success for lost pages.
	// Only a restart, which reads the file again, shows what was stored.
	failure := fmt.Errorf("the event store is read-only until it is restarted: %w", err)
	w.failure.Store(&failure)
	w.note.WithError(err).Error("event store: write failed; it is read-only until it is restarted")
	return failure
}

// apply decides one operation, and adds its records to those of the next commit.
func (w *writer) apply(op *operation) result {
	if err := op.ctx.Err(); err != nil {
		return result{err: err}
	}
	if op.group != nil {
		w.groups = append(w.groups, op.group)
		return result{}
	}
	// A read for a decision must not be cancelled by its caller: the other operations of the batch use its result too.
	ctx := context.WithoutCancel(op.ctx)
	h, err := w.head(ctx, op.stream)
	if err != nil {
		return result{err: err}
	}
	described := h // head of the stream itself; h becomes the head of its metadata stream when op writes metadata
	base, isMeta := strings.CutPrefix(op.stream, logfile.MetaPrefix)
	if isMeta {
		if described, err = w.head(ctx, base); err != nil {
			return result{err: err}
		}
	}
	switch {
	case described.Tombstoned():
		return result{err: errStreamDeleted}
	case op.remove && op.forGood:
		return w.bury(h, op)
	case op.remove:
		return w.remove(ctx, h, op)
	}
	r, writes := w.put(ctx, h, op)
	if writes && isMeta {
		described.Meta = logfile.ParseMeta(op.events[len(op.events)-1].Data)
		w.limited[base] = true
	}
	return r
}

// put adds the events of an operation to the records of the next commit. writes is false when no event is new, or when the events
// are refused.
func (w *writer) put(ctx context.Context, h *logfile.Head, op *operation) (r result, writes bool) {
	verdict, err := w.decide(ctx, h, op)
	switch {
	case err != nil:
		return result{err: err}, false
	case verdict.done != nil:
		return result{revision: verdict.done.Revision, position: verdict.done.Position}, false
	case len(op.events) == 0:
		return result{revision: h.Last}, false
	}
	if h.Meta.SoftDeleted() {
		if err := w.undelete(ctx, h, op.stream); err != nil {
			return result{err: err}, false
		}
	}
	w.add(op.stream, h, op.events)
	return result{revision: h.Last, position: w.last}, true
}

// add assigns positions and revisions to records, and adds them to the records of the next commit.
func (w *writer) add(stream string, h *logfile.Head, records []*logfile.Record) {
	created := logfile.Ticks(w.now())
	for _, r := range records {
		h.Last++
		w.last++
		r.Stream, r.Revision, r.Position, r.Created = stream, h.Last, w.last, created
	}
	if h.Limited() {
		w.limited[stream] = true
	}
	w.batch = append(w.batch, records...)
	w.batchOf[stream] = append(w.batchOf[stream], records...)
}

// head returns a stream's head, from the cache or from the log.
func (w *writer) head(ctx context.Context, stream string) (*logfile.Head, error) {
	if h, ok := w.heads[stream]; ok {
		return h, nil
	}
	h, err := logfile.LoadHead(ctx, w.log, stream)
	if err != nil {
		return nil, err
	}
	w.heads[stream] = &h
	return &h, nil
}

// newEventID makes an id for an event that the server itself writes.
var newEventID = uuid.New

// close stops the writer after it has emptied the queue. The caller makes sure that nothing is submitted any more.
func (w *writer) close() {
	close(w.closing)
	<-w.done
}

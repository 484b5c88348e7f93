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
)

const (
	maxBatchOps   = 1024     // operations committed together
	maxBatchBytes = 4 << 20  // and their payload
	maxQueueBytes = 64 << 20 // payload of the operations that wait
	maxQueueWait  = 2 * time.Second
	maxHeads      = 100_000 // streams whose heads are remembered
)

var (
	errBusy   = errors.New("too many appends are waiting")
	errClosed = errors.New("the server is shutting down")
)

// operation is an append or a deletion on its way through the writer.
type operation struct {
	ctx      context.Context
	stream   string
	expected expectation
	events   []*record // to be appended; position, revision and creation time are the writer's
	remove   bool      // delete the stream instead
	forGood  bool      // with remove: leave a tombstone, after which the stream can never be written to
	group    *groupRow // store this instead
	bytes    int64
	reply    chan result // buffered, so that the writer never waits for a caller that has left
}

// result is where an operation ended: the last event's place, or why there is none.
type result struct {
	revision int64
	position int64
	err      error
}

// writer is the only goroutine that writes: it owns positions, revisions and the heads of streams.
type writer struct {
	log  storage
	tail *tail
	now  func() time.Time
	note logrus.FieldLogger

	queue   chan *operation
	chores  chan *removal
	waiting atomic.Int64 // bytes in the queue
	closing chan struct{}
	done    chan struct{}
	failure atomic.Pointer[error] // set once: nothing is written any more
	trouble atomic.Pointer[error] // the newest commit's, nil after one that succeeded

	scavengeable *scavengeable // streams that retention may have something to remove from
	heads        map[string]*head
	last         int64 // position of the newest record, this batch included
	batch        []*record
	batchOf      map[string][]*record // the batch by stream
	limited      map[string]bool      // streams of the batch that retention may have something to remove from
	groups       []*groupRow          // persistent subscriptions of the batch
}

func newWriter(log storage, tail *tail, now func() time.Time, note logrus.FieldLogger) *writer {
	return &writer{
		log: log, tail: tail, now: now, note: note, last: tail.edge(),
		queue: make(chan *operation, maxBatchOps), chores: make(chan *removal), scavengeable: newScavengeable(),
		closing: make(chan struct{}), done: make(chan struct{}),
		heads: map[string]*head{}, batchOf: map[string][]*record{}, limited: map[string]bool{},
	}
}

// submit hands an operation to the writer and waits for its end. When ctx ends first, the operation is dropped if the
// writer has not taken it yet; otherwise it may still be written.
func (w *writer) submit(op *operation) result {
	if err := w.enqueue(op); err != nil {
		return result{err: err}
	}
	return w.await(op)
}

// enqueue hands an operation to the writer, which writes in this order.
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

// await waits for the end of an operation that was handed over.
func (w *writer) await(op *operation) result {
	select {
	case r := <-op.reply:
		return r
	case <-op.ctx.Done():
		return result{err: op.ctx.Err()}
	case <-w.done:
	}
	select { // the writer's last act may have been to answer this one
	case r := <-op.reply:
		return r
	default:
		return result{err: errClosed}
	}
}

// broken is why nothing is written any more, nil while the writer writes.
func (w *writer) broken() error { return load(&w.failure) }

// health is why appends fail now, for good or until there is room on the disk.
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

// run writes until close is called, and then what is still in the queue.
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

// collect takes everything that waits behind an operation: their commit costs one sync.
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

// write decides a batch, commits it and answers. Even an operation that wrote nothing is answered after the commit: what
// it was compared with may be part of the batch.
func (w *writer) write(ops []*operation) {
	if len(w.heads) > maxHeads {
		clear(w.heads)
	}
	w.batch = nil // readers of the tail keep the records
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

// commit makes the batch durable and shows it to readers.
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

// judge draws the conclusions from how a transaction ended: whether the log can still be written to.
func (w *writer) judge(err error) error {
	switch {
	case err == nil:
		w.trouble.Store(nil)
		return nil
	case errors.Is(err, errFull):
		w.trouble.Store(&err)
		w.note.WithError(err).Error("event store: disk full; appends are refused until there is room")
		return err
	}
	// After a failed sync nobody knows what is on the disk, and a second sync may report success for lost pages.
	// Only a start from the file shows what it holds.
	failure := fmt.Errorf("the event store is read-only until it is restarted: %w", err)
	w.failure.Store(&failure)
	w.note.WithError(err).Error("event store: write failed; it is read-only until it is restarted")
	return failure
}

// apply decides one operation and adds what it writes to the batch.
func (w *writer) apply(op *operation) result {
	if err := op.ctx.Err(); err != nil {
		return result{err: err}
	}
	if op.group != nil {
		w.groups = append(w.groups, op.group)
		return result{}
	}
	// A read for a decision must not end with its caller: the answer would be lost on the others in the batch.
	ctx := context.WithoutCancel(op.ctx)
	h, err := w.head(ctx, op.stream)
	if err != nil {
		return result{err: err}
	}
	described := h // the stream that the operation is about, also when it writes that stream's metadata
	base, isMeta := strings.CutPrefix(op.stream, metaPrefix)
	if isMeta {
		if described, err = w.head(ctx, base); err != nil {
			return result{err: err}
		}
	}
	switch {
	case described.tombstoned():
		return result{err: errStreamDeleted}
	case op.remove && op.forGood:
		return w.bury(h, op)
	case op.remove:
		return w.remove(ctx, h, op)
	}
	r, writes := w.put(ctx, h, op)
	if writes && isMeta {
		described.meta = parseMeta(op.events[len(op.events)-1].data)
		w.limited[base] = true
	}
	return r
}

// put adds the events of an operation to the batch. false: there is nothing to add, or they are refused.
func (w *writer) put(ctx context.Context, h *head, op *operation) (r result, writes bool) {
	verdict, err := w.decide(ctx, h, op)
	switch {
	case err != nil:
		return result{err: err}, false
	case verdict.done != nil:
		return result{revision: verdict.done.revision, position: verdict.done.position}, false
	case len(op.events) == 0:
		return result{revision: h.last}, false
	}
	if h.meta.softDeleted() {
		if err := w.undelete(ctx, h, op.stream); err != nil {
			return result{err: err}, false
		}
	}
	w.add(op.stream, h, op.events)
	return result{revision: h.last, position: w.last}, true
}

// add gives records their places and puts them into the batch.
func (w *writer) add(stream string, h *head, records []*record) {
	created := ticks(w.now())
	for _, r := range records {
		h.last++
		w.last++
		r.stream, r.revision, r.position, r.created = stream, h.last, w.last, created
	}
	if h.limited() {
		w.limited[stream] = true
	}
	w.batch = append(w.batch, records...)
	w.batchOf[stream] = append(w.batchOf[stream], records...)
}

// head returns a stream's head, loaded when it is not known.
func (w *writer) head(ctx context.Context, stream string) (*head, error) {
	if h, ok := w.heads[stream]; ok {
		return h, nil
	}
	h, err := loadHead(ctx, w.log, stream)
	if err != nil {
		return nil, err
	}
	w.heads[stream] = &h
	return &h, nil
}

// newEventID makes an id for an event that the server itself writes.
var newEventID = uuid.New

// close lets the queue run empty and ends the writer. Nothing is submitted any more.
func (w *writer) close() {
	close(w.closing)
	<-w.done
}

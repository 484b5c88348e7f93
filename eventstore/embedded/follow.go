package embedded

import (
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"

	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// followAll serves a catch-up subscription to the log: the stored events after a position, then new ones.
func (r *reading) followAll() error {
	filter, err := newFilter(r.options)
	if err != nil {
		return err
	}
	// A subscription from the end of the log starts after the newest record at this moment, which is before the server
	// confirms the subscription. So a subscriber that appends events after the confirmation gets them.
	cursor := r.tail.edge()
	switch from := r.options.GetAll().GetAllOption().(type) {
	case *streams.ReadReq_Options_AllOptions_Start:
		cursor = 0
	case *streams.ReadReq_Options_AllOptions_Position:
		cursor = wire.Number(from.Position.GetCommitPosition())
	}
	if err := r.confirm(); err != nil {
		return err
	}
	f := &logFollower{reading: r, filter: filter, cursor: cursor}
	if filter.interval > 0 { // a filtered subscription begins with a checkpoint at its start, as with a genuine server
		if err := f.checkpoint(); err != nil {
			return err
		}
	}
	for {
		if err := f.step(); err != nil {
			return err
		}
	}
}

// logFollower is the state of a subscription to the log. It holds no events between two calls of step.
type logFollower struct {
	*reading
	filter     filter
	cursor     int64 // position of the newest event that was sent or skipped
	considered int64 // number of events sent or skipped since the last checkpoint
	live       bool
}

// step sends the next page of events, or waits for one.
func (f *logFollower) step() error {
	last := f.tail.edge()
	if f.cursor >= last {
		if f.considered > 0 && !f.live {
			// A checkpoint saves a subscriber with few matching events from searching the whole log again after a restart.
			if err := f.checkpoint(); err != nil {
				return err
			}
		}
		due := int64(math.MaxInt64)
		if f.filter.interval > 0 { // due becomes the position of the next checkpoint
			due = f.cursor + f.filter.interval - f.considered
		}
		_, err := f.wait(&f.live, f.cursor, f.filter.interest, due)
		return err
	}
	records, ok := f.tail.after(f.cursor, logfile.PageLimit)
	if !ok {
		if err := f.fellBehind(&f.live); err != nil {
			return err
		}
		var err error
		page := logfile.AllPage{Low: f.cursor + 1, High: last, Limit: logfile.PageLimit, WantFunc: f.filter.matchFunc}
		if records, err = f.log.ReadAll(f.call.Context(), page); err != nil {
			return failed(err)
		}
		if len(records) == 0 { // retention has removed all records of this range
			f.cursor = last
		}
	}
	for _, rec := range records {
		if err := f.consider(rec); err != nil {
			return err
		}
	}
	return nil
}

func (f *logFollower) consider(rec *logfile.Record) error {
	f.cursor = rec.Position
	if f.filter.matches(rec) {
		if err := f.send(rec); err != nil {
			return err
		}
	}
	if f.filter.interval == 0 {
		return nil
	}
	f.considered++
	if f.considered < f.filter.interval {
		return nil
	}
	return f.checkpoint()
}

func (f *logFollower) checkpoint() error {
	f.considered = 0
	position := uint64(f.cursor)
	return f.call.Send(&streams.ReadResp{Content: &streams.ReadResp_Checkpoint_{
		Checkpoint: &streams.ReadResp_Checkpoint{CommitPosition: position, PreparePosition: position},
	}})
}

// followStream serves a catch-up subscription to one stream.
func (r *reading) followStream() error {
	f := &streamFollower{reading: r, revision: -1, fromFile: true}
	f.seen = r.tail.edge()
	switch from := r.options.GetStream().GetRevisionOption().(type) {
	case *streams.ReadReq_Options_StreamOptions_Start:
	case *streams.ReadReq_Options_StreamOptions_Revision:
		f.revision = wire.Number(from.Revision)
	default:
		h, err := logfile.LoadHead(r.call.Context(), r.log, r.stream)
		if err != nil {
			return failed(err)
		}
		f.revision = h.Last
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := r.confirm(); err != nil {
		return err
	}
	for {
		if err := f.step(); err != nil {
			return err
		}
	}
}

// check refuses a subscription to a stream that has a tombstone, or that has no events and that a system projection would
// write.
func (f *streamFollower) check() error {
	h, err := logfile.LoadHead(f.call.Context(), f.log, f.stream)
	switch {
	case err != nil:
		return failed(err)
	case h.Tombstoned():
		return refuseDeleted(f.call.Context(), f.stream)
	case h.Last < 0 && isProjected(f.stream):
		return errProjected(f.stream)
	default:
		return nil
	}
}

// streamFollower is the state of a subscription to a stream. First it reads the stream from the file up to its end. Then it
// searches the newest records of the log, which are in memory, for those of the stream.
type streamFollower struct {
	*reading
	revision int64 // revision of the newest event sent or skipped, or after which the subscription begins; -1: none
	seen     int64 // position up to which the log has been searched
	fromFile bool  // still reading the stream from the file
	live     bool
}

func (f *streamFollower) step() error {
	last := f.tail.edge()
	if f.fromFile {
		return f.readPage(last)
	}
	if f.seen >= last {
		position, err := f.wait(&f.live, f.seen, []string{f.stream}, math.MaxInt64)
		f.seen = max(f.seen, position-1) // the records before this position belong to other streams
		return err
	}
	records, ok := f.tail.after(f.seen, logfile.PageLimit)
	if !ok {
		f.fromFile = true
		return f.fellBehind(&f.live)
	}
	for _, rec := range records {
		f.seen = rec.Position
		if rec.Stream != f.stream || rec.Revision <= f.revision {
			continue
		}
		if rec.Revision == logfile.Tombstoned {
			return refuseDeleted(f.call.Context(), f.stream)
		}
		f.revision = rec.Revision
		if err := f.send(rec); err != nil {
			return err
		}
	}
	return nil
}

// readPage sends the next events of the stream from the file, up to the position given by last.
func (f *streamFollower) readPage(last int64) error {
	ctx := f.call.Context()
	h, err := logfile.LoadHead(ctx, f.log, f.stream)
	if err != nil {
		return failed(err)
	}
	if h.Tombstoned() {
		return refuseDeleted(ctx, f.stream)
	}
	// The next event to read is the one after f.revision or, if that is later, the first one that the stream's metadata
	// leaves visible. The metadata of a softly deleted stream leaves none visible; then it is the next event that will be
	// appended.
	low := max(f.revision+1, min(h.FirstVisible(), h.Last+1))
	records, err := f.log.ReadStream(ctx, f.stream,
		logfile.StreamPage{Low: low, High: logfile.NoLimit, Until: last, Limit: logfile.PageLimit})
	if err != nil {
		return failed(err)
	}
	if len(records) == 0 {
		f.seen, f.fromFile = max(f.seen, last), false
		return nil
	}
	expired := h.ExpiredBefore(f.now())
	for _, rec := range records {
		f.revision = rec.Revision
		if rec.Created < expired {
			continue
		}
		if err := f.send(rec); err != nil {
			return err
		}
	}
	return nil
}

// confirm tells a client that it is subscribed. Clients wait for this message.
func (r *reading) confirm() error {
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_Confirmation{
		Confirmation: &streams.ReadResp_SubscriptionConfirmation{SubscriptionId: uuid.NewString()},
	}})
}

// wait sends CaughtUp when *live is false, and makes it true. Then it waits until one of these happens: a record in one
// of the streams or categories of interest is stored after the position behind, the log reaches the position due, the
// call ends, or the server closes. It returns the position that tail.sleep reports. When the log already has records
// after behind, it returns 0 at once.
func (r *reading) wait(live *bool, behind int64, interest []string, due int64) (int64, error) {
	if !*live {
		*live = true
		caughtUp := &streams.ReadResp_CaughtUp_{CaughtUp: &streams.ReadResp_CaughtUp{}}
		if err := r.call.Send(&streams.ReadResp{Content: caughtUp}); err != nil {
			return 0, err
		}
	}
	woken, end := r.tail.sleep(behind, interest, due)
	if woken == nil {
		return 0, nil
	}
	select {
	case position := <-woken:
		return position, nil
	case <-r.call.Context().Done():
		end()
		return 0, failed(r.call.Context().Err())
	case <-r.closing:
		end()
		return 0, failed(errClosed)
	}
}

// fellBehind sends FellBehind when the subscription had caught up before.
func (r *reading) fellBehind(live *bool) error {
	if !*live {
		return nil
	}
	*live = false
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_FellBehind_{FellBehind: &streams.ReadResp_FellBehind{}}})
}

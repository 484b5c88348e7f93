package projections

import "time"

// batching decides when a batch of events ends. A batch is what the projector folds and commits at once.
//
// A commit costs about as much as folding ten events, and a document that several events change is written once per
// commit. So large batches are cheaper. But a client that waits to see its own write needs a commit at once. Therefore
// a batch ends as soon as one of these is true:
//
//   - The batch has Config.BatchEvents events. While the projector has not reached the end of the log yet, the limit is
//     Config.BehindEvents instead.
//   - The projector reaches the end of the log.
//   - The batch is empty, and the subscription reports a checkpoint: a position up to which it found no further event
//     that the read models fold.
//   - The projector had reached the end of the log before, the batch has events, and no further event is there. Besides,
//     the batch need not wait (see below), or somebody waits for the read models.
//   - The first event of the batch came about gatherFor ago. While the projector has not reached the end of the log
//     yet, the time is gatherBehind instead.
//   - The batch has been empty for a second, or the context has ended.
//
// A batch at the end of the log need not wait while commits are rare: after a pause of atOnce times gatherFor, atOnce
// batches in a row need not wait, and after these about one in each gatherFor.
type batching struct {
	free time.Time // before this time a batch at the end of the log has to wait
}

const (
	// gatherFor is the maximum time that a batch at the end of the log waits for more events, counted from its first
	// event.
	gatherFor = 100 * time.Millisecond
	// gatherBehind is the maximum time that a batch waits for more events while the projector has not reached the end
	// of the log yet, counted from the first event of the batch.
	gatherBehind = 2 * time.Second
	// atOnce is how many batches in a row may be committed without waiting for more events, after a pause without
	// commits. A submission and its render take fewer.
	atOnce = 10
)

// mustWait reports whether a batch at the end of the log has to wait for more events.
func (b *batching) mustWait(now time.Time) bool { return now.Before(b.free) }

// committed records a commit at the time now. After atOnce commits in quick succession, mustWait makes the next batch
// wait for more events.
func (b *batching) committed(now time.Time) {
	if full := now.Add(-(atOnce - 1) * gatherFor); b.free.Before(full) {
		b.free = full
	}
	b.free = b.free.Add(gatherFor)
}

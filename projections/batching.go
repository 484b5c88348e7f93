package projections

import "time"

// batching decides how many events of the log one commit of the projector covers.
//
// A commit costs about as much as ten events in it, and a page that several events change is written once: large batches are cheaper. A client
// that waits to see its own write wants the next commit at once. So a batch ends, whichever comes first, when
//
//   - it has Config.BatchEvents events;
//   - a checkpoint, or the end of the log, is reached;
//   - the end of the log was reached before, no further event is there, and either the batch need not wait, or somebody waits for the read models;
//   - no event has come for gatherFor.
//
// A batch at the end of the log need not wait when fewer than atOnce batches have come in the last atOnce times gatherFor.
type batching struct {
	free time.Time // from then on a batch at the end of the log need not wait
}

const (
	// gatherFor is how long a batch waits for more events.
	gatherFor = 100 * time.Millisecond
	// atOnce is how many batches in a row need not wait after a pause: a submission and its render are fewer.
	atOnce = 10
)

// mustWait reports that a batch at the end of the log waits for more events.
func (b *batching) mustWait(now time.Time) bool { return now.Before(b.free) }

// committed notes a commit. It uses up one of the batches that need not wait.
func (b *batching) committed(now time.Time) {
	if full := now.Add(-(atOnce - 1) * gatherFor); b.free.Before(full) {
		b.free = full
	}
	b.free = b.free.Add(gatherFor)
}

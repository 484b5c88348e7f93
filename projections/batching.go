package projections

import "time"

// batching decides how many events of the log one commit of the projector covers.
//
// A commit costs about as much as folding ten events, and a document that several events change is written once per commit: large
// batches are cheaper. But a client that waits to see its own write needs a commit at once. So a batch ends at the first of
// these:
//
//   - it has Config.BatchEvents events, or Config.BehindEvents before the end of the log is reached;
//   - the end of the log is reached, or a checkpoint while the batch is empty;
//   - the end of the log was reached before, no further event is there, and either the batch need not wait, or somebody waits
//     for the read models;
//   - its first event has come gatherFor ago, or gatherBehind before the end of the log is reached;
//   - it is empty for a second.
//
// A batch at the end of the log need not wait when fewer than atOnce batches were committed in the last atOnce times gatherFor.
type batching struct {
	free time.Time // before this time a batch at the end of the log has to wait
}

const (
	// gatherFor is how long a batch at the end of the log waits for more events at most, from its first event on.
	gatherFor = 100 * time.Millisecond
	// gatherBehind is how long a batch waits for more events at most before the end of the log is reached.
	gatherBehind = 2 * time.Second
	// atOnce is how many batches in a row need not wait after a pause. A submission and its render take fewer.
	atOnce = 10
)

// mustWait reports whether a batch at the end of the log has to wait for more events.
func (b *batching) mustWait(now time.Time) bool { return now.Before(b.free) }

// committed records a commit. It uses up one of the batches that need not wait.
func (b *batching) committed(now time.Time) {
	if full := now.Add(-(atOnce - 1) * gatherFor); b.free.Before(full) {
		b.free = full
	}
	b.free = b.free.Add(gatherFor)
}

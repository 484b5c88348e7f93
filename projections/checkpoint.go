package projections

import (
	"context"
	"fmt"
	"strconv"

	"moviola/eventstore"
)

// checkpoints is the collection of checkpoints, one for each generation of the read models.
var checkpoints = Collection{Name: "checkpoints"}

// Checkpoint is how far a generation of the read models has been folded. It is written after the documents and names the last
// event that was folded or skipped. When the log does not have that event, it is another log, and the documents are invalid.
type Checkpoint struct {
	Commit   int64  `json:"commit"` // position up to which every event was folded or skipped
	Prepare  int64  `json:"prepare"`
	EventID  string `json:"event_id"` // id of the event at that position; empty: before the first commit
	Stream   string `json:"stream"`
	Revision int64  `json:"revision"`

	version int64 // version at which this document was loaded
}

func checkpointID(generation int64) string { return strconv.FormatInt(generation, 10) }

func (c Checkpoint) position() eventstore.Position {
	return eventstore.Position{Commit: uint64(c.Commit), Prepare: uint64(c.Prepare)}
}

// after returns the checkpoint after an event.
func (c Checkpoint) after(e eventstore.Recorded) Checkpoint {
	c.Commit, c.Prepare = int64(e.Position.Commit), int64(e.Position.Prepare)
	c.EventID, c.Stream, c.Revision = e.ID.String(), e.Stream, int64(e.Revision)
	return c
}

func (c Checkpoint) write(generation int64) *Write {
	return &Write{Collection: checkpoints.Name, ID: checkpointID(generation), Loaded: c.version, Document: c}
}

// loadCheckpoint reads the checkpoint of a generation; it is zero before the first commit.
func (c *catalogue) loadCheckpoint(ctx context.Context, generation int64) (Checkpoint, error) {
	id := checkpointID(generation)
	found, err := c.docs.Get(ctx, checkpoints.Name, id)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("read the checkpoint of generation %s: %w", id, err)
	}
	stored, ok := found[id]
	if !ok {
		return Checkpoint{}, nil
	}
	checkpoint, err := decodeAs[Checkpoint](stored.Body)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("decode the checkpoint of generation %s: %w", id, err)
	}
	checkpoint.version = stored.Version
	return checkpoint, nil
}

// standsIn reports whether the log has the event that the checkpoint names.
func (c Checkpoint) standsIn(ctx context.Context, store eventstore.Store) (bool, error) {
	if c.EventID == "" {
		return true, nil
	}
	for recorded, err := range store.ReadStream(ctx, c.Stream, eventstore.Forwards, eventstore.Revision(c.Revision)) {
		if err != nil {
			return false, fmt.Errorf("look for the event of the checkpoint: %w", err)
		}
		return recorded.ID.String() == c.EventID && recorded.Position == c.position(), nil
	}
	return false, nil
}

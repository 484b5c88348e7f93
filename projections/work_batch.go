package projections

import (
	"moviola/domain/batch"
	"moviola/domain/movie"
)

// lineBatch is the line of work of batches of movies. The subject is the batch.
const lineBatch = "batch/"

// WorkBatch is open while a batch of movies is not what it is to become: its credits held, each row submitted, or all of it wound down.
const WorkBatch = "batch"

// batchTouched names the item that an event of a batch moves.
func batchTouched(e Event) []string {
	if e.Category != batch.StreamCategory {
		return nil
	}
	return []string{lineBatch + e.ID}
}

// batch follows a batch from its request until nothing is left to be done. The request itself is given time to hold the credits.
func (w workModel) batch(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case batch.Requested:
		i.Account, i.Templates = string(d.Account), templateIDs(d.Templates)
		return i.ready(WorkBatch, d.At.Add(w.batchAfter)), true
	case batch.Accepted:
		return i.ready(WorkBatch, d.At), open
	case batch.Refused:
		return i.ready(WorkBatch, d.At), open
	case batch.Cancelled:
		return i.ready(WorkBatch, d.At), true
	default:
		return i, false
	}
}

// templateIDs are the ids of the templates that something is made of.
func templateIDs(uses []movie.TemplateUse) []string {
	var ids []string
	for _, use := range uses {
		ids = append(ids, use.ID)
	}
	return ids
}

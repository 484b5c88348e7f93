package projections

import (
	"moviola/domain/batch"
	"moviola/domain/movie"
)

// lineBatch is the line of work on batches of movies: the prefix of the ids of these work items, followed by the batch.
const lineBatch = "batch/"

// WorkBatch is open until the end of a batch of movies is recorded, or a refused batch is wound down.
const WorkBatch = "batch"

// batchTouched returns the id of the work item that an event of a batch of movies changes.
func batchTouched(e Event) []string {
	if e.Category != batch.StreamCategory {
		return nil
	}
	return []string{lineBatch + e.ID}
}

// batch folds an event into the work item of a batch of movies. The item is open from the request of the batch until
// its end is recorded, and again after a cancellation. After the request it is due when Config.BatchAfter has passed:
// until then, the process that serves the request is to hold the credits. The same holds for the end of the batch, which
// the process usually records that settles the last movie or winds the batch down. After each of the other events the item
// is due at once.
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
	case batch.Submitted:
		i.Templates = nil // the movies have read the templates
		return i.ready(WorkBatch, d.At.Add(w.batchAfter)), open && d.Movies > 0
	case batch.Closed:
		i.Templates = nil
		return i.ready(WorkBatch, d.At.Add(w.batchAfter)), open && d.Cancelled
	default:
		return i, false
	}
}

// templateIDs returns the ids of the templates in use.
func templateIDs(uses []movie.TemplateUse) []string {
	var ids []string
	for _, use := range uses {
		ids = append(ids, use.ID)
	}
	return ids
}

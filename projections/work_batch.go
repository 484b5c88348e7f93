package projections

import (
	"moviola/domain/batch"
	"moviola/domain/movie"
)

// lineBatch is the line of work on batches of movies: the prefix of the ids of these work items, followed by the batch.
const lineBatch = "batch/"

// WorkBatch is open until a batch of movies is complete (its credits held and every row submitted) or wound down.
const WorkBatch = "batch"

// batchTouched returns the id of the work item that an event of a batch of movies changes.
func batchTouched(e Event) []string {
	if e.Category != batch.StreamCategory {
		return nil
	}
	return []string{lineBatch + e.ID}
}

// batch folds an event into the work item of a batch of movies. The item is open from the request of the batch until
// nothing is left to do, and again after a cancellation. After the request it is due when Config.BatchAfter has passed:
// until then, the process that serves the request is to hold the credits. After each of the later events it is due at
// once.
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

// templateIDs returns the ids of the templates in use.
func templateIDs(uses []movie.TemplateUse) []string {
	var ids []string
	for _, use := range uses {
		ids = append(ids, use.ID)
	}
	return ids
}

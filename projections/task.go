package projections

import "moviola/domain"

// Task is the input of a processor: a work item and, when the worker that had claimed the item counts as dead, that
// claim. A Task is only a hint and may be outdated: the processor folds the stream of the subject and acts on its
// state.
type Task struct {
	WorkItem
	// Dead is the attempt, or the run of a delivery, whose worker has stopped showing signs of life; 0: none.
	Dead int `json:"dead"`
	// Death is the evidence of how the process of the dead worker failed; see Dead. Decision 56.
	Death domain.Death `json:"death"`
	// Apart is true when this process starts no other render or preload item until the task has ended.
	Apart bool `json:"apart"`
}

package projections

import "moviola/domain"

// Task is what a processor is handed: a piece of work and, when another worker's claim on it is known to be dead, that claim.
// It is only a hint and may be old: the processor folds the stream and acts on its state.
type Task struct {
	WorkItem
	// Dead is the attempt (of a render) or the run (of a delivery) whose worker shows no sign of life any more; 0: none.
	Dead int `json:"dead"`
	// Death is how the process of that worker is known to have failed. Decision 56.
	Death domain.Death `json:"death"`
	// Apart says that no other render or preload item is in work in this process until the task has ended.
	Apart bool `json:"apart"`
}

package projections

// Task is what a processor is handed: a piece of work and, when another worker's claim on it is known to be dead, that claim.
// It is only a hint and may be old: the processor folds the stream and acts on its state.
type Task struct {
	WorkItem
	// Dead is the attempt (of a render) or the run (of a delivery) whose worker shows no sign of life any more; 0: none.
	Dead int `json:"dead"`
}

package movies

import (
	"sync"

	"moviola/eventstore"
)

// watermark is the latest position of the log that this process has told a client of. A list waits for the read models to
// reach it: lists may trail what other processes have done, never this one's own answers. Design §4.
type watermark struct {
	mu sync.Mutex
	at eventstore.Position
}

func (w *watermark) raise(to eventstore.Position) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if to.Compare(w.at) > 0 {
		w.at = to
	}
}

func (w *watermark) position() eventstore.Position {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

package movies

import (
	"sync"

	"moviola/eventstore"
)

// watermark is the latest log position that this process has returned to a client. A list waits, up to a limit, until the
// read models include it. So lists may lag behind changes of other processes, but usually not behind this process's own
// answers. Design §4.
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

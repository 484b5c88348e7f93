package renders

import (
	"context"
	"fmt"
	"os"
	"time"
)

// watchPause is the time between two checks of the watched files.
const watchPause = 300 * time.Millisecond

// watching makes the movie, and makes it again whenever one of its files has changed, until it is interrupted. An error,
// such as a mistake in a file, is printed; then watching waits for the next change.
func (m *maker) watching(ctx context.Context, pause time.Duration) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		before := m.read()
		if err := m.once(ctx); err != nil && ctx.Err() == nil {
			_, _ = fmt.Fprintln(m.stderr, "moviola:", err)
		}
		if ctx.Err() == nil && !m.asJSON {
			_, _ = fmt.Fprintln(m.stderr, "watching", m.file, "for changes; end with Ctrl-C")
		}
		for m.read() == before && !m.local.changed() {
			select {
			case <-ctx.Done():
				return nil // an interrupt is the usual end of watching, no error
			case <-tick.C:
			}
		}
	}
}

// read returns the states of the movie JSON and of its variables, the files that are read first.
func (m *maker) read() [2]fileState { return [2]fileState{stateOf(m.file), stateOf(m.vars.File)} }

// fileState identifies the state of a file. The zero value is the state of a missing file.
type fileState struct {
	size    int64
	changed int64 // nanoseconds since 1970
}

func stateOf(name string) fileState {
	info, err := os.Stat(name)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime().UnixNano()}
}

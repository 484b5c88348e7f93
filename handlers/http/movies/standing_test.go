package movies_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"moviola/projections"
)

// A worker that has finished says so in the log and then leaves the board. Who asks in between sees the end, not a movie whose progress
// has fallen back to nothing.
func TestStatus_TheWorkerLeavesMeanwhile(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v2/movies?project=" + running, "/v2/movies", "/v2/movies/progress?project=" + running} {
		w := newWorld(t)
		started := now.Add(-time.Minute)
		m := projections.Movie{Project: running, Account: string(alice), Status: projections.StatusRunning, CreatedAt: started, StartedAt: &started, Attempt: 1}
		w.add(m, scenes)
		w.onBoard = func() {
			ended := m
			ended.Status, ended.Closed = projections.StatusDone, true
			w.mu.Lock()
			defer w.mu.Unlock()
			w.movies[running] = ended
		}
		body := w.call(http.MethodGet, path, "viewer", "").Body.String()
		if !strings.Contains(body, `"progress":100`) || !strings.Contains(body, `"status":"done"`) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

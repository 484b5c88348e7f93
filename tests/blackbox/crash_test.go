package blackbox_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"moviola/eventstore"
	"moviola/tests/harness"
)

// attemptsOf are the starts of a movie's render, oldest first.
func attemptsOf(t *testing.T, log *harness.Log, project string) []eventstore.Recorded {
	t.Helper()
	var all []eventstore.Recorded
	for _, event := range log.Stream("movie-" + project) {
		if event.Type == "RenderStarted" {
			all = append(all, event)
		}
	}
	return all
}

// end ends the service by a signal as soon as a movie's render has been started so many times, and starts it again. It returns false when the
// movie ended instead.
func end(t *testing.T, service *harness.Service, log *harness.Log, project string, started int, signal syscall.Signal) bool {
	t.Helper()
	closed := false
	harness.Eventually(t, "another attempt begins, or the movie ends", func() bool {
		closed = log.Count("movie-" + project)["RenderFinished"] > 0
		return closed || len(attemptsOf(t, log, project)) >= started
	})
	if closed {
		return false
	}
	service.API.Signal(signal)
	harness.Eventually(t, "the process has ended", service.API.Exited)
	service.WaitIdle()
	service.StartAPI()
	return true
}

// TestKilledAgainAndAgain kills the service in five attempts at one movie: nobody knows why a process ended, so the movie is not to blame.
// Decision 56.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	assets := harness.NewAssets(t)
	service, log := embedded(t, "--allow-host", assets.Host, "--claim-timeout", "1h", "--retry-limit", "1s")
	client := service.NewAccount("patience", 600)
	movie, credits := longMovie(assets)
	project := client.Submit(movie)
	for attempt := 1; attempt <= 5; attempt++ {
		if !end(t, service, log, project, attempt, syscall.SIGKILL) {
			t.Fatalf("the movie ended in attempt %d", attempt)
		}
	}
	checkOutcome(t, client, log, client.WaitFor(project, "done"), credits)
}

// TestPoison has a movie that crashes its process whenever it is rendered: it is rendered alone after the first time, and ends when three
// crashes count against it. The movie beside it is made. Decision 56.
func TestPoison(t *testing.T) {
	t.Parallel()
	assets := harness.NewAssets(t)
	service, log := embedded(t, "--allow-host", assets.Host, "--claim-timeout", "1h", "--retry-limit", "1s", "--render-slots", "2")
	client := service.NewAccount("poison", 600)
	movie, _ := longMovie(assets)
	project := client.Submit(movie)
	neighbour := client.Submit(object{"scenes": list{object{"duration": 1}}})
	crashes := 0
	// The Go runtime takes a SIGSEGV for a fault of its own, and reports it. A crash after a finished window does not count.
	const windows = 10
	for crashes < 4+windows && end(t, service, log, project, crashes+1, syscall.SIGSEGV) {
		crashes++
	}
	if got := client.WaitFor(project, "error"); !strings.Contains(got.Message, "stopped unexpectedly three times") || crashes < 4 {
		t.Errorf("after %d crashes: %s", crashes, got.Message)
	}
	client.WaitFor(neighbour, "done")
	for i, event := range attemptsOf(t, log, project) {
		var started struct {
			Alone   bool
			Death   string
			Windows int
		}
		if err := json.Unmarshal(event.Data, &started); err != nil {
			t.Fatal(err)
		}
		if want := i > 0; started.Alone != want || (started.Death == "crash") != want {
			t.Errorf("attempt %d: %+v", i+1, started)
		}
	}
	settled(t, client, 600, 1)
}

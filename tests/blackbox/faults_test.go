package blackbox_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"moviola/tests/harness"
)

// longMovie takes several seconds to render, in many windows, so that there is time to break something.
func longMovie(assets *harness.Assets) (movie object, credits int) {
	const scenes, seconds = 10, 2
	var all list
	for i := range scenes {
		all = append(all, object{"duration": seconds, "elements": list{
			object{"type": "video", "src": assets.URL + "/clip.mp4", "resize": "cover"},
			object{"type": "text", "text": fmt.Sprintf("Scene %d", i+1), "settings": object{"font-size": "160px"}},
		}})
	}
	return object{"resolution": "hd", "scenes": all}, scenes * seconds
}

// embedded starts a service whose embedded event store the test can read.
func embedded(t *testing.T, flags ...string) (*harness.Service, *harness.Log) {
	t.Helper()
	addr := harness.FreeAddr(t)
	service := harness.NewService(t, append(flags, "--eventstore-listen", addr)...)
	service.StartAPI()
	return service, harness.OpenLog(t, addr)
}

// waitProgress waits until the movie runs and has passed a share of its frames. Servers may be away meanwhile.
func waitProgress(t *testing.T, client *harness.Client, project string, percent float64) {
	t.Helper()
	var last float64
	harness.Patiently(t, fmt.Sprintf("movie %s is at %v%%", project, percent), func() (bool, any) {
		answer, ok := client.Try(http.MethodGet, "/movies?project="+project, nil)
		if !ok || answer.Status != http.StatusOK {
			return false, last
		}
		var got harness.Single
		answer.Into(t, &got)
		movie := got.Movie
		if movie.Status != "pending" && movie.Status != "running" {
			t.Fatalf("the movie is %s (%s) before anything was broken", movie.Status, movie.Message)
		}
		last = movie.Progress
		return movie.Status == "running" && movie.Progress >= percent, last
	})
}

// checkOutcome looks into the log: one outcome, one charge of the right amount, and the file is whole.
func checkOutcome(t *testing.T, client *harness.Client, log *harness.Log, movie harness.Movie, credits int) {
	t.Helper()
	if movie.ConsumedCredits != int64(credits) {
		t.Errorf("%d credits, want %d", movie.ConsumedCredits, credits)
	}
	if got := log.Count("movie-" + movie.Project); got["MovieSubmitted"] != 1 || got["RenderFinished"] != 1 {
		t.Errorf("events of the movie: %v", got)
	}
	ledger := "ledger-" + log.AccountOf(movie.Project)
	harness.Eventually(t, "the credits are charged", func() bool {
		return log.Count(ledger)["CreditsCharged"] > 0
	})
	if got := log.Count(ledger); got["CreditsCharged"] != 1 || got["CreditsReleased"] != 0 || got["CreditsHeld"] != 1 {
		t.Errorf("events of the ledger: %v", got)
	}
	file := client.Download(*movie.URL, nil)
	path := filepath.Join(t.TempDir(), "movie.mp4")
	if err := os.WriteFile(path, file.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	if frames := harness.ProbeFile(t, path).Streams[0].Frames; frames != fmt.Sprint(credits*25) {
		t.Errorf("%s frames, want %d", frames, credits*25)
	}
}

// TestKillEverything kills the whole process during a render and starts it again. It knows that its former self has ended: no silence has
// to tell.
func TestKillEverything(t *testing.T) {
	t.Parallel()
	assets := harness.NewAssets(t)
	service, log := embedded(t, "--allow-host", assets.Host, "--claim-timeout", "1h")
	client := service.NewAccount("kill", 600)
	movie, credits := longMovie(assets)
	project := client.Submit(movie)
	other := client.Submit(object{"scenes": list{object{"duration": 1, "background-color": "#336699"}}})

	waitProgress(t, client, project, 15)
	service.API.Kill()
	service.WaitIdle()
	service.StartAPI()

	got := client.WaitFor(project, "done")
	client.WaitFor(other, "done")
	count := log.Count("movie-" + project)
	if count["RenderStarted"] != 2 || count["RenderReleased"] != 0 {
		t.Errorf("events of the movie: %v, want a second attempt", count)
	}
	if charged := log.Count("ledger-" + log.AccountOf(project))["CreditsHeld"]; charged != 2 {
		t.Errorf("%d holds, want 2", charged)
	}
	if got.ConsumedCredits != int64(credits) {
		t.Errorf("%d credits, want %d", got.ConsumedCredits, credits)
	}
	settled(t, client, 600, credits+1)
	if got := log.Count("ledger-" + log.AccountOf(project)); got["CreditsCharged"] != 2 || got["CreditsReleased"] != 0 {
		t.Errorf("events of the ledger: %v", got)
	}
}

// TestRendererIsLost loses the one of two renderers that has the movie: the other takes over. One that was killed is known to have ended;
// one that hangs is taken for dead when it has been silent, and what it does when it wakes up counts for nothing.
func TestRendererIsLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		silence string
		lose    func(*harness.Process)
		wake    bool
	}{
		"killed":  {silence: "1h", lose: (*harness.Process).Kill},
		"hanging": {silence: "15s", lose: func(p *harness.Process) { p.Signal(syscall.SIGSTOP) }, wake: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assets := harness.NewAssets(t)
			addr := harness.FreeAddr(t)
			harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
			service := harness.NewService(t, "--allow-host", assets.Host, "--eventstore", "esdb://"+addr+"?tls=false", "--claim-timeout", tt.silence)
			service.StartAPI("--roles", "api,projector,deliverer,keeper")
			log := harness.OpenLog(t, addr)
			renderers := []*harness.Process{
				service.StartProcess("renderer-1", "--roles", "renderer"),
				service.StartProcess("renderer-2", "--roles", "renderer"),
			}
			client := service.NewAccount("takeover", 600)
			movie, credits := longMovie(assets)
			project := client.Submit(movie)
			waitProgress(t, client, project, 15)

			started := func() []string {
				var workers []string
				for _, event := range log.Stream("movie-" + project) {
					if event.Type == "RenderStarted" {
						workers = append(workers, harness.Field(t, event, "worker"))
					}
				}
				return workers
			}
			has := slices.IndexFunc(renderers, func(p *harness.Process) bool {
				return strings.Contains(started()[0], fmt.Sprintf("-%d-", p.Pid()))
			})
			if has < 0 {
				t.Fatalf("worker %s is none of the renderers", started()[0])
			}
			tt.lose(renderers[has])
			harness.Eventually(t, "the other renderer takes over", func() bool { return len(started()) == 2 })
			if tt.wake {
				renderers[has].Signal(syscall.SIGCONT)
			}
			got := client.WaitFor(project, "done")
			checkOutcome(t, client, log, got, credits)
			if workers := started(); len(workers) != 2 || workers[0] == workers[1] {
				t.Errorf("it was rendered by %v", workers)
			}
		})
	}
}

// TestEventStoreRestarts restarts the event store five times during one render: it stays one attempt.
func TestEventStoreRestarts(t *testing.T) {
	t.Parallel()
	assets := harness.NewAssets(t)
	addr, dir := harness.FreeAddr(t), filepath.Join(t.TempDir(), "events")
	store := harness.StartEventStore(t, dir, addr)
	service := harness.NewService(t, "--allow-host", assets.Host, "--eventstore", "esdb://"+addr+"?tls=false")
	service.StartAPI()
	client := service.NewAccount("outage", 600)
	movie, credits := longMovie(assets)
	project := client.Submit(movie)
	for i := range 5 {
		waitProgress(t, client, project, float64(5+12*i))
		if i%2 == 0 {
			store.Kill()
		} else {
			store.Terminate()
		}
		store = harness.StartEventStore(t, dir, addr)
	}
	got := client.WaitFor(project, "done")
	log := harness.OpenLog(t, addr)
	if count := log.Count("movie-" + project); count["RenderStarted"] != 1 {
		t.Errorf("events of the movie: %v, want one attempt", count)
	}
	checkOutcome(t, client, log, got, credits)
}

// TestDrain sends SIGTERM three times during one render: the claim is handed back each time, and nothing counts as a crash.
func TestDrain(t *testing.T) {
	t.Parallel()
	assets := harness.NewAssets(t)
	service, log := embedded(t, "--allow-host", assets.Host, "--drain-timeout", "300ms")
	client := service.NewAccount("drain", 600)
	movie, credits := longMovie(assets)
	project := client.Submit(movie)
	for i := range 3 {
		waitProgress(t, client, project, float64(10+20*i))
		service.API.Terminate()
		if left := service.Processes(); len(left) > 0 {
			t.Errorf("children outlived the drained process: %q", left)
		}
		service.StartAPI()
	}
	got := client.WaitFor(project, "done")
	count := log.Count("movie-" + project)
	if count["RenderStarted"] != 4 || count["RenderReleased"] != 3 {
		t.Errorf("events of the movie: %v, want 3 releases and 4 starts", count)
	}
	checkOutcome(t, client, log, got, credits)
}

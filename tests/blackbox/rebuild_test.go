package blackbox_test

import (
	"os/exec"
	"slices"
	"testing"

	"moviola/tests/harness"
)

// TestRebuildCommand makes the read models again beside a running service, which goes on with them, and of a service that was stopped.
func TestRebuildCommand(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("rebuilt", 600)
	movie := object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}}}
	first := client.Submit(movie)
	client.WaitFor(first, "done")
	rebuild := func() {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), harness.Binary(t), "rebuild", "--data", service.Data).CombinedOutput()
		if err != nil {
			t.Fatalf("rebuild: %v: %s", err, out)
		}
	}
	listed := func(want ...string) {
		t.Helper()
		harness.Eventually(t, "the list is complete", func() bool { // it may trail what the log says of a movie's end
			var list harness.List
			client.Do("GET", "/movies", nil).Into(t, &list)
			var got []string
			for _, movie := range list.Movies {
				if movie.Status == "done" {
					got = append(got, movie.Project)
				}
			}
			return slices.Equal(got, want)
		})
	}
	rebuild()
	listed(first)
	second := client.Submit(movie) // the work list is one of the read models
	client.WaitFor(second, "done")
	listed(second, first)
	service.API.Terminate()
	rebuild()
	service.StartAPI()
	listed(second, first)
	third := client.Submit(movie)
	client.WaitFor(third, "done")
	listed(third, second, first)
}

package blackbox_test

import (
	"bytes"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/sqlite"
	"moviola/projections"
	"moviola/projections/documentstest"
	"moviola/tests/harness"
)

// TestUpgrade goes to a later version of the program, back, and forward again, with movies made by each, and then runs both at once. Nothing
// ends, each does what it understands, and the read models are in the end what a rebuild makes of the log.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	newer := harness.NewerBinary(t)
	addr := harness.FreeAddr(t)
	store := "esdb://" + addr + "?tls=false"
	harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
	service := harness.NewService(t, "--eventstore", store)
	service.StartAPI()
	client := service.NewAccount("upgraded", 600)
	small := object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}}}
	var all []string // the newest first
	make := func() string {
		t.Helper()
		project := client.Submit(small)
		client.WaitFor(project, "done")
		all = slices.Insert(all, 0, project)
		return project
	}
	listed := func() {
		t.Helper()
		harness.Eventually(t, "the list has every movie", func() bool {
			answer, ok := client.Try(http.MethodGet, "/movies", nil)
			if !ok || answer.Status != http.StatusOK {
				return false
			}
			var list harness.List
			answer.Into(t, &list)
			var got []string
			for _, movie := range list.Movies {
				if movie.Status == "done" {
					got = append(got, movie.Project)
				}
			}
			return slices.Equal(got, all)
		})
	}
	run := func(program string) {
		t.Helper()
		service.API.Terminate()
		service.Program = program
		service.StartAPI()
	}
	first := make()

	run(newer)
	second := make()
	listed()

	run("")
	requireNewer(t, client, "/movies?project="+second)
	harness.Eventually(t, "the list does not leave out what cannot be read", func() bool { // it is being built
		answer, ok := client.Try(http.MethodGet, "/movies", nil)
		return ok && answer.Status == http.StatusServiceUnavailable && bytes.Contains(answer.Body, []byte(`"written_by_newer_version"`))
	})
	client.WaitFor(first, "done")
	make() // credits, rendering and status go on
	if service.API.Exited() {
		t.Fatalf("the earlier version ended:\n%s", service.API.Output())
	}

	run(newer)
	client.WaitFor(second, "done")
	listed()
	var generation int64
	harness.Eventually(t, "the newer version's read models are current", func() bool {
		_, pointer := documentsOf(t, service.Data)
		generation = pointer.Generation
		return pointer.Building == nil
	})

	service.Program = ""
	other := service.StartProcess("earlier", "--listen", harness.FreeAddr(t))
	harness.Eventually(t, "the earlier version serves", func() bool { return strings.Contains(other.Output(), "serves") })
	for range 4 {
		make()
	}
	listed()
	if other.Exited() {
		t.Fatalf("the earlier version ended beside the newer one:\n%s", other.Output())
	}
	other.Terminate()
	listed()
	var before map[string]string
	harness.Eventually(t, "every hold is settled", func() bool { // nothing is written after that
		var pointer projections.Pointer
		if before, pointer = documentsOf(t, service.Data); pointer.Generation != generation {
			t.Fatalf("generation %d became current beside the newer version's %d", pointer.Generation, generation)
		}
		return !slices.ContainsFunc(slices.Collect(maps.Keys(before)), func(id string) bool { return strings.HasPrefix(id, "work/hold/") })
	})
	before, _ = documentsOf(t, service.Data) // some of those above were read before the last hold was settled
	service.API.Terminate()

	if out, err := exec.CommandContext(t.Context(), newer, "rebuild", "--data", service.Data, "--eventstore", store).CombinedOutput(); err != nil {
		t.Fatalf("rebuild: %v: %s", err, out)
	}
	after, _ := documentsOf(t, service.Data)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
}

func text(answer harness.Answer) string { return string(answer.Body) }

func requireAnswer(t *testing.T, client *harness.Client, path string) harness.Answer {
	t.Helper()
	answer, ok := client.Try(http.MethodGet, path, nil)
	if !ok {
		t.Fatalf("GET %s was not answered", path)
	}
	return answer
}

// requireNewer asks for something that the version of the program that runs cannot read.
func requireNewer(t *testing.T, client *harness.Client, path string) {
	t.Helper()
	answer := requireAnswer(t, client, path)
	if answer.Status != http.StatusServiceUnavailable || !strings.Contains(text(answer), `"written_by_newer_version"`) || answer.Header.Get("Retry-After") == "" {
		t.Errorf("GET %s: %d %s", path, answer.Status, answer.Body)
	}
}

// documentsOf returns the documents of the current read models of an installation, and the pointer to these.
func documentsOf(t *testing.T, data string) (map[string]string, projections.Pointer) {
	t.Helper()
	docs, err := sqlite.Open(filepath.Join(data, "read-models.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = docs.Close() }()
	return documentstest.Dump(t, docs), documentstest.Pointer(t, docs)
}

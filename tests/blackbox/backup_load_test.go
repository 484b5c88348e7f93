package blackbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestBackup_underLoad saves a service while movies are submitted: what was acknowledged before is in the backup, and of what came meanwhile
// a movie is there with its document, or not at all.
func TestBackup_underLoad(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--roles", "api,projector,keeper")
	service.StartAPI()
	account := service.NewAccount("busy", 10_000)
	submit := func(n int) string {
		return account.Submit(object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}}, "client-data": object{"n": n}})
	}
	var before, meanwhile []string
	for n := range 20 {
		before = append(before, submit(n))
	}
	to := filepath.Join(t.TempDir(), "backups")
	ended := make(chan error, 1)
	cmd := exec.CommandContext(t.Context(), harness.Binary(t), "backup", "--data", service.Data, "--to", to)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- cmd.Wait() }()
	for running := true; running && len(meanwhile) < 200; {
		meanwhile = append(meanwhile, submit(len(before)+len(meanwhile)))
		select {
		case err := <-ended:
			ended <- err
			running = false
		default:
		}
	}
	if err := harness.Receive(t, "the backup", ended); err != nil {
		t.Fatal(err)
	}
	restored := harness.NewService(t, "--roles", "api,projector,keeper")
	moviola(t, "restore", "--from", to, "--data", restored.Data)
	restored.StartAPI()
	client := restored.Client(account.Key)
	there := 0
	for n, project := range append(before, meanwhile...) {
		var got harness.Single
		ask := func() bool {
			answer, ok := client.Try(http.MethodGet, "/movies?project="+project, nil)
			got = harness.Single{}
			return ok && answer.Status == http.StatusOK && json.Unmarshal(answer.Body, &got) == nil
		}
		if n < len(before) {
			harness.Eventually(t, "movie "+project+" is there", ask)
		} else if !ask() {
			continue
		}
		there++
		if want := fmt.Sprintf(`"n":%d}`, n); !strings.Contains(string(got.Movie.JSON), want) {
			t.Errorf("the document of movie %s is %s, want %s", project, got.Movie.JSON, want)
		}
	}
	t.Logf("%d movies were acknowledged before the backup and %d meanwhile; %d are there", len(before), len(meanwhile), there)
	harness.Eventually(t, "the audit passes", func() bool {
		return exec.CommandContext(t.Context(), harness.Binary(t), "audit", "--data", restored.Data).Run() == nil
	})
	checked(t, restored.Data, 0)
}

package blackbox_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// ruin overwrites a part of a file of the data folder: from a place to its end.
func ruin(t *testing.T, path string, from int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.WriteAt(bytes.Repeat([]byte{0xA5}, int(info.Size()-from)), from)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedStore: a store that cannot be opened ends the start, with a message that names the file and says what to do.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"events/events.db", "files/documents.db"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			service := harness.NewService(t)
			service.StartAPI()
			client := service.NewAccount("ruin", 600)
			client.WaitFor(client.Submit(object{"scenes": list{object{"duration": 1}}}), "done")
			service.API.Terminate()
			ruin(t, filepath.Join(service.Data, filepath.FromSlash(file)), 0)
			process := service.StartProcess("ruined", "--listen", harness.FreeAddr(t))
			harness.Eventually(t, "the start has failed", process.Exited)
			if out := process.Output(); !strings.Contains(out, filepath.Base(file)) || !strings.Contains(out, "restore") || strings.Contains(out, "panic") {
				t.Errorf("the message:\n%s", out)
			}
		})
	}
}

// TestLostLog: a log that is gone is not replaced by an empty one, which would have every document removed.
func TestLostLog(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	service.NewAccount("lost", 600)
	service.API.Terminate()
	log := filepath.Join(service.Data, "events")
	if err := os.Rename(log, log+".away"); err != nil {
		t.Fatal(err)
	}
	process := service.StartProcess("lost", "--listen", harness.FreeAddr(t))
	harness.Eventually(t, "the start has failed", process.Exited)
	if out := process.Output(); !strings.Contains(out, "events.db is lost") || !strings.Contains(out, "restore") {
		t.Errorf("the message:\n%s", out)
	}
	if _, err := os.Stat(log); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a new log was begun: %v", err)
	}
	if err := os.Rename(log+".away", log); err != nil {
		t.Fatal(err)
	}
	service.LaunchAPI()
}

// TestDamagedMovie: a finished movie that was changed in place, and is as long as it was, is found by check, and the same movie is rendered
// again instead of being copied.
func TestDamagedMovie(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("owner", 600)
	body := object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}}}
	first := client.Submit(body)
	client.WaitFor(first, "done")
	rendered := func(project string) (path string, content []byte) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(service.Data, "files", "renders", project, "*.mp4"))
		if err != nil || len(found) != 1 {
			t.Fatalf("files of %s: %q, %v", project, found, err)
		}
		if content, err = os.ReadFile(found[0]); err != nil {
			t.Fatal(err)
		}
		return found[0], content
	}
	path, whole := rendered(first)
	damaged := slices.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	second := client.Submit(body)
	client.WaitFor(second, "done")
	if _, content := rendered(second); bytes.Equal(content, damaged) {
		t.Error("the damaged movie was copied")
	}
	if out := checked(t, service.Data, 1); !strings.Contains(out, "damaged   finished movie: renders/"+first+"/") || !strings.Contains(out, ": 1 findings") {
		t.Errorf("check said %s", out)
	}
	if out := checked(t, service.Data, 0, "--quick"); !strings.Contains(out, ": 0 findings") {
		t.Errorf("check --quick said %s", out)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	third := client.Submit(body)
	client.WaitFor(third, "done")
	if _, content := rendered(third); !bytes.Equal(content, whole) {
		t.Error("the copy is not what was copied")
	}
}

// TestDamagedReadModels has a file of read models that is damaged when the service starts, or found to be while it runs: it is set aside, and every
// answer comes back from the log.
func TestDamagedReadModels(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(service *harness.Service, path string){
		"at the start": func(service *harness.Service, path string) {
			service.API.Terminate()
			ruin(t, path, 4096)
			service.LaunchAPI()
		},
		"while it runs": func(_ *harness.Service, path string) { // as the process that met the damage tells the others
			if err := os.WriteFile(path+".damaged", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := harness.NewService(t)
			service.StartAPI()
			client := service.NewAccount("ruin", 600)
			const movies = 3
			for i := range movies {
				client.WaitFor(client.Submit(object{"scenes": list{object{"duration": i + 1}}}), "done")
			}
			path := filepath.Join(service.Data, "read-models.db")
			damage(service, path)
			harness.Eventually(t, "another movie is taken", func() bool {
				answer, ok := client.Try(http.MethodPost, "/movies", []byte(`{"scenes":[{"duration":4}]}`))
				return ok && answer.Status == http.StatusOK
			})
			harness.Eventually(t, "the file was set aside", func() bool {
				aside, err := filepath.Glob(path + ".damaged-*Z")
				return err == nil && len(aside) == 1
			})
			harness.Eventually(t, "the list is complete", func() bool {
				answer, ok := client.Try(http.MethodGet, "/movies", nil)
				var got harness.List
				if ok && answer.Status == http.StatusOK {
					answer.Into(t, &got)
				}
				return got.Count > movies
			})
			service.WaitReady()
			harness.Eventually(t, "the credits are settled", func() bool { // a submission whose answer was lost was sent again
				var credits struct{ Held, Charged int }
				client.Do(http.MethodGet, "/credits", nil).Into(t, &credits)
				return credits.Held == 0 && credits.Charged >= 1+2+3+4
			})
		})
	}
}

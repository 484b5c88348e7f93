package blackbox_test

import (
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// sown are twelve texts that an account has planted: names, addresses, hosts, what its movies and templates say, and a file.
var sown = []string{"sown-key", "sown-connection", "sown-folder", "sown-file", "sown-content", "sown-template", "sown-body", "sown-data", "sown-text",
	"sown-source", "sown-hook", "sown-host"}

// sow has every kind of work done for an account, with the planted texts in it, and returns the movies.
func sow(t *testing.T, c *harness.Client, pictures, hooks string) (projects []string) {
	t.Helper()
	w := &worked{Client: c}
	w.do(t, "POST", "/keys", object{"name": "sown-key", "role": "render"}, nil)
	w.do(t, "POST", "/connections", object{"id": "hook", "type": "webhook", "endpoint": hooks + "/sown-connection"}, nil)
	w.do(t, "POST", "/media/folder", object{"folder": "sown-folder"}, nil)
	upload, _ := registerFile(t, c, "sown-file.txt", "text/plain", len("sown-content"))
	if status, err := sendFile(t.Context(), upload, "text/plain", len("sown-content"), strings.NewReader("sown-content")); err != nil || status != http.StatusOK {
		t.Fatalf("upload: %d %v", status, err)
	}
	c.SaveTemplate(`{"name":"sown-template","movie":{"comment":"sown-body","resolution":"sd","scenes":[{"duration":1}]}}`)
	small := func(elements list, more object) string {
		movie := object{"resolution": "custom", "width": 64, "height": 64, "elements": elements}
		for name, value := range more {
			movie[name] = value
		}
		return c.Submit(movie)
	}
	film := small(list{
		object{"type": "image", "src": pictures + "/picture.png?of=sown-source", "duration": 1},
		object{"type": "text", "text": "sown-text", "duration": 1},
	}, object{"client-data": object{"order": "sown-data"}, "exports": list{object{"destinations": list{
		object{"type": "webhook", "endpoint": hooks + "/sown-hook"}, object{"id": "hook"},
	}}}})
	failed := small(list{object{"type": "image", "src": "https://sown-host.invalid/a.png", "duration": 1}}, nil)
	c.WaitFor(film, "done")
	c.WaitFor(failed, "error")
	tried(t, c, film)
	return []string{film, failed}
}

// grown returns which of the planted texts are in a text, each with where it was found.
func grown(where, text string) (found []string) {
	for _, word := range sown {
		if strings.Contains(text, word) {
			found = append(found, where+": "+word)
		}
	}
	return found
}

// grownBelow returns which of the planted texts are in the files below a folder, or in their names.
func grownBelow(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		found = append(found, grown("name", name)...)
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		found = append(found, grown(name, string(content))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// none fails if a planted text was found.
func none(t *testing.T, where string, found []string) {
	t.Helper()
	for _, one := range found {
		t.Errorf("%s: %s", where, one)
	}
}

// TestErasure: twelve texts of an account are looked for after its erasure in the log, its archive, documents, read models, all
// write-ahead logs, the caches of renderers, the log output, the spans, and a backup from before the erasure, as it is stored and
// brought back. None is found, but the host in spans.
func TestErasure(t *testing.T) {
	t.Parallel()
	assets, receiver, spans := harness.NewAssets(t), harness.NewReceiver(t), startCollector(t)
	service := harness.NewService(t, "--encrypt-accounts", "--allow-host", assets.Host, "--allow-host", receiver.Host, "--otlp", spans.URL,
		"--log-level", "debug")
	service.Environment = []string{"OTEL_BSP_SCHEDULE_DELAY=100"}
	service.StartAPI()
	account, c := service.OpenAccount("somebody", 600)
	sow(t, c, assets.URL, receiver.URL)
	seal := settle(t, service.Data)
	output := service.API.Output()
	if n := len(grownBelow(t, service.Data)); n < len(sown) {
		t.Errorf("before the erasure the data folder has %d planted texts", n)
	}
	service.API.Terminate()
	archiveAll(t, service.Data)
	older, keys := filepath.Join(t.TempDir(), "older"), filepath.Join(t.TempDir(), "keys")
	if said := moviola(t, "backup", "--data", service.Data, "--to", older); !strings.Contains(said, "encrypted under the keys of 1 accounts") {
		t.Errorf("the backup says %s", said)
	}

	service.StartAPI("--sweep-every", "1s", "--clear-again", "1s", "--abandon-after", "1ms")
	operator := http.Header{"X-Admin-Token": {harness.AdminToken}}
	if answer := service.Client("").Send(http.MethodDelete, "/admin/accounts?account="+account, nil, operator); answer.Status != http.StatusOK {
		t.Fatalf("close the account: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "the account is erased", func() bool {
		out, err := exec.CommandContext(t.Context(), harness.Binary(t), "accounts", "erase", account, "--yes", "--data", service.Data).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "still being removed") {
			t.Fatalf("%v: %s", err, out)
		}
		return err == nil
	})
	harness.Eventually(t, "the caches are empty", func() bool { return len(grownBelow(t, filepath.Join(service.Data, "work"))) == 0 })
	output += service.API.Output()
	service.API.Terminate()
	settle(t, service.Data) // with another digest: the ledger was closed

	none(t, "the data folder", grownBelow(t, service.Data))
	events, _ := decoded(t, service.Data)
	none(t, "the archive", grown("events", events))
	none(t, "the log output", grown("a line", output))
	spans.mu.Lock()
	none(t, "the spans", grown("a span", strings.ReplaceAll(string(spans.raw), "sown-host.invalid", ""))) // spans have hosts, docs/operations.md
	if len(spans.spans) < 20 {
		t.Errorf("%d spans were sent", len(spans.spans))
	}
	spans.mu.Unlock()
	none(t, "the backup from before", grownBelow(t, older))

	moviola(t, "accounts", "keys", "backup", "--data", service.Data, "--to", keys)
	restored := filepath.Join(t.TempDir(), "restored")
	if said := moviola(t, "restore", "--from", older, "--data", restored, "--account-keys", keys); !strings.Contains(said, "were left out") {
		t.Errorf("restore says %s", said)
	}
	moviola(t, "rebuild", "--data", restored)
	none(t, "the restored installation", grownBelow(t, restored))
	if got := settle(t, restored); got != seal {
		t.Errorf("the audits differ: %s, restored %s", seal, got)
	}
}

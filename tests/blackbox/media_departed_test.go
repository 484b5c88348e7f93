package blackbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// stored is an account with a file of every kind that is stored for one, and where they can be fetched.
type stored struct {
	*harness.Client
	account  string
	project  string
	library  []string // addresses of what is in the media library
	rendered string
	prepared string
	upload   string // the address of a file that is registered
}

// TestAccount_storedMedia closes an account, and lets the balance of another stay at zero: what was stored for the one is gone from the disk
// and answers 404, of the other its library and its movies. Decision 39; design §6, closing.
func TestAccount_storedMedia(t *testing.T) {
	t.Parallel()
	picture, host := servePicture(t)
	service := harness.NewService(t, "--allow-host", host, "--zero-retention", "1s", "--sweep-every", "1s")
	service.StartAPI()
	operator := service.NewAccount("operator", 600)
	closed, spent := fill(t, service, picture, "closed", 100), fill(t, service, picture, "spent", 2)
	command := exec.CommandContext(t.Context(), harness.Binary(t), "accounts", "close", closed.account, "--yes", "--url", operator.Base)
	command.Env = append(os.Environ(), "MOVIOLA_ADMIN_TOKEN="+harness.AdminToken)
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "is closed") {
		t.Fatalf("close: %v %s", err, out)
	}
	closed.gone(t, service, "media", "preloads", "batches", "renders")
	if answer := closed.Download(closed.prepared, nil); answer.Status != 404 {
		t.Errorf("a prepared asset: %d", answer.Status)
	}
	if answer := closed.Do("GET", "/media", nil); answer.Status != 401 {
		t.Errorf("the key: %d", answer.Status)
	}
	if status, err := sendFile(context.Background(), closed.upload, "image/png", 1, strings.NewReader("1")); err != nil || status != 403 && status != 409 {
		t.Errorf("an upload that was registered: %d %v", status, err)
	}
	closed.uses(t, operator, 0)
	for _, cache := range []string{"assets", "render/cache"} { // of renderers, a folder for each account
		harness.Eventually(t, cache+" is that of one account", func() bool {
			found, err := filepath.Glob(filepath.Join(service.Data, "work", cache, "*"))
			return err == nil && len(found) == 1
		})
	}
	if answer := spent.Download(spent.library[0], nil); answer.Status != 200 {
		t.Errorf("another account's file: %d", answer.Status)
	}
	spent.Submit(object{"resolution": "sd", "elements": list{object{"type": "text", "text": "the last credit", "duration": 1}}})
	spent.gone(t, service, "media", "renders")
	spent.uses(t, operator, 0)
	if answer := spent.Download(spent.prepared, nil); answer.Status != 200 {
		t.Errorf("a prepared asset, which has its own time: %d", answer.Status)
	}
}

// fill opens an account and has everything stored for it. A credit of it is spent.
func fill(t *testing.T, service *harness.Service, picture, name string, credits int) stored {
	t.Helper()
	var s stored
	s.account, s.Client = service.OpenAccount(name, credits)
	upload, file := registerFile(t, s.Client, "p.txt", "text/plain", 5)
	if status, err := sendFile(t.Context(), upload, "text/plain", 5, strings.NewReader("hello")); err != nil || status != 200 {
		t.Fatalf("upload: %d %v", status, err)
	}
	s.upload, _ = registerFile(t, s.Client, "later.png", "image/png", 1)
	s.library = append(s.library, file)
	body, err := json.Marshal(object{"preload": list{
		object{"id": "kept", "type": "image", "src": picture, "save-to-media": true},
		object{"id": "cached", "type": "image", "src": picture},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var batch struct {
		ID     string `json:"preload_id"`
		Status string
		Items  []struct{ URL, Error string }
	}
	s.Do("POST", "/preloads", body).Into(t, &batch)
	id := batch.ID
	harness.Eventually(t, "the batch is done", func() bool {
		s.Do("GET", "/preloads/"+id, nil).Into(t, &batch)
		return batch.Status == "done"
	})
	s.library, s.prepared = append(s.library, batch.Items[0].URL), batch.Items[1].URL
	s.project = s.Submit(object{"resolution": "sd", "elements": list{object{"type": "image", "src": s.library[1], "duration": 1}}})
	s.rendered = *s.WaitFor(s.project, "done").URL
	for _, address := range append(s.library, s.rendered, s.prepared) {
		if answer := s.Download(address, nil); answer.Status != 200 {
			t.Fatalf("%s: %d", address, answer.Status)
		}
	}
	return s
}

// gone waits until the account's library and movie answer 404, and nothing is left on the disk of what the folders hold for it.
func (s stored) gone(t *testing.T, service *harness.Service, folders ...string) {
	t.Helper()
	for _, address := range append(s.library, s.rendered) {
		harness.Eventually(t, address+" is gone", func() bool { return s.Download(address, nil).Status == 404 })
	}
	for _, folder := range folders {
		of := s.account
		if folder == "renders" {
			of = s.project
		}
		dir := filepath.Join(service.Data, "files", folder, of)
		harness.Eventually(t, dir+" is empty", func() bool {
			if _, err := os.Stat(dir); os.IsNotExist(err) {
				return true
			}
			return len(filesBelow(t, dir)) == 0
		})
	}
}

// uses waits until an operator is told how much the account stores, in bytes.
func (s stored) uses(t *testing.T, operator *harness.Client, want int) {
	t.Helper()
	harness.Eventually(t, "the storage figure", func() bool {
		var got struct {
			Files   []any
			Storage struct {
				Used int `json:"used_bytes"`
			}
		}
		operator.Send("GET", "/v2/media?account="+s.account, nil, http.Header{"X-Api-Key": {operator.Key}, "X-Admin-Token": {harness.AdminToken}}).Into(t, &got)
		return got.Storage.Used == want && len(got.Files) == 0
	})
}

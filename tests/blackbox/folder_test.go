package blackbox_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestExportFolders: a movie is delivered to the folders that the operator has opened, whole and under the name that macros make; what is there
// stays, nothing leads out, and the folder of one account is unknown to another. A service does not start with a folder of its own data.
func TestExportFolders(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	open, private, outside := filepath.Join(base, "open"), filepath.Join(base, "private"), filepath.Join(base, "outside")
	for _, dir := range []string{open, private, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(open, "link")); err != nil {
		t.Fatal(err)
	}
	service := harness.NewService(t)
	service.StartAPI()
	owner, client := service.OpenAccount("owner", 600)
	other := service.NewAccount("other", 600)
	service.API.Terminate()
	for _, dir := range []string{service.Data, filepath.Join(service.Data, "files"), filepath.Dir(service.Data)} {
		service.LaunchAPI("--export-folder", "bad="+dir)
		harness.Eventually(t, "the service refuses "+dir, service.API.Exited)
		if says := service.API.Output(); !strings.Contains(says, "--export-folder: "+dir+" lies inside or above") {
			t.Errorf("%s: %s", dir, says)
		}
	}
	flags := []string{"--export-folder", "open=" + open, "--export-folder", "private=" + private + ":" + owner}
	service.StartAPI(flags...)

	body, err := json.Marshal(object{"id": "nas", "type": "folder", "folder": "private", "remote-path": "in/__yyyy__"})
	if err != nil {
		t.Fatal(err)
	}
	for who, c := range map[string]*harness.Client{"ok": client, "error": other} {
		if answer := c.Do(http.MethodPost, "/connections", body); answer.Status != http.StatusOK {
			t.Fatalf("save: %d %s", answer.Status, answer.Body)
		}
		var tested struct{ Status, Message string }
		c.Do(http.MethodPost, "/connections/test?id=nas", nil).Into(t, &tested)
		if tested.Status != who || who == "error" && !strings.Contains(tested.Message, "no export folder of that name for this account") {
			t.Errorf("the test of %s: %+v", who, tested)
		}
	}

	inline := func(more object) object {
		d := object{"type": "folder", "folder": "open", "file": "__filename__"}
		for name, value := range more {
			d[name] = value
		}
		return d
	}
	if err := os.WriteFile(filepath.Join(open, "taken.mp4"), []byte("of another tool"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(open, "old.mp4"), []byte("of another tool"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		to   object
		says string // part of the error's text; empty: the movie is delivered
	}{
		{object{"id": "nas", "file": "__filename_without_extension__/a.mp4"}, ""},
		{inline(nil), ""},
		{inline(object{"file": "old.mp4", "overwrite": true}), ""},
		{inline(object{"file": "taken.mp4"}), "a file of that name is there"},
		{inline(object{"remote-path": "link"}), "links are not followed"},
		{inline(object{"file": "../x.mp4"}), "file must be a path inside the folder"},
		{inline(object{"folder": outside}), "folder must be the name of an export folder"},
		{inline(object{"folder": "unknown"}), "no export folder of that name"},
	}
	var destinations list
	for _, tt := range tests {
		destinations = append(destinations, tt.to)
	}
	project := client.Submit(object{"scenes": list{object{"duration": 0.2}}, "exports": list{object{"destinations": destinations}}})
	client.WaitFor(project, "done")
	var results []map[string]any
	harness.Eventually(t, "every destination has its result", func() bool {
		results = client.Get(project).Movie.DestinationsResult
		return len(results) == len(tests)
	})
	for i, tt := range tests {
		message, _ := results[i]["message"].(string)
		if (results[i]["status"] == "ok") != (tt.says == "") || !strings.Contains(message, tt.says) || strings.Contains(message, base) {
			t.Errorf("%v: %v, want %q", tt.to, results[i], tt.says)
		}
	}
	video := client.Download(*client.Get(project).Movie.URL, nil).Body
	found, err := filepath.Glob(filepath.Join(private, "in/2*", project, "a.mp4"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	for path, want := range map[string][]byte{
		found[0]: video, filepath.Join(open, project+".mp4"): video, filepath.Join(open, "old.mp4"): video,
		filepath.Join(open, "taken.mp4"): []byte("of another tool"),
	} {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, want %d", path, len(got), err, len(want))
		}
	}
	for _, dir := range []string{outside, filepath.Join(open, ".moviola"), filepath.Join(private, ".moviola")} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s holds %v, %v", dir, left, err)
		}
	}

	// Delivered again, the same file counts as delivered. Below the reserve nothing is written.
	again := func() map[string]any {
		t.Helper()
		before := client.Get(project).Movie.DestinationsResult[1]
		if answer := client.Do(http.MethodPost, "/movies/redeliver?project="+project+"&index=1", nil); answer.Status != http.StatusOK {
			t.Fatalf("redeliver: %d %s", answer.Status, answer.Body)
		}
		var result map[string]any
		harness.Eventually(t, "the file is delivered again", func() bool {
			result = client.Get(project).Movie.DestinationsResult[1]
			return result["status"] != "pending" && result["at"] != before["at"]
		})
		return result
	}
	if got := again(); got["status"] != "ok" {
		t.Errorf("delivered again: %v", got)
	}
	service.API.Terminate()
	service.StartAPI(append(flags, "--disk-reserve", "100000TB")...)
	if got := again(); got["status"] != "error" || !strings.Contains(got["message"].(string), "no room above its reserve") {
		t.Errorf("below the reserve: %v", got)
	}
}

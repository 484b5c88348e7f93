package blackbox_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/tests/harness"
)

// TestRebuild takes the read models away between two runs: every answer comes back from the log.
func TestRebuild(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("rebuild", 600)
	done := client.Submit(object{"id": "kept", "scenes": list{object{"duration": 1}}})
	failed := client.Submit(object{"scenes": list{object{"duration": 1, "elements": list{object{"type": "video"}}}}})
	client.WaitFor(done, "done")
	client.WaitFor(failed, "error")
	settled(t, client, 600, 1)
	harness.CaughtUp(t, client.Base)
	before := []harness.Single{client.Get(done), client.Get(failed)}
	service.API.Terminate()

	files, err := filepath.Glob(filepath.Join(service.Data, "read-models.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("read models: %v, %v", files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	service.StartAPI()
	harness.Eventually(t, "the list is complete", func() bool {
		var list harness.List
		client.Do("GET", "/movies", nil).Into(t, &list)
		return list.Count == 2
	})
	settled(t, client, 600, 1)
	harness.CaughtUp(t, client.Base)
	after := []harness.Single{client.Get(done), client.Get(failed)}
	if diff := cmp.Diff(before, after, cmpopts.IgnoreFields(harness.Single{}, "Timestamp")); diff != "" {
		t.Errorf("answers before and after (-before +after):\n%s", diff)
	}
}

// TestFirstStart: the key is shown once, and a second start shows none.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	harness.Eventually(t, "the start is announced", func() bool {
		return strings.Contains(service.API.Output(), "PROJECT")
	})
	first := service.API.Output()
	at := strings.Index(first, "mv_")
	if at < 0 || !strings.Contains(first, "curl -X POST") {
		t.Fatalf("first start:\n%s", first)
	}
	key := first[at : at+49]
	project := service.Client(key).Submit(object{"scenes": list{object{"duration": 1}}})
	service.Client(key).WaitFor(project, "done")
	service.API.Terminate()

	service.StartAPI()
	harness.Eventually(t, "the start is announced", func() bool {
		return strings.Contains(service.API.Output(), "serves")
	})
	if second := service.API.Output(); strings.Contains(second, "mv_") {
		t.Errorf("a key was shown again:\n%s", second)
	}
	if got := service.Client(key).Get(project).Movie; got.Status != "done" || got.URL == nil {
		t.Errorf("after the second start: %+v", got)
	}
	marks, err := filepath.Glob(filepath.Join(service.Data, "*", key+"*"))
	if err != nil || len(marks) > 0 {
		t.Errorf("files named by the key: %v, %v", marks, err)
	}
	checkNoSecret(t, service.Data, key)
}

// there is an error of a walk through the folder of a service that runs, unless it tells that a file has gone meanwhile.
func there(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// checkNoSecret reads every file below the data folder: the key's value is nowhere.
func checkNoSecret(t *testing.T, dir, key string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return there(err)
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), key) {
			t.Errorf("%s holds the key", path)
		}
		return there(err)
	})
	if err != nil {
		t.Error(err)
	}
}

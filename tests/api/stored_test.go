package api_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"moviola/tests/disk"
)

// notStored submits movies that cannot be stored, twice, with room for them in between.
func notStored(t *testing.T, w *world) {
	c, block, unblock := unstorable(t, w)
	for range 2 {
		block()
		for range 3 {
			c.refused(t, "POST", "/movies", quick(""), 500, "movie_json_not_stored", "")
		}
		if got := c.into(t, "GET", "/movies", ""); got["count"] != 0.0 || got["remaining_quota"].(object)["time"] != 600.0 {
			t.Errorf("something was created or charged: %v", got)
		}
		if got := c.into(t, "GET", "/credits", ""); got["held"] != 0.0 || got["available"] != 600.0 {
			t.Errorf("something is held: %v", got)
		}
		unblock()
	}
	c.submit(t, quick(""))
}

// unstorable opens an account whose documents cannot be stored between two calls: the disk for files is full. Where no disk can be
// mounted, a file stands where the account's folder would be.
func unstorable(t *testing.T, w *world) (c *client, block, unblock func()) {
	t.Helper()
	d, err := disk.Make(t, 16)
	if err == nil {
		data, files := t.TempDir(), filepath.Join(d.Path, "files")
		if err := errors.Join(os.Mkdir(files, 0o700), os.Symlink(files, filepath.Join(data, "files"))); err != nil {
			t.Fatal(err)
		}
		c = install(t, w.web, "--roles", "api,projector", "--data", data).open(t, 600)
		return c, func() { d.Fill(0) }, d.MakeRoom
	}
	t.Log("there is no disk to fill: ", err)
	c = w.plain.open(t, 600)
	path := filepath.Join(c.data, "files", "movies", c.account)
	block = func() {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	unblock = func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	return c, block, unblock
}

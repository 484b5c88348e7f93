package backups

import (
	"bytes"
	"strings"
	"testing"

	"moviola/internal/backup"
	"moviola/internal/config"
)

// TestRestore_report: the printed command line names the MongoDB that has got the keys of accounts.
func TestRestore_report(t *testing.T) {
	t.Parallel()
	r := bringingBack{data: t.TempDir(), mongo: "mongodb://me:hush@db.example/moviola"}
	var out bytes.Buffer
	err := r.report(&out, backup.Manifest{ID: "one"})
	if err != nil || !strings.Contains(out.String(), "--mongo='mongodb://me:***@db.example/moviola'") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// TestRestore_noteStores: the printed command line, and what the data folder tells commands about the service, name the stores
// into which the restore has put everything, and not the former ones.
func TestRestore_noteStores(t *testing.T) {
	t.Parallel()
	former := map[string]string{"eventstore": "esdb://former", "eventstore-file": "/run/store", "mongo": "mongodb://former/d",
		"blobs": "s3://former", "listen": ":80"}
	for _, row := range []struct {
		name      string
		r         bringingBack
		want, not []string
	}{
		{"into the data folder", bringingBack{}, []string{"--listen=:80", "--mongo=mongodb://former"},
			[]string{"esdb:", "eventstore", "s3:"}},
		{"keys into the data folder", bringingBack{keysFile: "keys"}, []string{"--listen=:80"}, []string{"mongodb:"}},
		{"into other stores", bringingBack{eventStore: "esdb://now", blobs: "s3://now", mongo: "mongodb://now/d"},
			[]string{"--eventstore=esdb://now", "--blobs=s3://now", "--mongo=mongodb://now"}, []string{"former", "/run/store"}},
	} {
		row.r.data = t.TempDir()
		if err := config.Note(config.Config{Data: row.r.data, Given: former, Roles: config.AllRoles}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := row.r.noteStores(row.r.data); err != nil {
			t.Fatal(err)
		}
		if err := row.r.report(&out, backup.Manifest{ID: "one"}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %s is not in %s", row.name, want, out.String())
			}
		}
		for _, not := range row.not {
			if strings.Contains(out.String(), not) {
				t.Errorf("%s: %s is in %s", row.name, not, out.String())
			}
		}
		now := config.Config{Data: row.r.data, EventStore: row.r.eventStore, Blobs: row.r.blobs, Mongo: "mongodb://any/d"}
		if err := now.RequireStores(); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

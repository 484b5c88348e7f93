package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/adapters/sqlite"
	"moviola/internal/config"
	"moviola/internal/extract/extracttest"
	"moviola/internal/stores"
)

// TestExtracts runs the commands for analysts on read models of a data folder.
func TestExtracts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	docs, err := sqlite.Open(filepath.Join(data, stores.ReadModelsFile))
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Fill(t, docs) // the service goes on meanwhile
	defer func() { _ = docs.Close() }()
	empty, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	damaged := t.TempDir()
	garbage := []byte(strings.Repeat("not a database. ", 1024))
	if err := os.WriteFile(filepath.Join(damaged, stores.ReadModelsFile), garbage, 0o600); err != nil {
		t.Fatal(err)
	}
	moved := t.TempDir() // its read models are in a MongoDB now, its log and its files elsewhere
	if err := os.WriteFile(filepath.Join(moved, stores.ReadModelsFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.Note(config.Config{Data: moved, Roles: config.AllRoles, Given: map[string]string{
		"mongo": "mongodb://h/d", "eventstore": "esdb://h", "blobs": "s3://b"}}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		said string
	}{
		{[]string{"analytics", "snapshot", "--data", data, "--to", out + ".db"}, 0, "6 rows of movies, 3 rows of deliveries, 4 rows of usage_daily, 2 rows of ledger"},
		{[]string{"analytics", "snapshot", "--data", data, "--to", out + ".db"}, 1, "is there already"},
		{[]string{"analytics", "snapshot", "--data", data}, 1, "--to"},
		{[]string{"analytics", "snapshot", "--data", empty, "--to", out + ".none"}, 1, "look for the read models"},
		{[]string{"analytics", "snapshot", "--data", damaged, "--to", out + ".none"}, 1, "is set aside"},
		{[]string{"analytics", "snapshot", "--data", moved, "--to", out + ".none"}, 1, "--mongo mongodb://h/d"},
		{[]string{"export", "movies", "--data", moved, "--to", out + ".none"}, 1, "--mongo mongodb://h/d"},
		{[]string{"check", "--repair", "--data", moved}, 2, "--mongo mongodb://h/d"},
		{[]string{"check", "--repair", "--files-only", "--data", moved}, 2, "--eventstore esdb://h"},
		{[]string{"check", "--repair", "--files-only", "--data", moved, "--eventstore", "esdb://127.0.0.1:1"}, 2, "--blobs s3://b"},
		{[]string{"rebuild", "--data", moved, "--mongo", "mongodb://127.0.0.1:1/d"}, 1, "--eventstore esdb://h"},
		{[]string{"analytics", "views"}, 1, "--mongo"},
		{[]string{"export", "ledger", "--data", data, "--to", out + ".csv"}, 0, "holds 2 rows of ledger"},
		{[]string{"export", "movies", "--data", data, "--format", "parquet", "--since", "2026-03-02", "--to", out + ".parquet"}, 0, "holds 3 rows of movies"},
		{[]string{"export", "movies", "--data", data, "--format", "xml", "--to", out + ".xml"}, 1, "csv, jsonl and parquet"},
		{[]string{"export", "movies", "--data", data, "--since", "yesterday", "--to", out + ".xml"}, 1, "--since"},
		{[]string{"export", "keys", "--data", data, "--to", out + ".xml"}, 1, `no table "keys"`},
	} {
		var stdout, stderr strings.Builder
		code := Main(append([]string{"moviola"}, row.args...), &stdout, &stderr)
		if said := stdout.String() + stderr.String(); code != row.code || !strings.Contains(said, row.said) {
			t.Errorf("%v: exit %d, %q; want %d and %q", row.args, code, said, row.code, row.said)
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) != 0 {
		t.Errorf("looking made %v, %v", left, err)
	}
}

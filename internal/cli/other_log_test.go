package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"moviola/internal/config"
)

// TestOtherLog: a data folder may have a log from before the service was started with --eventstore. No command takes it for the
// log of the service, and neither does the service.
func TestOtherLog(t *testing.T) {
	t.Parallel()
	data := granting(t, 5)
	note := func(flags map[string]string, roles ...string) {
		t.Helper()
		if err := config.Note(config.Config{Data: data, Given: flags, Roles: roles}); err != nil {
			t.Fatal(err)
		}
	}
	const where = "esdb://127.0.0.1:1?tls=false"
	note(map[string]string{"eventstore": where}, config.RoleAPI)
	to := filepath.Join(t.TempDir(), "to")
	for _, args := range [][]string{
		{"audit", "--log-only"}, {"audit", "anchor", "--to", to}, {"check"}, {"check", "--files-only"}, {"rebuild"},
		{"accounts", "erase", "alice", "--yes"}, {"backup", "--to", to}, {"secrets", "rotate"},
		{"serve", "--listen", "127.0.0.1:0", "--ops-listen", ""},
	} {
		code, stdout, stderr := command(append(args, "--data", data)...)
		if code == 0 || !strings.Contains(stderr, "--eventstore "+where) {
			t.Errorf("%q: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
	note(nil, config.RoleKeeper) // no flags are recorded
	note(map[string]string{}, config.RoleRenderer)
	if code, _, stderr := command("audit", "--log-only", "--data", data); code != 0 {
		t.Errorf("another process has the log in the folder: exit %d, %q", code, stderr)
	}
}

// TestOtherReadModels: the same of the read models in the data folder.
func TestOtherReadModels(t *testing.T) {
	t.Parallel()
	data := granting(t, 5)
	const where = "mongodb://h/d"
	if err := config.Note(config.Config{Data: data, Given: map[string]string{"mongo": where}, Roles: []string{"api"}}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"audit"}, {"analytics", "snapshot", "--to", filepath.Join(t.TempDir(), "to")}} {
		if code, _, stderr := command(append(args, "--data", data)...); code == 0 || !strings.Contains(stderr, "--mongo "+where) {
			t.Errorf("%q: exit %d, %q", args, code, stderr)
		}
	}
}

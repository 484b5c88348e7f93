package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"moviola/eventstore/embedded"
	"moviola/tests/harness/servers"
)

// TestEventStore_users goes through a users file's life by the command line. Passwords come from files and are nowhere to be seen.
func TestEventStore_users(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	users, password, short := filepath.Join(dir, "users"), filepath.Join(dir, "password"), filepath.Join(dir, "short")
	for path, content := range map[string]string{password: "correct horse\nsecond line\n", short: "1234567\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add := []string{"eventstore", "user", "add", "--users", users, "--password-file"}
	wantCommand(t, 1, "8 to 72 bytes", append(add, short, "renderer")...)
	wantCommand(t, 1, "other characters than", append(add, password, "a:b")...)
	wantCommand(t, 0, "holds user renderer (full)", append(add, password, "renderer")...)
	wantCommand(t, 0, "holds user audit (read-only)", append(add, password, "audit", "--read-only")...)
	wantCommand(t, 1, "there is a user audit", append(add, password, "audit")...)
	content, err := os.ReadFile(users)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(users); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the users file: %v, %v", info, err)
	}
	if text := string(content); strings.Contains(text, "horse") || !strings.HasPrefix(text, "renderer:$2a$12$") || !strings.HasSuffix(text, ":read-only\n") {
		t.Errorf("the users file holds:\n%s", text)
	}
	wantCommand(t, 0, "no user audit any more", "eventstore", "user", "remove", "--users", users, "audit")
	wantCommand(t, 1, "there is no user audit", "eventstore", "user", "remove", "--users", users, "audit")
	if left, err := os.ReadFile(users); err != nil || string(left) != strings.SplitAfter(string(content), "\n")[0] {
		t.Errorf("the users file holds, %v:\n%s", err, left)
	}
}

// TestEventStore_serveRefused: nothing listens where a password could be read on the way, or anybody could change the log.
func TestEventStore_serveRefused(t *testing.T) {
	t.Parallel()
	certificate, data := servers.NewCertificate(t), filepath.Join(t.TempDir(), "events")
	withTLS := []string{"--tls-cert", certificate.CertFile, "--tls-key", certificate.KeyFile}
	empty := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(empty, []byte("# nobody yet\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, flags := range map[string][]string{
		"needs --tls-cert, --tls-key and --users": {"--listen", "0.0.0.0:0"},
		"give both or none":                       {"--listen", "127.0.0.1:0", "--tls-cert", certificate.CertFile},
		"do not send their passwords":             {"--listen", "127.0.0.1:0", "--users", empty},
		"give an address with --listen":           withTLS,
		"names no user":                           append([]string{"--listen", "0.0.0.0:0", "--users", empty}, withTLS...),
		"--listen [::]:0: an address":             append([]string{"--listen", "[::]:0"}, withTLS...),
	} {
		wantCommand(t, 1, says, append([]string{"eventstore", "serve", "--data", data}, flags...)...)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("a refused start has made the folder of the log")
	}
}

// TestServe_rights: a service whose user may not append ends before it makes a folder or a key.
func TestServe_rights(t *testing.T) {
	t.Parallel()
	certificate, dir := servers.NewCertificate(t), t.TempDir()
	users, data := filepath.Join(dir, "users"), filepath.Join(dir, "data")
	hash, err := bcrypt.GenerateFromPassword([]byte("correct horse"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(users, []byte("audit:"+string(hash)+":read-only\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := embedded.Open(embedded.Config{
		Dir: filepath.Join(dir, "events"), Listen: "127.0.0.1:0", CertFile: certificate.CertFile, KeyFile: certificate.KeyFile, UsersFile: users,
	})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	wantCommand(t, 1, `--eventstore: user "audit" of the event store may not append`, "serve", "--data", data, "--listen", "127.0.0.1:0",
		"--ops-listen", "", "--eventstore", "esdb://audit:correct%20horse@"+server.Addr()+"?tlsCAFile="+certificate.CertFile)
	if _, err := os.Stat(data); err == nil {
		t.Error("the data folder was made")
	}
	if server.Head() != 0 {
		t.Error("something was written to the log")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

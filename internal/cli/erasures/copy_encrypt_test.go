package erasures_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"moviola/eventstore/embedded"
	"moviola/internal/cli/audits"
	"moviola/internal/cli/eventstores"
	"moviola/internal/cli/upkeep"
)

// command runs a command and returns what it prints.
func command(t *testing.T, cmd *cobra.Command, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(context.WithoutCancel(t.Context()))
	return out.String(), err
}

// copyInto copies the log of a data folder into a new log, once or more, and returns the folder of the new one and what the last copy says.
func copyInto(t *testing.T, data string, flags ...[]string) (dir, said string, err error) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "events")
	server, err := embedded.Open(embedded.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	for _, more := range flags {
		args := append([]string{"copy", "--data", filepath.Join(data, "events"), "--to", server.Addr(), "--log-level", "error"}, more...)
		said, err = command(t, eventstores.EventStoreCommand(), args...)
	}
	if err := server.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	return dir, said, err
}

// replaceLog puts a log in the place of that of a data folder.
func replaceLog(t *testing.T, data, dir string) {
	t.Helper()
	old := filepath.Join(data, "events")
	if err := os.Rename(old, filepath.Join(t.TempDir(), "old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, old); err != nil {
		t.Fatal(err)
	}
}

// audited returns the line with the digest from the report of an audit, which must pass.
func audited(t *testing.T, data string) string {
	t.Helper()
	out, err := command(t, audits.AuditCommand(upkeep.PublicKey, upkeep.AnchorCommand(), upkeep.VerifyCommand()), "--data", data)
	if err != nil {
		t.Fatalf("audit: %s, %v", out, err)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"digest"`) {
			return line
		}
	}
	t.Fatalf("the audit has no digest: %s", out)
	return ""
}

// TestCopy_encrypt: a log from before encryption is copied into one without personal data in clear, in two runs as in one. The audit
// has the same digest, anchors hold, the read models are the same, and an erasure leaves nothing.
func TestCopy_encrypt(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, false)
	if err := os.WriteFile(filepath.Join(data, "secret"), []byte("a long random text"), 0o600); err != nil {
		t.Fatal(err)
	}
	rebuildAll(t, data)
	before, digest, anchor := shown(t, data), audited(t, data), filepath.Join(t.TempDir(), "anchor")
	said, err := command(t, audits.AuditCommand(upkeep.PublicKey, upkeep.AnchorCommand(), upkeep.VerifyCommand()), "anchor", "--data", data, "--to", anchor)
	_, key, _ := strings.Cut(said, "public key ")
	if err != nil {
		t.Fatal(said, err)
	}
	dir, said, err := copyInto(t, data, []string{"--encrypt"}, []string{"--encrypt"})
	if err != nil || !strings.Contains(said, "copied 0 events") || !strings.Contains(said, "2 accounts have keys") ||
		!strings.Contains(said, "in the same order") {
		t.Fatalf("the second run says %s, %v", said, err)
	}
	replaceLog(t, data, dir)
	if in := inLog(t, data); in != nil {
		t.Errorf("the copy has %q", in)
	}
	rebuildAll(t, data)
	if after := shown(t, data); found(after) == nil || balance(after) != balance(before) || strings.Count(after, "canary") != strings.Count(before, "canary") {
		t.Errorf("the read models are\n%s\nwere\n%s", after, before)
	}
	if got := audited(t, data); got != digest {
		t.Errorf("the digest is %s, was %s", got, digest)
	}
	said, err = command(t, audits.AuditCommand(upkeep.PublicKey, upkeep.AnchorCommand(), upkeep.VerifyCommand()), "verify", "--data", data, "--against", anchor,
		"--public-key", strings.TrimSpace(key))
	if err != nil || !strings.Contains(said, `"anchor": "anchored"`) {
		t.Errorf("the anchor: %s, %v", said, err)
	}
	if out, err := erase(t, data, string(ada), "--yes"); err != nil || !strings.Contains(out, "no personal data of the account in clear") {
		t.Errorf("the erasure says %q, %v", out, err)
	}
	if in := found(shown(t, data)); in != nil || inLog(t, data) != nil {
		t.Errorf("afterwards the read models show %q and the log %q", in, inLog(t, data))
	}
}

// TestCopy_encryptErased: what an erasure had to leave in clear is not in an encrypted copy.
func TestCopy_encryptErased(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, false)
	rebuildAll(t, data)
	if _, err := erase(t, data, string(ada), "--yes"); err == nil {
		t.Fatal("the erasure does not say what the log has in clear")
	}
	dir, said, err := copyInto(t, data, []string{"--encrypt"})
	if err != nil {
		t.Fatal(said, err)
	}
	replaceLog(t, data, dir)
	if out, err := erase(t, data, string(ada), "--yes"); err != nil || inLog(t, data) != nil {
		t.Errorf("the log has %q; the erasure says %q, %v", inLog(t, data), out, err)
	}
}

// TestCopy_encryptRefuses to go on with a copy that was begun in clear, and to make keys where no installation is.
func TestCopy_encryptRefuses(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, false)
	if _, said, err := copyInto(t, data, nil, []string{"--encrypt"}); err == nil || !strings.Contains(err.Error(), "copy anew") {
		t.Errorf("after a copy in clear: %s, %v", said, err)
	}
	said, err := command(t, eventstores.EventStoreCommand(), "copy", "--encrypt", "--from", "esdb://127.0.0.1:1?tls=false", "--to",
		"esdb://127.0.0.1:2?tls=false", "--data", "/nowhere/events")
	if err == nil || !strings.Contains(err.Error(), "name its log with --data") {
		t.Errorf("without the installation: %s, %v", said, err)
	}
}

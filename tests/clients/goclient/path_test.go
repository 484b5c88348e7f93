package goclient_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The script that changes the import path of the client leaves the old path nowhere but in the change log, and the client and
// the command line are built with the new one.
func TestPathScript(t *testing.T) {
	t.Parallel()
	const next = "example.com/someone/moviola/client"
	old := strings.TrimPrefix(strings.Split(read(t, "../../../client/go.mod"), "\n")[0], "module ")
	copied := copyTree(t, "../../..")
	run := func(dir, name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = filepath.Join(copied, dir)
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, said)
		}
		return string(said)
	}
	run("", "git", "init", "-q")
	run("", "git", "add", "--all", "--force")
	named := strings.Fields(run("", "git", "grep", "-lF", old, "--", ":!CHANGELOG.md"))
	run("", "sh", "scripts/client-path.sh", next)
	for _, name := range named {
		content := read(t, filepath.Join(copied, name))
		if strings.Contains(content, old) || !strings.Contains(content, next) {
			t.Errorf("%s has the old path, or not the new one", name)
		}
	}
	if changed := strings.Fields(run("", "git", "diff", "--name-only")); strings.Join(changed, " ") != strings.Join(named, " ") {
		t.Errorf("changed are %q, the path was in %q", changed, named)
	}
	if got := strings.TrimSpace(run("client", "go", "list", ".")); got != next {
		t.Errorf("the client is %s", got)
	}
	run("client", "go", "vet", "./...")
	run("", "go", "build", "./internal/cli/remote")
}

// copyTree copies the tracked files of a repository to a folder, which it returns.
func copyTree(t *testing.T, root string) string {
	t.Helper()
	to := t.TempDir()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(names, []byte{0}), []byte{0}) {
		content, err := os.ReadFile(filepath.Join(root, string(name)))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, string(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

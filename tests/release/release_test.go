// Package release_test makes a release of a copy of the sources, and looks at what an operator would download.
package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// variable is the environment variable that asks for a release. Its value are the architectures, or 1 for all.
const variable = "MOVIOLA_RELEASE"

// tag is the version of the release.
const tag = "v0.0.1-test"

// machines are the architectures of a release.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// run runs a program in a folder and returns its output.
func run(t *testing.T, dir, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustRun(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, program, args...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return out
}

// sources copies the tracked files, as they are now, into a repository with one commit.
func sources(t *testing.T) string {
	t.Helper()
	root, dir := harness.Root(t), t.TempDir()
	list, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("the sources are in no repository: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			if os.IsNotExist(err) { // removed, and not committed yet
				continue
			}
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "git", "init", "-q")
	mustRun(t, dir, "git", "add", "-A", "-f")
	mustRun(t, dir, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "sources")
	return dir
}

// release runs the script, which has to refuse with a text, or to succeed when there is none.
func release(t *testing.T, dir, refusal string, args ...string) {
	t.Helper()
	out, err := run(t, dir, "scripts/release.sh", args...)
	if (err != nil) != (refusal != "") || !strings.Contains(out, refusal) {
		t.Fatalf("release.sh %v: %v, want %q in\n%s", args, err, refusal, out)
	}
}

// TestRelease_refused: a release is made of a tag only, without changes, into a new folder.
func TestRelease_refused(t *testing.T) {
	t.Parallel()
	dir, out := sources(t), filepath.Join(t.TempDir(), "dist")
	release(t, dir, "has no tag", out)
	mustRun(t, dir, "git", "tag", tag)
	release(t, dir, "is there already", t.TempDir())
	if err := os.WriteFile(filepath.Join(dir, "extra.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	release(t, dir, "files differ from "+tag, out)
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a refused release has left something: %v", err)
	}
}

// TestRelease: each archive has the static binary of that version, man pages, completions and the
// licence; the list of components and the checksums fit. The same tag gives the same archives.
func TestRelease(t *testing.T) {
	architectures := strings.Fields(os.Getenv(variable))
	switch {
	case len(architectures) == 0:
		t.Skip("it builds the program for every architecture: make test-release")
	case architectures[0] == "1":
		architectures = slices.Sorted(maps.Keys(machines))
	}
	dir, out := sources(t), filepath.Join(t.TempDir(), "dist")
	mustRun(t, dir, "git", "tag", tag)
	release(t, dir, "", append([]string{out}, architectures...)...)
	var want []string
	for _, arch := range architectures {
		name := "moviola-" + tag + "-linux-" + arch
		want = append(want, name+".cdx.json", name+".tar.gz")
		checkArchive(t, filepath.Join(out, name+".tar.gz"), arch)
		checkComponents(t, filepath.Join(out, name+".cdx.json"))
	}
	checkSums(t, out, want)
	again := filepath.Join(t.TempDir(), "dist")
	release(t, dir, "", again, architectures[0])
	name := "moviola-" + tag + "-linux-" + architectures[0] + ".tar.gz"
	if a, b := read(t, filepath.Join(out, name)), read(t, filepath.Join(again, name)); !bytes.Equal(a, b) {
		t.Error("the same tag gives another archive")
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checkArchive unpacks an archive and looks at what is in it.
func checkArchive(t *testing.T, path, arch string) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "moviola")
	manuals, others := 0, map[string]bool{}
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(header.Name, "/"), "/")
		if header.Typeflag == tar.TypeReg && header.Size == 0 {
			t.Errorf("%s: %s is empty", path, name)
		}
		if strings.HasPrefix(name, "man/man1/moviola") {
			manuals++
		}
		others[name] = true
		if name != "moviola" {
			continue
		}
		if header.Mode&0o111 == 0 {
			t.Errorf("the binary has mode %o", header.Mode)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(binary, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if manuals < 30 {
		t.Errorf("%s has %d man pages", path, manuals)
	}
	for _, name := range []string{"LICENSE", "moviola", "man/man1/moviola-serve.1"} {
		if !others[name] {
			t.Errorf("%s lacks %s", path, name)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(others)), func(name string) bool {
			return strings.HasPrefix(name, "completions/") && strings.Contains(name, shell) ||
				name == "completions/_moviola" && shell == "zsh"
		}) {
			t.Errorf("%s has no completion for %s: %v", path, shell, slices.Sorted(maps.Keys(others)))
		}
	}
	checkBinary(t, binary, arch)
}

// checkBinary: the binary is static, is for its architecture and, where this machine can run it, says its version.
func checkBinary(t *testing.T, path, arch string) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	if libraries, err := file.ImportedLibraries(); file.Machine != machines[arch] || err == nil && len(libraries) > 0 {
		t.Errorf("the binary for %s is for %v, and needs %v", arch, file.Machine, libraries)
	}
	if arch != "amd64" || machines[arch] != hostMachine(t) {
		return
	}
	if out := mustRun(t, ".", path, "version"); !strings.Contains(out, tag) {
		t.Errorf("the binary says %q, not %s", out, tag)
	}
}

// hostMachine returns the architecture that this test program was built for.
func hostMachine(t *testing.T) elf.Machine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	return file.Machine
}

// checkComponents: the list names the program's version, and modules with versions.
func checkComponents(t *testing.T, path string) {
	t.Helper()
	var list struct {
		BOMFormat string `json:"bomFormat"`
		Metadata  struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(read(t, path), &list); err != nil {
		t.Fatal(err)
	}
	if list.BOMFormat != "CycloneDX" || list.Metadata.Component.Version != tag || len(list.Components) < 50 {
		t.Errorf("%s: %s of %+v with %d components", path, list.BOMFormat, list.Metadata.Component, len(list.Components))
	}
	for _, c := range list.Components {
		if c.Version == "" && c.Name != "std" || c.Name == "" {
			t.Errorf("%s: component %+v", path, c)
		}
	}
}

// checkSums: SHA256SUMS holds each file of the release, and nothing else is there.
func checkSums(t *testing.T, dir string, names []string) {
	t.Helper()
	var want []string
	for _, name := range names {
		sum := sha256.Sum256(read(t, filepath.Join(dir, name)))
		want = append(want, fmt.Sprintf("%s  %s", hex.EncodeToString(sum[:]), name))
	}
	got := strings.Split(strings.TrimSpace(string(read(t, filepath.Join(dir, "SHA256SUMS")))), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the checksums are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names)+1 {
		t.Errorf("the release has %d files, %v", len(entries), err)
	}
}

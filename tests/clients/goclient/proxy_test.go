// Package goclient_test gets the Go client as other people's programs do.
package goclient_test

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

const version = "v0.1.0"

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// A program outside of this tree gets the client from a module proxy, is built with nothing else, and has a movie made.
func TestProxy(t *testing.T) {
	t.Parallel()
	path := strings.TrimPrefix(strings.Split(read(t, "../../../client/go.mod"), "\n")[0], "module ")
	root, program := t.TempDir(), t.TempDir()
	publish(t, root, path)
	write(t, filepath.Join(program, "main.go"), read(t, "testdata/program/main.go"))
	write(t, filepath.Join(program, "go.mod"), "module example.com/program\n\ngo 1.26\n")
	env := append(os.Environ(), "GOPROXY=file://"+root, "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOMODCACHE="+t.TempDir(), "GOWORK=off",
		"GOTOOLCHAIN=local", "GONOPROXY=", "GOPRIVATE=", "CGO_ENABLED=0")
	for _, args := range [][]string{{"get", path + "@" + version}, {"build", "-o", "program", "."}} {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir, command.Env = program, env
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, said)
		}
	}
	if mod := read(t, filepath.Join(program, "go.mod")); strings.Count(mod, "require") != 1 || !strings.Contains(mod, path+" "+version) {
		t.Errorf("the program needs more than the client:\n%s", mod)
	}
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("maker", 60)
	command := exec.CommandContext(t.Context(), filepath.Join(program, "program"))
	command.Env = []string{"MOVIOLA_URL=" + client.Base, "MOVIOLA_API_KEY=" + client.Key}
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), ".mp4") || !strings.Contains(said.String(), "done 100") {
		t.Errorf("%q, %v\n%s", out, err, said.String())
	}
}

// publish lays the client out as a module proxy serves it.
func publish(t *testing.T, root, path string) {
	t.Helper()
	dir := filepath.Join(root, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "list"), version+"\n")
	write(t, filepath.Join(dir, version+".info"), `{"Version":"`+version+`","Time":"2026-01-01T00:00:00Z"}`)
	write(t, filepath.Join(dir, version+".mod"), read(t, "../../../client/go.mod"))
	files, err := filepath.Glob("../../../client/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, name := range files {
		entry, err := archive.Create(path + "@" + version + "/" + filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(read(t, name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, version+".zip"), packed.String())
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

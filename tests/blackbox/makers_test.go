package blackbox_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// maker runs commands that ask a service.
type maker struct {
	t           *testing.T
	url, key    string
	dir, binary string
}

// run runs a command and returns what it printed; the exit status must be the given one.
func (m *maker) run(status int, args ...string) (out, said string) {
	m.t.Helper()
	command := exec.CommandContext(m.t.Context(), m.binary, args...)
	command.Dir = m.dir
	command.Env = append(os.Environ(), "MOVIOLA_URL="+m.url, "MOVIOLA_API_KEY="+m.key)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if command.ProcessState == nil || command.ProcessState.ExitCode() != status {
		m.t.Fatalf("%v: %v, want status %d\n%s%s", args, err, status, stdout.String(), stderr.String())
	}
	return strings.TrimSpace(stdout.String()), stderr.String()
}

// The commands for makers, one after the other, as somebody at a terminal uses them.
func TestMakers(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("maker", 600)
	m := &maker{t, client.Base, client.Key, t.TempDir(), harness.Binary(t)}
	for name, content := range map[string]string{
		"movie.json":  `{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":"{{ seconds }}","background-color":"#ff0000"}]}`,
		"broken.json": `{"scenes":[{"elements":[{"type":"image"}]}]}`, "no.json": `{`,
	} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project, _ := m.run(0, "movies", "submit", "movie.json", "--var", "seconds=1")
	m.run(0, "movies", "wait", project, "-o", "a.mp4")
	if length := harness.ProbeFile(t, filepath.Join(m.dir, "a.mp4")).Streams[0].Frames; length != "25" {
		t.Errorf("%s frames", length)
	}
	harness.Eventually(t, "the list says that it is done", func() bool { // it may trail what the log says of a movie's end
		out, _ := m.run(0, "movies", "list")
		return strings.Contains(out, project+"  done")
	})
	var shown struct{ Project, Status string }
	out, _ := m.run(0, "movies", "show", project, "--json")
	if err := json.Unmarshal([]byte(out), &shown); err != nil || shown.Project != project || shown.Status != "done" {
		t.Errorf("%s, %v", out, err)
	}
	m.run(0, "movies", "delete", project)
	harness.Eventually(t, "the deletion is shown", func() bool { return client.Get(project).Movie.DeletedAt != nil })
	if _, said := m.run(2, "movies", "wait", project, "-o", "b.mp4"); !strings.Contains(said, "has no file any more") {
		t.Error(said)
	}
	m.run(0, "still", "movie.json", "--var", "seconds=1", "--time", "0.5")
	still, err := os.ReadFile(filepath.Join(m.dir, "still.png"))
	if err != nil || !isRed(still) {
		t.Errorf("the still is not the movie's: %v", err)
	}
	m.library(client)
	m.mistakes(project)
}

func (m *maker) library(client *harness.Client) {
	m.t.Helper()
	address, _ := m.run(0, "media", "upload", "still.png", "--folder", "f")
	if got := client.Download(address, nil); got.Status != 200 || !isRed(got.Body) {
		m.t.Errorf("%s answers %d", address, got.Status)
	}
	harness.Eventually(m.t, "it is listed", func() bool {
		out, _ := m.run(0, "media", "list", "f")
		return strings.HasPrefix(out, "still.png  uploaded")
	})
	m.run(0, "media", "delete", "f/still.png")
	harness.Eventually(m.t, "its folder is gone", func() bool { return client.Do("GET", "/media/folder?path=f", nil).Status == 404 })
	if out, said := m.run(2, "media", "list", "f"); out != "" || !strings.Contains(said, "not found") {
		m.t.Errorf("media after the deletion:\n%s", out)
	}
	id := client.SaveTemplate(`{"name":"Red","movie":{"resolution":"sd","scenes":[{"duration":1}]}}`)
	if out, _ := m.run(0, "templates", "list"); !strings.Contains(out, id) || !strings.Contains(out, "Red") {
		m.t.Errorf("templates:\n%s", out)
	}
	if out, _ := m.run(0, "templates", "show", id); !strings.Contains(out, `"resolution": "sd"`) {
		m.t.Errorf("template:\n%s", out)
	}
}

// Mistakes are told with what to do, by the exit status that the documentation names.
func (m *maker) mistakes(project string) {
	m.t.Helper()
	for _, row := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "requires a 'src'", []string{"movies", "submit", "broken.json", "--wait"}},
		{1, "moviola validate no.json", []string{"movies", "submit", "no.json"}},
		{2, "no such file", []string{"movies", "submit", "none.json"}},
		{2, "a movie is an .mp4", []string{"movies", "submit", "movie.json", "-o", "a.mov"}},
		{2, "a still is a .png", []string{"still", "movie.json", "-o", "a.gif"}},
		{2, "give --type", []string{"media", "upload", "no.unknown-kind"}},
		{2, "cannot be reached: check --url", []string{"movies", "cancel", project, "--url", "http://127.0.0.1:1"}},
		{2, "write a base address", []string{"movies", "list", "--url", "localhost"}},
		{1, "unknown flag", []string{"movies", "list", "--nothing"}},
	} {
		if row.args[1] == "upload" {
			if err := os.WriteFile(filepath.Join(m.dir, row.args[2]), nil, 0o600); err != nil {
				m.t.Fatal(err)
			}
		}
		if _, said := m.run(row.status, row.args...); !strings.Contains(said, row.want) {
			m.t.Errorf("%v says %s, want %s", row.args, said, row.want)
		}
	}
	m.key = "mv_wrong"
	if _, said := m.run(2, "movies", "list"); !strings.Contains(said, "check MOVIOLA_API_KEY") {
		m.t.Error(said)
	}
}

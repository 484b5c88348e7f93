package blackbox_test

import (
	"bufio"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// A watched movie is made again when its JSON, its variables or a file that it shows changes; a mistake waits for the next change. An
// interrupt ends it well.
func TestRender_watch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		temp := filepath.Join(dir, name+".new")
		if err := os.WriteFile(temp, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temp, filepath.Join(dir, name)); err != nil { // as editors save
			t.Fatal(err)
		}
	}
	movie := func(width string) string {
		return `{"resolution":"custom","width":` + width + `,"height":64,"scenes":[{"duration":"{{ s }}","elements":[{"type":"image","src":"a.png"}]}]}`
	}
	write("movie.json", movie("64"))
	write("vars.json", `{"s":1}`)
	command := exec.CommandContext(t.Context(), harness.Binary(t), "render", "movie.json", "--vars", "vars.json", "--watch", "--fonts-url", "",
		"-o", "out.mp4")
	command.Dir = dir
	var lines [2]chan string
	for i, open := range []func() (io.ReadCloser, error){command.StdoutPipe, command.StderrPipe} {
		pipe, err := open()
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = make(chan string, 100)
		go func() {
			defer close(lines[i])
			for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
				lines[i] <- scanner.Text()
			}
		}()
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	made := func(want string) {
		t.Helper()
		if got := harness.Receive(t, "the movie is made", lines[0]); !strings.HasPrefix(got, want) {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	if said := harness.Receive(t, "the mistake is told", lines[1]); !strings.Contains(said, "'a.png' cannot be read: there is no such file") {
		t.Fatal(said)
	}
	// Whole at once: a picture that is half written would be told as a mistake, and not be made.
	harness.WritePNG(t, filepath.Join(dir, "whole.png"), 64, 64, fullRed, fullRed)
	if err := os.Rename(filepath.Join(dir, "whole.png"), filepath.Join(dir, "a.png")); err != nil {
		t.Fatal(err)
	}
	made("out.mp4: 64x64, 1.00 s")
	write("vars.json", `{"s":2}`)
	made("out.mp4: 64x64, 2.00 s")
	write("movie.json", movie("128"))
	made("out.mp4: 128x64, 2.00 s")
	// Of three scenes the one in the middle changes, then nothing but a comment: no more is rendered than what has changed.
	scenes := func(middle, comment string) string {
		return `{"resolution":"custom","width":64,"height":64,"comment":"` + comment + `","scenes":[{"duration":1,"background-color":"#ff0000"},
			{"duration":1,"background-color":"` + middle + `"},{"duration":1,"background-color":"#0000ff"}]}`
	}
	for _, step := range []struct{ middle, comment, reused string }{{"#00ff00", "a", ""}, {"#808080", "a", ", 50 of 75 frames from before"},
		{"#808080", "b", ", 75 of 75 frames from before"}} {
		write("movie.json", scenes(step.middle, step.comment))
		got := harness.Receive(t, "the movie is made", lines[0])
		if !strings.HasPrefix(got, "out.mp4: 64x64, 3.00 s") || !strings.HasSuffix(got, " bytes"+step.reused) {
			t.Errorf("%s, want%s", got, step.reused)
		}
		frame := harness.Frame(t, filepath.Join(dir, "out.mp4"), 1.5)
		want := color.NRGBA{G: 255, A: 255}
		if step.reused != "" {
			want = color.NRGBA{128, 128, 128, 255}
		}
		if seen := harness.Mean(frame, frame.Bounds()); !harness.Near(seen, want, 10) {
			t.Errorf("the middle is %v", seen)
		}
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for range lines[0] { // until the program has ended
	}
	for range lines[1] {
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

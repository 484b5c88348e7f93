package ffmpeg_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/adapters/render/ffmpeg"
)

// TestOpen_remembered: a trial of the same ffmpeg is made once; a changed program and a damaged file are reasons for another one.
func TestOpen_remembered(t *testing.T) {
	t.Parallel()
	installed, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	front, runs, kept := filepath.Join(dir, "ffmpeg"), filepath.Join(dir, "runs"), filepath.Join(dir, "cache", "ffmpeg.json")
	script := fmt.Sprintf("#!/bin/sh\necho run >> %s\nexec %s \"$@\"\n", runs, installed)
	if err := os.WriteFile(front, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	want, versions := 0, map[string]bool{}
	open := func(when string, more int) {
		t.Helper()
		tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: front, Remembered: kept})
		if err != nil {
			t.Fatal(err)
		}
		versions[tools.Version()+" "+tools.Software().Version()] = true
		raw, err := os.ReadFile(runs)
		if err != nil {
			t.Fatal(err)
		}
		want += more
		if got := strings.Count(string(raw), "run"); got != want {
			t.Errorf("%s: ffmpeg ran %d times, want %d", when, got, want)
		}
	}
	open("nothing is remembered", 1)
	open("the same program", 0)
	if err := os.WriteFile(kept, []byte(`{"programs":`), 0o600); err != nil {
		t.Fatal(err)
	}
	open("a damaged file", 1)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(front, later, later); err != nil {
		t.Fatal(err)
	}
	open("a changed program", 1)
	open("the changed program", 0)
	if len(versions) != 1 {
		t.Errorf("the versions differ: %v", versions)
	}
}

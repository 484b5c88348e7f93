package ffmpeg_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/adapters/render/ffmpeg"
	"moviola/internal/jail"
)

// parentArg makes the test binary a program that runs ffmpeg for ever on the pipe it names.
const parentArg = "__parent"

func parentMain(fifo string) {
	self, err := os.Executable()
	if err != nil {
		os.Exit(1)
	}
	jails, err := jail.New(jail.Config{Self: self})
	if err != nil {
		os.Exit(1)
	}
	tools, err := ffmpeg.Open(context.Background(), ffmpeg.Config{Jail: jails})
	if err != nil {
		os.Exit(1)
	}
	_ = tools.Run(context.Background(), ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: fifo, Format: "wav"}}, Dir: filepath.Dir(fifo), Output: []string{"-f", "null", "-"}, Stall: time.Hour,
	})
}

// A service that is killed cannot stop its children: they must end with it.
func TestTools_Run_ffmpegDiesWithItsParent(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.CommandContext(t.Context(), self, parentArg, fifo)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "ffmpeg runs", func() bool { return running(fifo) })
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	eventually(t, "ffmpeg has ended", func() bool { return !running(fifo) })
}

// running says whether an ffmpeg names the path.
func running(path string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if said, err := os.ReadFile(line); err == nil && strings.Contains(string(said), "ffmpeg\x00-nostdin") && strings.Contains(string(said), path) {
			return true
		}
	}
	return false
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long until %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

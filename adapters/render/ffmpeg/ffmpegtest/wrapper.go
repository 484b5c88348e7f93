package ffmpegtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"moviola/adapters/render/ffmpeg"
	"moviola/internal/jail/jailtest"
)

// fineScript replaces every constant rate factor by one of almost no loss.
const fineScript = `#!/bin/bash
args=(); last=
for arg; do
	[[ $last != -crf ]] || arg=1
	args+=("$arg"); last=$arg
done
exec %s "${args[@]}"
`

// Fine returns the installed programs in a jail, like Tools, but with x264 encoding almost without loss. At the qualities of
// movies, what x264 loses depends on the processor's vector instructions, and can be more than tests of pictures tolerate.
func Fine(t testing.TB) *ffmpeg.Tools {
	t.Helper()
	script := fmt.Sprintf(fineScript, installed(t))
	tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: Program(t, script), Jail: jailtest.New(t), Log: silent()})
	if err != nil {
		t.Fatalf("the tests need ffmpeg: %v", err)
	}
	return tools
}

// sayingScript makes nothing, but says something and ends, for every run with a list of formats: runs at the start have none.
const sayingScript = `#!/bin/sh
case " $* " in
*" -format_whitelist "*) echo '%s' >&2; exit %d ;;
esac
exec %s "$@"
`

// Saying returns programs that do not read files: they print a line to their error output, and end with a code.
func Saying(t testing.TB, line string, code int) *ffmpeg.Tools {
	t.Helper()
	script := fmt.Sprintf(sayingScript, line, code, installed(t))
	tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: Program(t, script), Jail: jailtest.New(t), Log: silent()})
	if err != nil {
		t.Fatalf("the tests need ffmpeg: %v", err)
	}
	return tools
}

// installed returns the path of the real ffmpeg.
func installed(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatalf("the tests need ffmpeg: %v", err)
	}
	return path
}

// Program writes a script that is run in place of ffmpeg or another program, and returns its path.
func Program(t testing.TB, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	// A process forked during the write would keep the file open for writing, and a file open for writing cannot be executed.
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

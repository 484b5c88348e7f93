package speech_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/internal/jail/jailtest"
)

// fakeEspeak returns the path of a program in place of espeak-ng: it answers --version and --voices, and otherwise runs
// script.
func fakeEspeak(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "espeak-ng")
	body := "#!/bin/sh\ncase \"$1\" in\n--version) echo fake 1; exit;;\n--voices) printf 'Pty Language\\n 5 en-gb\\n'; exit;;\nesac\n" + script + "\n"
	syscall.ForkLock.RLock() // a child forked while the file is open for writing inherits it: then it cannot be executed
	err := os.WriteFile(path, []byte(body), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// eventually waits for something that another process does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestSpeak_BadPrograms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ script, want string }{
		"ends badly":            {"echo no such voice >&2; exit 3", "exit status 3: no such voice"},
		"prints no sound":       {"cat", "no WAV file"},
		"prints without end":    {"printf RIFF; yes", "printed too much"},
		"complains without end": {"yes >&2 & sleep 0.2; kill $!; exit 1", "exit status 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, speech.Config{Espeak: fakeEspeak(t, tt.script)})
			_, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"})
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 10_000 {
				t.Errorf("got %.300v, want %q", err, tt.want)
			}
		})
	}
}

// The text is data: it comes by standard input and neither in an argument nor through a shell.
func TestSpeak_TextIsNoArgument(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	e := newEngine(t, speech.Config{Espeak: fakeEspeak(t, `echo "$@" > `+seen+`; cat >> `+seen+`; exit 1`)})
	_, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "$(touch x) `id` --path=/tmp"})
	if err == nil {
		t.Fatal("the program failed, but no error came")
	}
	raw, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	if want := "--stdin -b 1 --stdout -v en-gb -s 165 -p 50\n$(touch x) `id` --path=/tmp"; string(raw) != want {
		t.Errorf("the program got %q, want %q", raw, want)
	}
}

// Nothing that the program starts outlives it.
func TestSpeak_EndsItsProcessGroup(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	e := newEngine(t, speech.Config{Espeak: fakeEspeak(t, `sleep 600 & echo $! > `+pids+`; exit 1`)})
	if _, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"}); err == nil {
		t.Error("the program failed, but no error came")
	}
	raw, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the program's child to end", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) })
}

func TestSpeak_EndsInTime(t *testing.T) {
	t.Parallel()
	e := newEngine(t, speech.Config{Espeak: fakeEspeak(t, "exec sleep 600"), WorkLimit: 50 * time.Millisecond})
	if _, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// A caller whose context ends gets the cause at once, while the work continues.
func TestSpeak_EndsWithItsCaller(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	p := newProvider(t, func(int, http.ResponseWriter) { <-hang })
	t.Cleanup(func() { close(hang) })
	e := remoteEngine(t, p, func(c *speech.Config) { c.WorkLimit = time.Hour })
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	go func() {
		<-p.requests
		cancel(gone)
	}()
	if _, err := e.Speak(ctx, commands.SpeechRequest{Text: "Hello"}); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// zombie reports whether a process has ended: it is gone, or nobody has asked for its status yet.
func zombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(raw), ") Z ")
}

// The built-in voice speaks in a jail in which it can neither read other files nor write any.
func TestSpeak_RunsConfined(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	outside := filepath.Join(t.TempDir(), "outside")
	e := newEngine(t, speech.Config{Jail: jailtest.New(t), Espeak: fakeEspeak(t,
		"cat /etc/passwd >&2 && exit 3; echo x >"+outside+" && exit 4; ls /home >&2 && exit 5; exec /usr/bin/espeak-ng \"$@\"")})
	mustSpeak(t, e, commands.SpeechRequest{Text: "Hello"})
}

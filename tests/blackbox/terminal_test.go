package blackbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"moviola/tests/harness"
)

// openTerminal opens a pseudo terminal of 100 columns: what a program writes to screen is read from keyboard.
func openTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err == nil {
		err = unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, screen
}

// TestWaiting: a command that waits for longer than a second says so on a terminal, and leaves nothing of it behind. The answer
// comes when the terminal shows that it is waited for; elsewhere than on a terminal, nothing is shown.
func TestWaiting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"movie.json": `{"scenes":[{"duration":1}]}`, "rows.csv": "name\nAda\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const template = "Abcdefghij0123456789"
	for name, tt := range map[string]struct {
		args              []string
		answer, says, out string
	}{
		"validate": {[]string{"validate", "movie.json"}, `{"success":true,"valid":true,"problems":[]}`, "checking the movie", "0 problems"},
		"still": {[]string{"still", "movie.json"},
			`{"success":true,"stills":[{"data":"aGVsbG8=","width":64,"height":36}],"frames":25}`, "drawing",
			"still.png: 64x36"},
		"batch": {[]string{"batch", "start", "rows.csv", "--template", template},
			`{"success":true,"batch":"b123456789abcdef","movies":1,"credits":1}`, "starting the batch", "1 movie"},
		"submit": {[]string{"movies", "submit", "movie.json"}, `{"success":true,"project":"p123456789abcdef"}`,
			"submitting the movie", "p123456789abcdef"},
		"templates": {[]string{"templates", "list"}, `{"success":true,"templates":[]}`, "asking the service", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := make(chan struct{}, 2)
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-answer:
					_, _ = io.WriteString(w, tt.answer) // who has gone away needs no answer
				case <-r.Context().Done():
				}
			}))
			t.Cleanup(service.Close)
			command := func() *exec.Cmd {
				command := exec.CommandContext(t.Context(), harness.Binary(t), tt.args...)
				command.Dir, command.Env = dir, append(os.Environ(), "MOVIOLA_URL="+service.URL, "MOVIOLA_API_KEY=mv_key", "TERM=xterm")
				if name == "validate" { // which asks nobody without the flag
					command.Args = append(command.Args, "--url", service.URL)
				}
				return command
			}
			keyboard, screen := openTerminal(t)
			waits := command()
			var out strings.Builder
			waits.Stdout, waits.Stderr = &out, screen
			if err := waits.Start(); err != nil {
				t.Fatal(err)
			}
			_ = screen.Close() // so that what is read ends with the program
			text := readUntil(keyboard, tt.says)
			answer <- struct{}{}
			text += readUntil(keyboard, "\x00")
			err := waits.Wait()
			if err != nil || !strings.Contains(text, tt.says) || !strings.Contains(out.String(), tt.out) {
				t.Errorf("%v, %q on the terminal, %q", err, text, out.String())
			}
			if end := text[strings.LastIndex(text, "\x1b[")+1:]; strings.Contains(end, tt.says) {
				t.Errorf("what is left on the terminal: %q", text)
			}

			answer <- struct{}{}
			var said strings.Builder
			quiet := command()
			quiet.Stderr = &said
			if err := quiet.Run(); err != nil || said.Len() > 0 {
				t.Errorf("%v, without a terminal it says %q", err, said.String())
			}
		})
	}
}

// readUntil reads until a text has come, or until the end.
func readUntil(from io.Reader, text string) string {
	var all strings.Builder
	some := make([]byte, 256)
	for !strings.Contains(all.String(), text) {
		n, err := from.Read(some)
		all.Write(some[:n])
		if err != nil { // the end: nobody has the other side open any more
			break
		}
	}
	return all.String()
}

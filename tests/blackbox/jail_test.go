package blackbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"moviola/tests/harness"
)

// status is a line of what the kernel says of a process; empty when it has ended.
func status(pid, name string) string {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// encoders are the children of a process that have become ffmpeg.
func encoders(parent int) []string {
	var found []string
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	for _, path := range all {
		pid := filepath.Base(path)
		if status(pid, "PPid") == fmt.Sprint(parent) && status(pid, "Name") == "ffmpeg" {
			found = append(found, pid)
		}
	}
	return found
}

// TestJail: where the kernel offers Landlock, the ffmpeg of the built program runs with it. A process that has entered it can gain no
// privileges any more, which the kernel shows.
func TestJail(t *testing.T) {
	t.Parallel()
	if level, err := landlock.LandlockGetABIVersion(); err != nil || level < 1 {
		t.Skipf("this kernel offers no Landlock (%d, %v)", level, err)
	}
	s := harness.NewService(t)
	s.StartAPI()
	if status(fmt.Sprint(s.API.Pid()), "NoNewPrivs") != "0" {
		t.Skip("every process here is kept from new privileges: who is in Landlock cannot be told apart")
	}
	// Whether all layers are there or some are missing (control groups, mostly), Landlock is named as one that is on.
	said := regexp.MustCompile(`ffmpeg runs (in a sandbox|with some layers of its sandbox missing).*landlock=on`)
	harness.Eventually(t, "the log says that ffmpeg runs with Landlock", func() bool { return said.MatchString(s.API.Output()) })
	c := s.NewAccount("jail", 100)
	project := c.Submit(map[string]any{"resolution": "full-hd", "cache": false, "scenes": []any{
		map[string]any{"duration": 20, "background-color": "#336699"},
	}})
	var seen []string
	harness.Eventually(t, "ffmpeg is at work", func() bool {
		seen = encoders(s.API.Pid())
		return len(seen) > 0
	})
	for _, pid := range seen {
		if said := status(pid, "NoNewPrivs"); said != "1" && said != "" {
			t.Errorf("ffmpeg runs outside of the jail: NoNewPrivs is %s", said)
		}
	}
	c.WaitFor(project, "done")
}

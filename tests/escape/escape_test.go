// Package escape_test lets a program of ours play a decoder that an attacker has taken over. It tries the same things in the jail of each program
// that the service starts, and outside of them, where most must succeed: what cannot succeed shows nothing.
package escape_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// plainUser is nobody's, so that it is not the user of the jails either.
const plainUser = 14207

// outside is the run without any jail.
const outside = "outside"

// How many of the things must succeed outside, for root and for a plain user.
const (
	rootSucceeds  = 45
	plainSucceeds = 30
)

func TestMain(m *testing.M) {
	if base := os.Getenv(baseVariable); base != "" {
		attack(base)
		return
	}
	os.Exit(m.Run())
}

// result is what the probe says about one thing. See probe.
type result struct {
	Row     string
	Success bool
	Error   string
	Tried   bool
}

// run is what the probe said in one place.
type run struct {
	Place string // "ffmpeg, no Landlock", or outside
	Rows  []result
	Error string
}

func TestEscape(t *testing.T) {
	t.Parallel()
	users := map[string]int{"a plain user": plainUser, "root": 0}
	if os.Geteuid() != 0 {
		users = map[string]int{"a plain user": os.Geteuid()}
	}
	for name, uid := range users {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := attackAs(t, uid)
			t.Log(table(runs))
			least := plainSucceeds
			if uid == 0 {
				least = rootSucceeds
			}
			judge(t, runs, least)
		})
	}
}

// judge compares the runs with what must be.
func judge(t *testing.T, runs []run, least int) {
	t.Helper()
	for _, r := range runs {
		if r.Error != "" {
			t.Errorf("%s: %s", r.Place, r.Error)
		}
		for _, row := range r.Rows {
			if !row.Tried {
				t.Errorf("%s: %s: not tried: %s", r.Place, row.Row, row.Error)
			}
			if row.Success && r.Place != outside && !strings.Contains(r.Place, neither) {
				t.Errorf("%s: could %s", r.Place, row.Row)
			}
		}
		if n := r.successes(); r.Place == outside && n < least {
			t.Errorf("%d of %d things succeed outside, at least %d must", n, len(r.Rows), least)
		}
	}
}

func (r run) successes() int {
	n := 0
	for _, row := range r.Rows {
		if row.Success {
			n++
		}
	}
	return n
}

// table shows what succeeded where.
func table(runs []run) string {
	var b strings.Builder
	b.WriteString("\n")
	for i, r := range runs {
		fmt.Fprintf(&b, "%2d  %-46s %2d of %d succeed\n", i, r.Place, r.successes(), len(r.Rows))
	}
	last := runs[len(runs)-1] // outside
	for i, row := range last.Rows {
		fmt.Fprintf(&b, "%-54s", row.Row)
		for _, r := range runs {
			sign := "."
			if i >= len(r.Rows) {
				sign = "?"
			} else if r.Rows[i].Success {
				sign = "X"
			}
			b.WriteString(" " + sign)
		}
		if !row.Success {
			b.WriteString("  not testable: " + row.Error)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// attackAs runs the probe in all places as a user.
func attackAs(t *testing.T, uid int) []run {
	t.Helper()
	base, err := os.MkdirTemp("", "escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(base, "bin", "probe"), "./probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the probe: %v\n%s", err, out)
	}
	self := filepath.Join(base, "bin", "attack")
	syscall.ForkLock.RLock() // a process that is forked while the file is written keeps it open, and it cannot be run
	err = copyFile(self)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{base, filepath.Join(base, "bin")} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(base, uid, uid); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = []string{baseVariable + "=" + base, "ESCAPE_SECRET=of the service", "PATH=" + os.Getenv("PATH")}
	cmd.Dir = base
	if uid != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("attack: %v\n%s", err, out)
	}
	var runs []run
	if err := json.Unmarshal(out, &runs); err != nil {
		t.Fatalf("attack: %v\n%s", err, out)
	}
	return runs
}

// copyFile copies this program to where every user may run it.
func copyFile(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, from); err != nil {
		return err
	}
	return file.Close()
}

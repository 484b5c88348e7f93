package blackbox_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// commands are the commands of the program in an environment: variables besides the test's own, as name=value.
type commands []string

func (c commands) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Binary(t), args...)
	cmd.Env = append(os.Environ(), c...)
	return cmd
}

// run runs a command, which must succeed, and returns what it printed.
func (c commands) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := c.command(t, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("moviola %s: %v\n%s%s", args[0], err, out, errs.String())
	}
	return string(out)
}

// refused runs a command, which must fail, and returns what it said.
func (c commands) refused(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.command(t, args...).CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		t.Fatalf("moviola %s: %v, wanted a refusal\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// moviola runs a command of the program in the test's own environment.
func moviola(t *testing.T, args ...string) string {
	t.Helper()
	return commands(nil).run(t, args...)
}

// refused runs a command, which must fail, in the test's own environment.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	return commands(nil).refused(t, args...)
}

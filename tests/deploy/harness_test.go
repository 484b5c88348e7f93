package deploy

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root is the repository.
const root = "../.."

// built is the folder of the program, if a test has asked for it.
var built string

// program builds moviola once, or takes what the suites of a run share: tests/harness builds the same.
var program = sync.OnceValues(func() (string, error) {
	if shared := filepath.Join(os.Getenv("MOVIOLA_TEST_BINARIES"), "moviola"); filepath.IsAbs(shared) {
		if _, err := os.Stat(shared); err == nil {
			return shared, nil
		}
	}
	dir, err := os.MkdirTemp("", "moviola-deploy")
	if err != nil {
		return "", err
	}
	built = dir
	binary := filepath.Join(dir, "moviola")
	build := exec.Command(filepath.Join(root, "scripts", "build.sh"), binary)
	if out, err := build.CombinedOutput(); err != nil {
		return "", &buildError{string(out), err}
	}
	return binary, nil
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + ": " + e.out }

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built) // it lies in the folder for such files
	}
	os.Exit(code)
}

// container is what a container of ours is started with, whoever starts it.
type container struct {
	name string
	args []string          // arguments after the entry point
	env  map[string]string // variables, those from secrets too
}

// imageVariables are those that deploy/Dockerfile sets.
func imageVariables(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "deploy", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for word := range strings.FieldsSeq(string(content)) {
		if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "MOVIOLA_") {
			found[name] = value
		}
	}
	if len(found) < 4 {
		t.Fatalf("the Dockerfile sets %v", found)
	}
	return found
}

// check has the program itself look at the arguments and the variables of a container: nothing may be unknown, and nothing warned of. It
// returns the value of each setting of `moviola serve`.
func (c container) check(t *testing.T) map[string]string {
	t.Helper()
	if len(c.args) == 0 {
		t.Fatalf("%s is given no command", c.name)
	}
	if c.args[0] != "serve" {
		if out, err := c.run(t, append(c.args, "--help")...); err != nil {
			t.Errorf("%s: %v: %s", c.name, err, out)
		}
		return nil
	}
	out, err := c.run(t, append([]string{"config", "check"}, c.args[1:]...)...)
	if err != nil || out != "The configuration can be used.\n" {
		t.Errorf("%s: %v: %s", c.name, err, out)
	}
	out, err = c.run(t, append([]string{"config", "print"}, c.args[1:]...)...)
	if err != nil {
		t.Fatalf("%s: %v: %s", c.name, err, out)
	}
	return settings(t, out)
}

func (c container) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	for name, value := range imageVariables(t) {
		if _, given := c.env[name]; !given {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range c.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// port is that of a listening address.
func port(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatalf("%q: %v", address, err)
	}
	return port
}

package blackbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/tests/harness"
)

// checked runs moviola check, which must end with a code, and returns what it printed.
func checked(t *testing.T, data string, code int, flags ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), harness.Binary(t), append([]string{"check", "--data", data}, flags...)...).CombinedOutput()
	var ended *exec.ExitError
	got := 0
	if errors.As(err, &ended) {
		got = ended.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != code {
		t.Fatalf("check %q ended with %d instead of %d:\n%s", flags, got, code, out)
	}
	return string(out)
}

// TestCheck damages an installation: check finds it, repairs what can be repaired, and says what takes a backup.
func TestCheck(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("checked", 600)
	project := client.Submit(object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}}})
	client.WaitFor(project, "done")
	checked(t, service.Data, 0) // beside the running service
	service.API.Terminate()
	if out := checked(t, service.Data, 0); !strings.Contains(out, ": 0 findings") {
		t.Errorf("an installation that is well: %s", out)
	}

	parts, err := filepath.Glob(filepath.Join(service.Data, "work", "render", "cache", "*", "*", "*.mp4"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("rendered parts: %q, %v", parts, err)
	}
	stray := filepath.Join(service.Data, "files", "renders", "stray", "1.mp4")
	old := time.Now().Add(-48 * time.Hour)
	rendered, err := filepath.Glob(filepath.Join(service.Data, "files", "renders", project, "*.mp4"))
	if err != nil || len(rendered) != 1 {
		t.Fatalf("rendered: %q, %v", rendered, err)
	}
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(stray), 0o700), os.WriteFile(stray, []byte("x"), 0o600), os.Chtimes(stray, old, old), os.Truncate(rendered[0], 100),
		os.Truncate(parts[0], 100),
	); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(filepath.Join(service.Data, "read-models.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteTransient(conn, `DELETE FROM balances_1`, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}

	out := checked(t, service.Data, 1)
	for _, want := range []string{
		"damaged   rendered part in the cache: " + parts[0],
		"damaged   finished movie: renders/" + project + "/", "orphaned  stored file: renders/stray/1.mp4", "missing   document of a read model: balances/",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("check did not say %q:\n%s", want, out)
		}
	}
	checked(t, service.Data, 1, "--repair") // the movie takes a backup
	if out := checked(t, service.Data, 1); !strings.Contains(out, ": 1 findings") || !strings.Contains(out, "finished movie") {
		t.Errorf("after the repair: %s", out)
	}
	checked(t, filepath.Join(service.Data, "elsewhere"), 2)
}

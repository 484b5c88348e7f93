package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What deploy/systemd brings is taken by this version: its file by `moviola config check`, the flags of its unit by `moviola serve`.
func TestConfig_ofSystemd(t *testing.T) {
	folder := filepath.Join("..", "..", "deploy", "systemd")
	for _, tt := range []struct{ content, want string }{
		{"", "The configuration can be used.\n"},
		{"listn: here\n", `there is no flag "listn"; did you mean "listen"?`},
	} {
		shipped, err := os.ReadFile(filepath.Join(folder, "moviola.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "moviola.yaml")
		if err := os.WriteFile(path, append(shipped, tt.content...), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		root := rootCommand()
		root.SetOut(&out)
		root.SetArgs([]string{"config", "check", "--config", path})
		if err := root.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), tt.want) {
			t.Errorf("config check: %s, want %q", &out, tt.want)
		}
	}
	unit, err := os.ReadFile(filepath.Join(folder, "moviola.service"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ExecStart=\S+ serve (.*)$`).FindSubmatch(unit)
	if line == nil {
		t.Fatalf("the unit starts no service:\n%s", unit)
	}
	if err := serveCommand().Flags().Parse(strings.Fields(string(line[1]))); err != nil {
		t.Errorf("the flags of the unit: %v", err)
	}
	if !strings.Contains(string(unit), "Environment=MOVIOLA_ADMIN_TOKEN_FILE=") || serveCommand().Flag("admin-token-file") == nil {
		t.Error("the unit does not say where the operator's token is")
	}
}

// The page for operators names metrics that are there.
func TestOperations_metrics(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := os.ReadFile(filepath.Join("..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`moviola_[a-z_]+`).FindAllString(string(page), -1)
	for _, name := range names {
		if !strings.Contains(string(metrics), "| `"+name+"` |") {
			t.Errorf("docs/operations.md names %s, which docs/metrics.md does not", name)
		}
	}
	if len(names) < 10 {
		t.Errorf("docs/operations.md names %d metrics", len(names))
	}
}

package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// batchService answers for one batch of three rows, by pages of two.
func batchService(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/batches/b1", func(w http.ResponseWriter, r *http.Request) {
		rows, next, has := `{"row":1,"status":"done"},{"row":2,"status":"done"}`, `"more"`, true
		if r.URL.Query().Get("next_token") == "more" {
			rows, next, has = `{"row":3,"status":"done"}`, "null", false
		}
		_, _ = fmt.Fprintf(w, `{"success":true,"batch":{"id":"b1","status":"done","rows":3,"counts":{"done":3}},"results":[%s],"has_next":%v,"next_token":%s}`,
			rows, has, next)
	})
	mux.HandleFunc("GET /v2/batches/b1/results.csv", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "row,status\r\n1,done\r\n")
	})
	mux.HandleFunc("POST /v2/batches/validate", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"success":true,"rows":2,"movies":1,"credits":7,"errors":[{"row":2,"column":"s","code":"c","message":"%s"}]}`,
			r.URL.Query().Get("template"))
	})
	mux.HandleFunc("POST /v2/batches/cancel", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"success":true,"batch":"b1","state":"cancelled"}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// Every command of batches prints JSON when it is asked to.
func TestBatchCommand_json(t *testing.T) {
	t.Setenv(apiKeyEnv, "mv_key")
	server := batchService(t)
	file := filepath.Join(t.TempDir(), "rows.json")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"show", "b1", "--json"}, `"status":"done"`},
		{[]string{"show", "b1", "--wait", "--json"}, `"status":"done"`},
		{[]string{"cancel", "b1", "--json"}, `"state":"cancelled"`},
		{[]string{"results", "b1", "--json"}, `{"row":3,"status":"done"}`},
		{[]string{"results", "b1", "--json", "-o", file}, ""},
	} {
		cmd := BatchCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(io.Discard)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append(tt.args, "--url", server.URL))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%q: %v", tt.args, err)
			continue
		}
		if !strings.Contains(out.String(), tt.want) || tt.want != "" && !json.Valid(out.Bytes()) {
			t.Errorf("%q printed %q, want JSON with %q", tt.args, out.String(), tt.want)
		}
	}
	if raw, err := os.ReadFile(file); err != nil || !json.Valid(raw) || !bytes.Contains(raw, []byte(`"row":1`)) {
		t.Errorf("the file has %q, %v", raw, err)
	}
}

// A dry run says what would be made, and starts nothing.
func TestBatchCommand_dryRun(t *testing.T) {
	t.Setenv(apiKeyEnv, "mv_key")
	rows := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(rows, []byte("s\n1\nmany\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := BatchCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"start", rows, "--template", "T1", "--dry-run", "--url", batchService(t).URL})
	err := cmd.ExecuteContext(t.Context())
	if err == nil || err.Error() != "1 row invalid" || out.String() != "1 movie, 7 credits\nrow 2, column s: T1 [c]\n" {
		t.Errorf("%v: %q", err, out.String())
	}
}

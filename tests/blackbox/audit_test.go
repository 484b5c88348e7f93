package blackbox_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// sealed is the report of an audit, as far as this test looks at it.
type sealed struct {
	Accounts         int64 `json:"accounts"`
	Digest           string
	Charged, Open    int64
	BalancesCompared int64 `json:"balances_compared"`
	MoviesCompared   int64 `json:"movies_compared"`
	Difference       any
}

// TestAudit audits an installation while it runs and after it was stopped: the same seal, and a statement of the one movie.
func TestAudit(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.Client("")
	answer := client.Send("POST", "/admin/accounts", []byte(`{"name":"audited","plan":"paid","credits":50}`),
		map[string][]string{"X-Admin-Token": {harness.AdminToken}, "Content-Type": {"application/json"}})
	var opened struct{ Account, Key string }
	answer.Into(t, &opened)
	client = service.Client(opened.Key)
	project := client.Submit(map[string]any{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{map[string]any{"duration": 2}}})
	client.WaitFor(project, "done")
	audit := func(args ...string) (string, sealed) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), harness.Binary(t), append([]string{"audit", "--data", service.Data}, args...)...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("audit: %v: %s%s", err, out, errs.String())
		}
		text := string(out)
		if len(args) > 0 {
			text = errs.String()
		}
		var report sealed
		if err := json.Unmarshal([]byte(text), &report); err != nil {
			t.Fatalf("the report is %s: %v", text, err)
		}
		return string(out), report
	}
	var running sealed
	harness.Eventually(t, "the movie is settled", func() bool {
		_, running = audit()
		return running.Open == 0 && running.Charged == 2 && running.BalancesCompared == 2
	})
	if running.Difference != nil || running.MoviesCompared < 1 || running.BalancesCompared != 2 {
		t.Errorf("report %+v", running)
	}
	whole, _ := audit("--account", opened.Account, "--full")
	sheet, alone := audit("--account", opened.Account)
	if sheet != whole || alone.Accounts != 1 || alone.BalancesCompared != 1 || alone.Charged != 2 || alone.Difference != nil {
		t.Errorf("of the ledger alone: report %+v, statement\n%s\nof the whole log\n%s", alone, sheet, whole)
	}
	if lines := strings.Split(strings.TrimSpace(sheet), "\n"); len(lines) != 4 ||
		!strings.Contains(lines[3], ",CreditsCharged,"+project+",2,0,-2,2,,,,false,50,2,0,48,48") {
		t.Errorf("statement\n%s", sheet)
	}
	var api string
	harness.Eventually(t, "the interface has the same statement, the newest entry first", func() bool {
		api = string(client.Send("GET", "/v2/credits/ledger?format=csv", nil, http.Header{"X-Api-Key": {opened.Key}}).Body)
		return sameStatement(api, sheet)
	})
	if out := refused(t, "audit", "--data", service.Data, "--account", "nobody"); !strings.Contains(out, `there is no account "nobody"`) {
		t.Errorf("a statement of nobody: %s", out)
	}
	service.API.Terminate()
	if _, stopped := audit(); stopped.Digest != running.Digest || stopped.Difference != nil {
		t.Errorf("after the service has stopped %+v, before %+v", stopped, running)
	}
}

// sameStatement says whether two statements in CSV have the same entries: that of the interface, the newest first, and that of the command line, which
// begins with the account and ends with what the account comes to.
func sameStatement(api, cli string) bool {
	theirs, err := csv.NewReader(strings.NewReader(api)).ReadAll()
	ours, wrong := csv.NewReader(strings.NewReader(cli)).ReadAll()
	if err != nil || wrong != nil || len(theirs) != len(ours) || len(ours) == 0 {
		return false
	}
	slices.Reverse(theirs[1:])
	return slices.EqualFunc(theirs, ours, func(a, b []string) bool { return len(a) < len(b) && slices.Equal(a, b[1:1+len(a)]) })
}

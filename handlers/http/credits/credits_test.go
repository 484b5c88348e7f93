package credits_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/plan"
	"moviola/handlers/http/access"
	"moviola/handlers/http/credits"
	"moviola/handlers/http/web"
	"moviola/projections"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const operatorToken = "operator's token"

// world is the books of alice, who calls, and of everybody else.
type world struct {
	standing commands.Standing
	totals   ledger.Totals
	entries  []projections.Entry // the newest first
	asked    []projections.StatementQuery
	handler  http.Handler
}

func (w *world) UsedIn(context.Context, domain.AccountID, time.Time) (movies, drafts int64, err error) {
	return 3, 4, nil
}

func (w *world) State(context.Context, domain.AccountID) (ledger.Totals, error) { return w.totals, nil }

func (w *world) Of(context.Context, domain.AccountID) (commands.Standing, error) {
	return w.standing, nil
}

// Page implements credits.Statements.
func (w *world) Page(_ context.Context, q projections.StatementQuery) ([]projections.Entry, bool, error) {
	w.asked = append(w.asked, q)
	var found []projections.Entry
	for _, e := range w.entries {
		if q.After == nil || e.Number < q.After.Number {
			found = append(found, e)
		}
	}
	if len(found) > q.Limit {
		return found[:q.Limit], true, nil
	}
	return found, false, nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		standing: commands.Standing{Plan: plan.Plans{}.Of("paid")},
		totals:   ledger.Totals{Granted: 600, Charged: 100, Held: 20, Balance: 500, Available: 480, EverGranted: true},
		entries: []projections.Entry{
			{Account: "alice", Number: 2, At: now, Event: "CreditsReleased", Subject: `a "b", c`, Amount: 4, Held: -4, Reason: "failed"},
			{Account: "alice", Number: 1, At: now.Add(-time.Hour), Event: "CreditsHeld", Subject: `a "b", c`, Amount: 4, Held: 4},
			{Account: "alice", Number: 0, At: now.Add(-2 * time.Hour), Event: "CreditsGranted", Subject: "opening", Amount: 600, Granted: 600, Kind: "pack"},
		},
	}
	log := logrus.New()
	api, err := credits.New(credits.Config{
		Totals: w, Standings: w, Statements: w, Gate: gate{}, CursorKey: make([]byte, 32), Now: func() time.Time { return now }, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, op := range api.Operations() {
		if op.Role != key.Admin {
			t.Errorf("%s needs role %s only", op.Path, op.Role)
		}
		mux.HandleFunc(op.Path, func(rw http.ResponseWriter, r *http.Request) {
			if err := op.Serve(rw, r, access.Call{Account: "alice", Role: op.Role, Query: r.URL.Query()}); err != nil {
				web.Fail(rw, r, log, err)
			}
		})
	}
	w.handler = mux
	return w
}

// gate lets operators in by the rule of the real one.
type gate struct{}

func (gate) ActFor(r *http.Request, c access.Call) (access.Call, error) {
	return access.New(access.Config{Operator: web.NewOperatorToken(operatorToken, 0, nil)}).ActFor(r, c)
}

func (w *world) get(path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

func TestCredits(t *testing.T) {
	t.Parallel()
	const sums = `"granted":600,"charged":100,"balance":500,"held":20,"available":480,"storage_blocked":false,"period":null,"timestamp":"2026-11-21T12:00:00.000Z"}`
	const spent = `"granted":600,"charged":600,"balance":0,"held":0,"available":0,"storage_blocked":true,"period":null,"timestamp":"2026-11-21T12:00:00.000Z"}`
	tests := []struct {
		name   string
		change func(*world)
		want   string
	}{
		{"active", func(*world) {}, `{"success":true,"account":"alice","plan":"paid","state":"active",` + sums},
		{"suspended", func(w *world) {
			w.totals, w.standing.Blocked = ledger.Totals{Granted: 600, Charged: 600, EverGranted: true}, true
		}, `{"success":true,"account":"alice","plan":"paid","state":"suspended",` + spent},
		{"closed", func(w *world) { w.standing.Closed = true }, `{"success":true,"account":"alice","plan":"paid","state":"closed",` + sums},
		{"counted", func(w *world) { w.standing.Plan, w.totals = plan.Plans{}.Of("counted"), ledger.Totals{} },
			`{"success":true,"account":"alice","plan":"counted","state":"active","granted":0,"charged":0,"balance":0,"held":0,"available":0,"storage_blocked":false,` +
				`"period":{"month":"2026-11","movies":3,"movies_quota":100,"drafts":4,"drafts_quota":400},"timestamp":"2026-11-21T12:00:00.000Z"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.change(w)
			if answer := w.get("/v2/credits"); answer.Code != 200 || answer.Body.String() != tt.want {
				t.Errorf("%d %s, want %s", answer.Code, answer.Body, tt.want)
			}
		})
	}
}

// TestOperator: the parameter account needs the operator's token. Decision "Roles".
func TestOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/v2/credits?account=bob", "/v2/credits/ledger?account=bob"} {
		if answer := w.get(path); answer.Code != 403 || !strings.Contains(answer.Body.String(), "token_invalid") {
			t.Errorf("%s without token: %d %s", path, answer.Code, answer.Body)
		}
		if answer := w.get(path, "X-Admin-Token", operatorToken); answer.Code != 200 || !strings.Contains(answer.Body.String(), `"account":"bob"`) {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := `{"success":true,"account":"alice","from":"2026-11-20T00:00:00.000Z","to":"2026-11-21T23:59:59.999Z","count":3,"limit":100,"has_next":false,"next_token":null,"entries":[` +
		`{"number":2,"at":"2026-11-21T12:00:00.000Z","event":"CreditsReleased","subject":"a \"b\", c","amount":4,"granted":0,"held":-4,"charged":0,"kind":null,"reason":"failed","period":null,"draft":false},` +
		`{"number":1,"at":"2026-11-21T11:00:00.000Z","event":"CreditsHeld","subject":"a \"b\", c","amount":4,"granted":0,"held":4,"charged":0,"kind":null,"reason":null,"period":null,"draft":false},` +
		`{"number":0,"at":"2026-11-21T10:00:00.000Z","event":"CreditsGranted","subject":"opening","amount":600,"granted":600,"held":0,"charged":0,"kind":"pack","reason":null,"period":null,"draft":false}` +
		`],"timestamp":"2026-11-21T12:00:00.000Z"}`
	if answer := w.get("/v2/credits/ledger?from=2026-11-20&to=2026-11-21"); answer.Code != 200 || answer.Body.String() != want {
		t.Errorf("%d %s, want %s", answer.Code, answer.Body, want)
	}
	sheet := "number,at,event,subject,amount,granted,held,charged,kind,reason,period,draft\n" +
		"2,2026-11-21T12:00:00.000Z,CreditsReleased,\"a \"\"b\"\", c\",4,0,-4,0,,failed,,false\n" +
		"1,2026-11-21T11:00:00.000Z,CreditsHeld,\"a \"\"b\"\", c\",4,0,4,0,,,,false\n"
	answer := w.get("/v2/credits/ledger?format=csv&limit=2")
	if answer.Body.String() != sheet || answer.Header().Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%v %s, want %s", answer.Header(), answer.Body, sheet)
	}
	if rest := w.get("/v2/credits/ledger?format=csv&next_token=" + answer.Header().Get("X-Next-Token")); rest.Header().Get("X-Next-Token") != "" ||
		strings.Count(rest.Body.String(), "\n") != 2 {
		t.Errorf("the last page: %v %s", rest.Header(), rest.Body)
	}
}

// TestLedger_pages: a cursor carries its range and limit, and is good for its account and statement only. Decision 14.
func TestLedger_pages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var numbers []float64
	var first string
	path := "/v2/credits/ledger?from=2026-11-01&to=2026-11-30&limit=1"
	for range 3 {
		var page map[string]any
		if err := json.Unmarshal(w.get(path).Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, page["entries"].([]any)[0].(map[string]any)["number"].(float64))
		if page["has_next"] == false {
			break
		}
		path = "/v2/credits/ledger?next_token=" + page["next_token"].(string)
		if first == "" {
			first = page["next_token"].(string)
		}
	}
	if diff := cmp.Diff([]float64{2, 1, 0}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	last := w.asked[len(w.asked)-1]
	if last.Limit != 1 || !last.From.Equal(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)) || last.Account != "alice" {
		t.Errorf("the cursor's page was asked for by %+v", last)
	}
	for _, beside := range []string{"&limit=2", "&from=2026-11-02", "&to=2026-11-29"} {
		if answer := w.get("/v2/credits/ledger?next_token=" + first + beside); answer.Code != 400 || !strings.Contains(answer.Body.String(), "Invalid next_token") {
			t.Errorf("%s: %d %s", beside, answer.Code, answer.Body)
		}
	}
	if answer := w.get("/v2/credits/ledger?next_token="+first+"&account=bob", "X-Admin-Token", operatorToken); answer.Code != 400 {
		t.Errorf("another account's cursor: %d", answer.Code)
	}
	if answer := w.get("/v2/credits/ledger?limit=1&from=2026-11-01&to=2026-11-30&next_token=" + first); answer.Code != 200 {
		t.Errorf("the same range beside the cursor: %d %s", answer.Code, answer.Body)
	}
}

func TestLedger_refusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := map[string]string{
		"from=yesterday":                "start_date_invalid",
		"to=2026-13-01":                 "end_date_invalid",
		"from=2026-11-02&to=2026-11-01": "start_date_invalid",
		"limit=0":                       "limit_invalid",
		"limit=1000":                    "limit_invalid",
		"limit=many":                    "limit_invalid",
		"format=xml":                    "format_invalid",
		"format=csv&format=json":        "format_invalid",
		"next_token=forged":             "next_token_invalid",
		"account=a&account=b":           "account_ambiguous",
	}
	for query, code := range tests {
		if answer := w.get("/v2/credits/ledger?" + query); answer.Code != 400 || !strings.Contains(answer.Body.String(), `"`+code+`"`) {
			t.Errorf("%s: %d %s, want %s", query, answer.Code, answer.Body, code)
		}
	}
	if len(w.asked) > 0 {
		t.Errorf("asked for %+v", w.asked)
	}
}

// TestNew names everything that is missing.
func TestNew(t *testing.T) {
	t.Parallel()
	_, err := credits.New(credits.Config{})
	for _, name := range []string{"Totals", "Standings", "Statements", "Gate", "Log", "CursorKey"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, without %s", err, name)
		}
	}
}

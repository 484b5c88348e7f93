package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/operator"
	"moviola/domain/plan"
	"moviola/eventstore"
	"moviola/handlers/http/web"
	"moviola/projections"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

type (
	plans  struct{ *world }
	closer struct{ *world }
	shelf  struct{ *world }
	trail  struct{ *world }
)

func (w plans) Handle(_ context.Context, cmd accounts.ChangePlan) (eventstore.Position, error) {
	if cmd.Plan == "gold" {
		return eventstore.Position{}, domain.Errorf(domain.Invalid, "plan_invalid", "plan must be one of counted, free, paid")
	}
	w.world.plans[string(cmd.Account)] = cmd.Plan
	return eventstore.Position{Commit: 12}, nil
}

func (w closer) Handle(_ context.Context, cmd accounts.CloseAccount) (eventstore.Position, error) {
	w.closed = append(w.closed, string(cmd.Account))
	return eventstore.Position{Commit: 13}, nil
}

// shelf has three accounts, opened a minute after each other; the second is closed.
func (w shelf) all() []projections.Account {
	closed := t0.Add(time.Hour)
	return []projections.Account{
		{Account: "a1", Name: "Ann", Plan: "free", OpenedAt: t0},
		{Account: "a2", Name: "Ben", Plan: "paid", OpenedAt: t0.Add(time.Minute), ClosedAt: &closed, ClearedAt: &closed},
		{Account: "a3", Name: "Cem", Plan: "counted", OpenedAt: t0.Add(2 * time.Minute)},
	}
}

func (w shelf) Get(_ context.Context, id domain.AccountID) (projections.Account, bool, error) {
	for _, a := range w.all() {
		if a.Account == string(id) {
			return a, true, nil
		}
	}
	return projections.Account{}, false, nil
}

func (w shelf) Page(_ context.Context, q projections.AccountQuery) ([]projections.Account, bool, error) {
	all := w.all()
	for q.After != nil && len(all) > 0 && !all[0].OpenedAt.After(q.After.OpenedAt) {
		all = all[1:]
	}
	if len(all) > q.Limit {
		return all[:q.Limit], true, nil
	}
	return all, false, nil
}

func (w shelf) State(context.Context, domain.AccountID) (ledger.Totals, error) {
	return ledger.Totals{Granted: 600, Charged: 600, Held: 0, EverGranted: true}, nil
}

func (w shelf) Of(_ context.Context, id domain.AccountID) (commands.Standing, error) {
	return commands.Standing{Plan: plan.Plans{}.Of(map[domain.AccountID]string{"a1": "free", "a3": "counted"}[id]), Blocked: id == "a1"}, nil
}

func (w trail) Handle(_ context.Context, cmd accounts.RecordAct) (operator.Acted, error) {
	if w.deaf {
		return operator.Acted{}, errors.New("the event store is away")
	}
	w.acts = append(w.acts, cmd)
	return operator.Acted{ID: "act"}, nil
}

func (w trail) Refuse(_ context.Context, acted operator.Acted, why string) error {
	w.refused = append(w.refused, acted.ID+": "+why)
	return nil
}

// Page shows two acts in pages of one.
func (w trail) Page(_ context.Context, q projections.ActQuery) ([]projections.Act, bool, error) {
	act := projections.Act{ID: "two", Who: "anna", Act: "grant credits", On: q.On, How: "5", At: t0}
	if q.After != nil {
		act.ID = "one"
	}
	return []projections.Act{act}, q.After == nil, nil
}

// trouble has a movie that cannot be rendered, and one that cannot be settled.
type trouble struct {
	rows    []projections.Trouble
	dropped []string
	ended   bool // it is over when somebody drops it
}

// demands is a work list in which three movies wait, and two have a slot.
type demands struct{}

func (demands) Demand(_ context.Context, kind string, now time.Time) (projections.Demand, error) {
	if kind != projections.WorkRender {
		return projections.Demand{}, errors.New("asked for " + kind)
	}
	return projections.Demand{Waiting: 3, Running: 2, Oldest: now.Add(-41500 * time.Millisecond)}, nil
}

func newTrouble() *trouble {
	return &trouble{rows: []projections.Trouble{
		{Work: "hold/p", Kind: "settle", Account: "a1", Subject: "p", Message: "no", Failures: 10, Stuck: true, First: t0, Last: t0.Add(time.Minute)},
		{Work: "render/q", Kind: "render", Account: "a1", Subject: "q", Message: "no", Failures: 11, Stuck: true, First: t0, Last: t0.Add(time.Minute)},
	}}
}

func (b *trouble) Stuck(context.Context) ([]projections.Trouble, error) { return b.rows, nil }

func (b *trouble) Clear(_ context.Context, work string) error {
	var left []projections.Trouble
	for _, row := range b.rows {
		if row.Work != work {
			left = append(left, row)
		}
	}
	b.rows = left
	return nil
}

func (b *trouble) drop(_ context.Context, subject string) (eventstore.Position, error) {
	if b.ended {
		return eventstore.Position{}, commands.ErrNothingToDo
	}
	b.dropped = append(b.dropped, subject)
	return eventstore.Position{Commit: 14}, nil
}

// TestOperator: what an operator sees and does beyond opening accounts and granting credits, and what the trail says of it.
func TestOperator(t *testing.T) {
	t.Parallel()
	const refusal = `{"success":false,"message":"%s","code":"%s"}`
	refused := func(message, code string) string {
		return strings.Replace(strings.Replace(refusal, "%s", message, 1), "%s", code, 1)
	}
	const detail = `,"granted":600,"charged":600,"balance":0,"held":0,"available":0,"suspended":`
	act := func(what, on, how string) *accounts.RecordAct {
		return &accounts.RecordAct{Who: "operator", Act: what, On: on, How: how}
	}
	tests := []struct {
		name, method, path, body string
		status                   int
		want                     string
		act                      *accounts.RecordAct
	}{
		{"one account", "GET", "/admin/accounts?account=a1", "", 200,
			`{"success":true,"account":{"account":"a1","name":"Ann","plan":"free","state":"open","opened_at":"2026-11-21T09:00:00.000Z","closed_at":null,"cleared_at":null` + detail + `true,"storage_blocked":true}}`, nil},
		{"a counted account", "GET", "/admin/accounts?account=a3", "", 200,
			`{"success":true,"account":{"account":"a3","name":"Cem","plan":"counted","state":"open","opened_at":"2026-11-21T09:02:00.000Z","closed_at":null,"cleared_at":null` + detail + `false,"storage_blocked":false}}`, nil},
		{"no such account", "GET", "/admin/accounts?account=a9", "", 404, refused("Account a9 not found", "account_not_found"), nil},
		{"two accounts at once", "GET", "/admin/accounts?account=a1&account=a2", "", 400, refused("account is required", "account_missing"), nil},
		{"bad page size", "GET", "/admin/accounts?limit=0", "", 400, refused("Invalid limit", "limit_invalid"), nil},
		{"forged cursor", "GET", "/admin/accounts?next_token=x", "", 400, refused("Invalid next_token", "next_token_invalid"), nil},
		{"change plan", "POST", "/admin/accounts/plan", `{"account":"a1","plan":"paid"}`, 200, `{"success":true,"account":"a1","plan":"paid"}`, act("change plan", "a1", "paid")},
		{"change to no plan", "POST", "/admin/accounts/plan", `{"account":"a1"}`, 400, refused("plan is required", "plan_missing"), nil},
		{"change nobody's plan", "POST", "/admin/accounts/plan", `{"plan":"paid"}`, 400, refused("account is required", "account_missing"), nil},
		{"change to an unknown plan", "POST", "/admin/accounts/plan", `{"account":"a1","plan":"gold"}`, 400,
			refused("plan must be one of counted, free, paid", "plan_invalid"), act("change plan", "a1", "gold")},
		{"close", "DELETE", "/admin/accounts?account=a1", "", 200, `{"success":true,"account":"a1"}`, act("close account", "a1", "")},
		{"close nobody", "DELETE", "/admin/accounts", "", 400, refused("account is required", "account_missing"), nil},
		{"capacity", "GET", "/admin/capacity", "", 200, `{"success":true,"waiting":3,"running":2,"oldest_seconds":41.5,"slots_wanted":5}`, nil},
		{"queue", "GET", "/admin/queue", "", 200, queueAnswer, nil},
		{"workers", "GET", "/admin/workers", "", 200, workersAnswer, nil},
		{"read models", "GET", "/admin/projections", "", 200, projectionsAnswer, nil},
		{"rebuild one", "POST", "/admin/projections/rebuild", `{"models":["movies"]}`, 200, `{"success":true}`, act("rebuild read models", "movies", "")},
		{"rebuild what is none", "POST", "/admin/projections/rebuild", `{"models":["films"]}`, 400, refused("models must be names of read models: movies, work", "models_invalid"), nil},
		{"rebuild while one runs", "POST", "/admin/projections/rebuild", `{}`, 409, refused("A rebuild is running: wait for its end", "rebuild_running"), act("rebuild read models", "all", "")},
		{"configuration", "GET", "/admin/configuration", "", 200,
			`{"success":true,"version":"1","process":"here","settings":[{"name":"data","value":"./data","source":"default"}]}`, nil},
		{"plans", "GET", "/admin/plans", "", 200, plansAnswer, nil},
		{"stuck work", "GET", "/admin/work", "", 200,
			`{"success":true,"count":2,"work":[{"work":"hold/p","kind":"settle","account":"a1","subject":"p","message":"no","failures":10,"first":"2026-11-21T09:00:00.000Z","last":"2026-11-21T09:01:00.000Z","droppable":false},` +
				`{"work":"render/q","kind":"render","account":"a1","subject":"q","message":"no","failures":11,"first":"2026-11-21T09:00:00.000Z","last":"2026-11-21T09:01:00.000Z","droppable":true}]}`, nil},
		{"retry one", "POST", "/admin/work/retry", `{"work":"hold/p"}`, 200, `{"success":true,"count":1}`, act("retry work", "hold/p", "1")},
		{"retry all", "POST", "/admin/work/retry", `{"all":true,"count":2}`, 200, `{"success":true,"count":2}`, act("retry work", "all stuck work", "2")},
		{"retry all, which are more now", "POST", "/admin/work/retry", `{"all":true,"count":1}`, 409, refused("2 pieces of work are stuck now: list them again", "work_count_changed"), nil},
		{"retry all, unseen", "POST", "/admin/work/retry", `{"all":true}`, 400, refused("Give either work, or all with the count that was listed", "work_invalid"), nil},
		{"retry one and all", "POST", "/admin/work/retry", `{"all":true,"count":2,"work":"hold/p"}`, 400, refused("Give either work, or all with the count that was listed", "work_invalid"), nil},
		{"retry what is not stuck", "POST", "/admin/work/retry", `{"work":"render/p"}`, 404, refused("No such work is stuck", "work_not_found"), nil},
		{"drop", "POST", "/admin/work/drop", `{"work":"render/q"}`, 200, `{"success":true,"work":"render/q"}`, act("drop work", "render/q", "render")},
		{"drop a settling", "POST", "/admin/work/drop", `{"work":"hold/p"}`, 409, refused("Work of this kind has to be done and cannot be dropped", "work_not_droppable"), nil},
		{"drop nothing", "POST", "/admin/work/drop", `{}`, 400, refused("work is required", "work_missing"), nil},
		{"drop what is not stuck", "POST", "/admin/work/drop", `{"work":"render/p"}`, 404, refused("No such work is stuck", "work_not_found"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, handler := newWorld(token)
			answer := call(handler, tt.method, tt.path, tt.body, token)
			if answer.Code != tt.status || answer.Body.String() != tt.want {
				t.Errorf("%d %s, want %d %s", answer.Code, answer.Body, tt.status, tt.want)
			}
			var want []accounts.RecordAct
			if tt.act != nil {
				want = append(want, *tt.act)
			}
			if diff := cmp.Diff(want, w.acts); diff != "" {
				t.Errorf("trail (-want +got):\n%s", diff)
			}
			var refusals []string
			if tt.act != nil && tt.status != 200 {
				var refusal struct{ Message string }
				if err := json.Unmarshal(answer.Body.Bytes(), &refusal); err != nil {
					t.Fatal(err)
				}
				refusals = []string{"act: " + refusal.Message}
			}
			if diff := cmp.Diff(refusals, w.refused); diff != "" {
				t.Errorf("refused acts (-want +got):\n%s", diff)
			}
			if stranger := call(handler, tt.method, tt.path, tt.body, "guess"); stranger.Code != http.StatusForbidden {
				t.Errorf("a stranger is answered %d", stranger.Code)
			}
		})
	}
}

// TestAct_first: what cannot be recorded is not done.
func TestAct_first(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	w.deaf = true
	for path, body := range map[string]string{
		"POST /admin/accounts":              `{"name":"a","plan":"paid"}`,
		"POST /admin/accounts/plan":         `{"account":"a1","plan":"paid"}`,
		"POST /admin/credits":               `{"account":"Account000000001","amount":5,"reference":"r1"}`,
		"DELETE /admin/accounts?account=a1": "",
		"POST /admin/work/retry":            `{"work":"hold/p"}`,
		"POST /admin/work/drop":             `{"work":"render/q"}`,
	} {
		method, path, _ := strings.Cut(path, " ")
		if answer := call(handler, method, path, body, token); answer.Code != 500 {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
	if len(w.opened)+len(w.plans)+len(w.granted)+len(w.closed)+len(w.trouble.dropped) > 0 || len(w.trouble.rows) != 2 {
		t.Errorf("done without a trace: %+v", w)
	}
}

// TestDrop_over: work that has ended by itself is no work any more.
func TestDrop_over(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	w.trouble.ended = true
	if answer := call(handler, "POST", "/admin/work/drop", `{"work":"render/q"}`, token); answer.Code != 409 || !strings.Contains(answer.Body.String(), "work_done") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if len(w.trouble.rows) != 1 {
		t.Errorf("left %+v", w.trouble.rows)
	}
}

// TestLists walks the pages of accounts and of the trail. Their cursors are not each other's.
func TestLists(t *testing.T) {
	t.Parallel()
	_, handler := newWorld(token)
	walk := func(path, list, id string) (all []any, token1 string) {
		token2 := ""
		for range 10 {
			answer := call(handler, "GET", path+token2, "", token)
			var page map[string]any
			if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != 200 {
				t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
			}
			for _, row := range page[list].([]any) {
				all = append(all, row.(map[string]any)[id])
			}
			if page["has_next"] == false {
				return all, token1
			}
			token1 = page["next_token"].(string)
			token2 = "&next_token=" + token1
		}
		t.Fatalf("%s has no end", path)
		return nil, ""
	}
	accounts, place := walk("/admin/accounts?limit=1", "accounts", "account")
	if diff := cmp.Diff([]any{"a1", "a2", "a3"}, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	acts, actPlace := walk("/admin/acts?on=a1", "acts", "id")
	if diff := cmp.Diff([]any{"two", "one"}, acts); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/admin/acts?next_token=" + place, "/admin/accounts?next_token=" + actPlace, "/admin/acts?on=a2&next_token=" + actPlace} {
		if answer := call(handler, "GET", path, "", token); answer.Code != 400 {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}

// TestAct_proven: who was proven by an identity provider is recorded, whatever the header says, and nobody else gives such a name.
func TestAct_proven(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	acting := web.Acting{Name: "oidc:anna@example.com", Role: operator.Acting, Issuer: "https://id.example.com", Subject: "17"}
	proven := http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(out, r.WithContext(web.WithActing(r.Context(), acting)))
	})
	for _, name := range []string{"ben", "oidc:ben@example.com", " OIDC:ben"} {
		header := http.Header{"X-Admin-Token": {token}, "X-Operator": {name}}
		if answer := callWith(proven, "DELETE", "/admin/accounts?account=a1", "", header); answer.Code != 200 {
			t.Fatalf("%d", answer.Code)
		}
		got := w.acts[len(w.acts)-1]
		if got.Who != acting.Name || got.Issuer != acting.Issuer || got.Subject != acting.Subject {
			t.Errorf("%q: trail %+v", name, got)
		}
		if name == "ben" {
			continue
		}
		callWith(handler, "DELETE", "/admin/accounts?account=a1", "", header)
		if got := w.acts[len(w.acts)-1]; got.Who != "operator" || got.Issuer != "" {
			t.Errorf("%q: trail %+v", name, got)
		}
	}
}

// TestFresh: what gives something away for good needs a fresh sign-in from a session of the console, and is neither recorded nor done without one; all else
// goes on, and so does a call with a token.
func TestFresh(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	stale := http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(out, r.WithContext(web.WithActing(r.Context(), web.Acting{Name: "anna", Role: operator.Owner, Stale: true})))
	})
	for _, asked := range []string{"POST /admin/credits", "POST /admin/accounts", "DELETE /admin/accounts?account=a1", "POST /admin/work/drop", "POST /admin/keys?account=a1",
		"POST /admin/operators", "POST /admin/operators/renew", "DELETE /admin/operators?name=anna"} {
		method, path, _ := strings.Cut(asked, " ")
		if answer := call(stale, method, path, "{}"); answer.Code != 403 || !strings.Contains(answer.Body.String(), `"sign_in_again"`) {
			t.Errorf("%s: %d %s", asked, answer.Code, answer.Body)
		}
	}
	if len(w.acts) > 0 || len(w.closed) > 0 || len(w.granted) > 0 {
		t.Errorf("acts %v, closed %v, granted %v", w.acts, w.closed, w.granted)
	}
	if answer := call(stale, "POST", "/admin/accounts/plan", `{"account":"a1","plan":"free"}`); answer.Code != 200 {
		t.Errorf("another plan: %d %s", answer.Code, answer.Body)
	}
	if answer := call(handler, "DELETE", "/admin/accounts?account=a1", "", token); answer.Code != 200 {
		t.Errorf("with the token: %d %s", answer.Code, answer.Body)
	}
}

// TestAct_who: whoever acts may give a name.
func TestAct_who(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	named := http.Header{"X-Admin-Token": {token}, "X-Operator": {"anna"}}
	if answer := callWith(handler, "DELETE", "/admin/accounts?account=a1", "", named); answer.Code != 200 || len(w.acts) != 1 || w.acts[0].Who != "anna" {
		t.Errorf("%d, trail %+v", answer.Code, w.acts)
	}
}

package admin_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/handlers/http/admin"
	"moviola/handlers/http/web"
	"moviola/projections"
)

const token = "operator's token"

// world is what the operator's interface acts on.
type world struct {
	opened  []accounts.OpenAccount
	acts    []accounts.RecordAct
	refused []string          // acts that were refused afterwards, with the reason
	deaf    bool              // the trail cannot be written
	granted map[string]int64  // by account and reference: the same reference grants once
	plans   map[string]string // by account
	closed  []string
	trouble *trouble
	waited  []eventstore.Position
	broken  bool
	slow    bool
	log     bytes.Buffer
}

type (
	opener    struct{ *world }
	credits   struct{ *world }
	projected struct{ *world }
)

func (w opener) Handle(_ context.Context, cmd accounts.OpenAccount) (accounts.OpenedAccount, error) {
	switch {
	case w.broken:
		return accounts.OpenedAccount{}, errors.New("dial 10.0.0.7: no route")
	case cmd.Plan != "paid" && cmd.Plan != "free":
		return accounts.OpenedAccount{}, domain.Errorf(domain.Invalid, "plan_unknown", "Unknown plan %s", cmd.Plan)
	}
	w.opened = append(w.opened, cmd)
	return accounts.OpenedAccount{Account: "Account000000001", Key: "mv_secret", Position: eventstore.Position{Commit: 9}}, nil
}

func (w credits) Handle(_ context.Context, cmd accounts.GrantCredits) (eventstore.Position, error) {
	if cmd.Account != "Account000000001" {
		return eventstore.Position{}, domain.Errorf(domain.NotFound, "account_not_found", "Account %s not found", cmd.Account)
	}
	w.granted[string(cmd.Account)+"/"+cmd.Reference+"/"+cmd.Kind] = cmd.Amount
	return eventstore.Position{Commit: 11}, nil
}

func (w projected) WaitFor(ctx context.Context, position eventstore.Position) error {
	w.waited = append(w.waited, position)
	if w.slow {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func newWorld(configured string) (*world, http.Handler) {
	w := &world{granted: map[string]int64{}, plans: map[string]string{}, trouble: newTrouble()}
	log := logrus.New()
	log.SetOutput(&w.log)
	router := web.NewRouter()
	admin.New(admin.Config{
		Operator: web.NewOperatorToken(configured, 0, nil), Accounts: opener{w}, Credits: credits{w}, Projected: projected{w}, Log: log, CursorKey: make([]byte, 32),
		Plans: plans{w}, Close: closer{w}, Books: admin.Books{Accounts: shelf{w}, Totals: shelf{w}, Standings: shelf{w}},
		Acts:     admin.ActCalls{Record: trail{w}, Pages: trail{w}},
		Capacity: admin.CapacityCalls{Work: demands{}, Now: func() time.Time { return t0.Add(time.Hour) }},
		Queue:    queue{}, Workers: admin.WorkerCalls{Processes: processes{}, Presence: presence{}},
		Projections:   admin.ProjectionCalls{Reader: readers{}, Rebuild: &rebuilds{}},
		Configuration: admin.Configuration{Version: "1", Process: "here", Settings: []admin.Setting{{Name: "data", Value: "./data", Source: "default"}}},
		Work:          admin.WorkCalls{Trouble: w.trouble, Drop: map[string]admin.DropFunc{projections.WorkRender: w.trouble.drop}},
	}).Routes(router)
	return w, web.Wrap(router, log)
}

func call(handler http.Handler, method, path, body string, tokens ...string) *httptest.ResponseRecorder {
	return callWith(handler, method, path, body, http.Header{"X-Admin-Token": tokens})
}

func callWith(handler http.Handler, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header = header
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return answer
}

// Design §10 and decision "Roles": the operator's interface and its token.
func TestRules(t *testing.T) {
	t.Parallel()
	const open, grant = "/admin/accounts", "/admin/credits"
	const refused = `{"success":false,"message":"Invalid token","code":"token_invalid"}`
	tests := []struct {
		name, method, path, body string
		tokens                   []string
		status                   int
		want                     string
	}{
		{"no token", "POST", open, `{"name":"a","plan":"paid"}`, nil, 403, refused},
		{"wrong token", "POST", open, `{"name":"a","plan":"paid"}`, []string{"guess"}, 403, refused},
		{"empty token", "POST", open, `{"name":"a","plan":"paid"}`, []string{""}, 403, refused},
		{"token with a tail", "POST", open, `{"name":"a","plan":"paid"}`, []string{token + "x"}, 403, refused},
		{"two tokens", "POST", open, `{"name":"a","plan":"paid"}`, []string{token, token}, 403, refused},
		{"token before the body", "POST", grant, ``, nil, 403, refused},
		{"unknown path", "POST", "/admin/films", ``, []string{token}, 404, `{"success":false,"message":"Not found","code":"not_found"}`},
		{"wrong method", "PUT", open, ``, nil, 405, `{"success":false,"message":"Method not supported","code":"method_not_supported"}`},
		{"open", "POST", open, `{"name":"a","plan":"paid"}`, []string{token}, 200, `{"success":true,"account":"Account000000001","key":"mv_secret"}`},
		{"open, extra fields", "POST", open, `{"name":"a","plan":"free","credits":0,"note":"x"}`, []string{token}, 200, `{"success":true,"account":"Account000000001","key":"mv_secret"}`},
		{"open without name", "POST", open, `{"name":" ","plan":"paid"}`, []string{token}, 400, `{"success":false,"message":"name is required","code":"name_missing"}`},
		{"open, negative credits", "POST", open, `{"name":"a","plan":"paid","credits":-1}`, []string{token}, 400, `{"success":false,"message":"credits must be 0 or a positive whole number","code":"credits_invalid"}`},
		{"open, plan refused by the command", "POST", open, `{"name":"a","plan":"gold"}`, []string{token}, 400, `{"success":false,"message":"Unknown plan gold","code":"plan_unknown"}`},
		{"empty body", "POST", open, ``, []string{token}, 400, `{"success":false,"message":"No payload provided","code":"body_missing"}`},
		{"no object", "POST", open, `[1]`, []string{token}, 400, `{"success":false,"message":"The request body is not the JSON object that is expected here","code":"body_invalid"}`},
		{"fractions of a credit", "POST", open, `{"name":"a","credits":1.5}`, []string{token}, 400, `{"success":false,"message":"The request body is not the JSON object that is expected here","code":"body_invalid"}`},
		{"large body", "POST", open, strings.Repeat("a", 64<<10+1), []string{token}, 413, `{"success":false,"message":"The request body is larger than the limit of 65536 bytes","code":"body_too_large"}`},
		{"grant", "POST", grant, `{"account":"Account000000001","amount":5,"reference":"r1"}`, []string{token}, 200, `{"success":true,"account":"Account000000001"}`},
		{"grant to nobody", "POST", grant, `{"amount":5,"reference":"r1"}`, []string{token}, 400, `{"success":false,"message":"account is required","code":"account_missing"}`},
		{"grant to an unknown account", "POST", grant, `{"account":"x","amount":5,"reference":"r1"}`, []string{token}, 404, `{"success":false,"message":"Account x not found","code":"account_not_found"}`},
		{"grant nothing", "POST", grant, `{"account":"Account000000001","amount":0,"reference":"r1"}`, []string{token}, 400, `{"success":false,"message":"amount must be a positive whole number of credits","code":"amount_invalid"}`},
		{"grant of an unknown kind", "POST", grant, `{"account":"Account000000001","amount":5,"reference":"r1","kind":"gift"}`, []string{token}, 400, `{"success":false,"message":"kind must be pack or left out","code":"kind_unknown"}`},
		{"grant without reference", "POST", grant, `{"account":"Account000000001","amount":5}`, []string{token}, 400, `{"success":false,"message":"reference is required: the same reference grants once","code":"reference_missing"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, handler := newWorld(token)
			answer := call(handler, tt.method, tt.path, tt.body, tt.tokens...)
			if answer.Code != tt.status || answer.Body.String() != tt.want {
				t.Errorf("%d %s, want %d %s", answer.Code, answer.Body, tt.status, tt.want)
			}
			if tt.status != 200 && len(w.opened)+len(w.granted) > 0 {
				t.Error("a refused request had an effect")
			}
			if tt.status == 403 && len(w.acts) > 0 {
				t.Errorf("a stranger is in the trail: %v", w.acts)
			}
		})
	}
}

func TestOpen_PassesOnAndWaits(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	call(handler, "POST", "/admin/accounts", `{"name":"Ann","plan":"paid","credits":10}`, token)
	call(handler, "POST", "/admin/accounts", `{"name":"Ben","plan":"free"}`, token)
	ten := int64(10)
	want := []accounts.OpenAccount{{Name: "Ann", Plan: "paid", Credits: &ten}, {Name: "Ben", Plan: "free"}}
	if diff := cmp.Diff(want, w.opened); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]eventstore.Position{{Commit: 9}, {Commit: 9}}, w.waited); diff != "" {
		t.Errorf("positions waited for (-want +got):\n%s", diff)
	}
}

func TestGrant_PassesOn(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	call(handler, "POST", "/admin/credits", `{"account":"Account000000001","amount":5,"reference":"r1"}`, token)
	call(handler, "POST", "/admin/credits", `{"account":"Account000000001","amount":7,"reference":"r2","kind":"pack"}`, token)
	want := map[string]int64{"Account000000001/r1/": 5, "Account000000001/r2/pack": 7}
	if diff := cmp.Diff(want, w.granted); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func TestOpen_AnswersThoughTheReadModelsLag(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	w.slow = true
	if answer := call(handler, "POST", "/admin/accounts", `{"name":"Ann","plan":"paid"}`, token); answer.Code != 200 {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestNoTokenConfigured_NobodyGetsIn(t *testing.T) {
	t.Parallel()
	_, handler := newWorld("")
	for _, given := range [][]string{nil, {""}, {"x"}} {
		if answer := call(handler, "POST", "/admin/accounts", `{"name":"a","plan":"paid"}`, given...); answer.Code != 403 {
			t.Errorf("%q: %d", given, answer.Code)
		}
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	w, handler := newWorld(token)
	w.broken = true
	answer := call(handler, "POST", "/admin/accounts", `{"name":"a","plan":"paid"}`, token)
	if answer.Code != 500 || strings.Contains(answer.Body.String(), "10.0.0.7") || !strings.Contains(w.log.String(), "10.0.0.7") {
		t.Errorf("%d %s; log %s", answer.Code, answer.Body, &w.log)
	}
	if strings.Contains(w.log.String(), token) {
		t.Error("the token is in the log")
	}
}

package admin_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/handlers/http/admin"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// usagePages hands out two days, and keeps what it was asked for.
type usagePages struct{ asked *projections.UsageQuery }

func (u usagePages) List(_ context.Context, q projections.UsageQuery) ([]projections.Usage, bool, error) {
	*u.asked = q
	if q.UsageCursor == nil {
		return []projections.Usage{{Day: "2026-03-01", Account: "a", Rendered: 2}}, true, nil
	}
	return []projections.Usage{{Day: "2026-03-02", Account: "a", FailedService: 1}}, false, nil
}

func TestUsage(t *testing.T) {
	t.Parallel()
	var asked projections.UsageQuery
	log := logrus.New()
	log.SetOutput(io.Discard)
	router := web.NewRouter()
	admin.New(admin.Config{
		Operator: web.NewOperatorToken("the token", 0, nil), Usage: usagePages{&asked}, Log: log, CursorKey: make([]byte, 32),
	}).Routes(router)
	handler := web.Wrap(router, log)
	var page struct {
		NextToken *string `json:"next_token"`
		Usage     []struct {
			Day      string
			Rendered int64
		}
	}
	first := call(handler, http.MethodGet, "/admin/usage?account=a&start_date=2026-03-01&end_date=2026-03-05T23:30:00-02:00&limit=1", "", "the token")
	if err := json.Unmarshal(first.Body.Bytes(), &page); err != nil || first.Code != http.StatusOK || page.NextToken == nil || page.Usage[0].Rendered != 2 {
		t.Fatalf("%d %s %v", first.Code, first.Body, err)
	}
	if asked.Account != "a" || asked.From != "2026-03-01" || asked.To != "2026-03-06" || asked.Limit != 1 {
		t.Errorf("it was asked for %+v", asked)
	}
	next := "/admin/usage?next_token=" + url.QueryEscape(*page.NextToken)
	second := call(handler, http.MethodGet, next, "", "the token")
	page.NextToken = nil
	if err := json.Unmarshal(second.Body.Bytes(), &page); err != nil || page.NextToken != nil || page.Usage[0].Day != "2026-03-02" || asked.Day != "2026-03-01" || asked.Account != "a" {
		t.Errorf("the second page: %d %s, asked for %+v", second.Code, second.Body, asked)
	}
	for _, refused := range []string{"?start_date=x", "?end_date=x", "?limit=0", "?next_token=x"} {
		if answer := call(handler, http.MethodGet, "/admin/usage"+refused, "", "the token"); answer.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", refused, answer.Code, answer.Body)
		}
	}
	if answer := call(handler, http.MethodGet, next+"&account=b", "", "the token"); answer.Code != http.StatusBadRequest {
		t.Errorf("a cursor for another account: %d", answer.Code)
	}
	if answer := call(handler, http.MethodGet, "/admin/usage", ""); answer.Code != http.StatusForbidden {
		t.Errorf("without a token: %d", answer.Code)
	}
}

package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/domain/template"
	"moviola/tests/harness"
)

// tiny is a movie of one second that is made at once.
const tiny = `{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1}]}`

// moneyRows are about statements, and about what becomes of accounts.
var moneyRows = []row{
	{"credits-now", func(t *testing.T, w *world) {
		c := w.idle.open(t, 100)
		c.submit(t, `{"scenes":[{"duration":30}]}`)
		got := c.into(t, "GET", "/credits", "")
		for field, want := range map[string]any{
			"account": c.account, "plan": "paid", "state": "active", "granted": 100.0, "charged": 0.0, "balance": 100.0, "held": 30.0,
			"available": 70.0, "storage_blocked": false, "period": nil,
		} {
			if got[field] != want {
				t.Errorf("%s is %v, want %v", field, got[field], want)
			}
		}
		c.leaves(t, 70)
	}},
	{"credits-now-counted", func(t *testing.T, w *world) {
		c := w.idle.openOn(t, "counted", 0)
		c.submit(t, `{"scenes":[{"duration":30}]}`)
		c.submit(t, `{"draft":true,"scenes":[{"duration":30}]}`)
		period, _ := c.into(t, "GET", "/credits", "")["period"].(object)
		if period["movies"] != 1.0 || period["drafts"] != 1.0 || period["movies_quota"] != 100.0 || period["drafts_quota"] != 400.0 ||
			period["month"] != time.Now().UTC().Format("2006-01") {
			t.Errorf("%v", period)
		}
	}},
	{"credits-statement", func(t *testing.T, w *world) {
		yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly) // as the test begins: it may end tomorrow
		c := w.plain.open(t, 600)
		project := c.submit(t, tiny)
		c.until(t, project, "done")
		harness.Eventually(t, "it is charged", func() bool { return c.into(t, "GET", "/credits/ledger", "")["count"] == 3.0 })
		got := c.into(t, "GET", "/credits/ledger", "")
		var events []string
		for _, e := range got["entries"].([]any) {
			events = append(events, e.(object)["event"].(string))
		}
		if !slices.Equal(events, []string{"CreditsCharged", "CreditsHeld", "CreditsGranted"}) {
			t.Errorf("%v", events)
		}
		charged := got["entries"].([]any)[0].(object)
		if charged["subject"] != project || charged["amount"] != 1.0 || charged["charged"] != 1.0 || charged["held"] != -1.0 {
			t.Errorf("%v", charged)
		}
		if before := c.into(t, "GET", "/credits/ledger?to="+yesterday, ""); before["count"] != 0.0 {
			t.Errorf("yesterday: %v", before)
		}
	}},
	{"credits-statement-pages", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		for range 3 {
			c.submit(t, `{"scenes":[{"duration":1}]}`)
		}
		c.leaves(t, 597)
		var numbers []float64
		for path := "/credits/ledger?limit=1"; ; {
			page := c.into(t, "GET", path, "")
			numbers = append(numbers, page["entries"].([]any)[0].(object)["number"].(float64))
			next, more := page["next_token"].(string)
			if !more {
				break
			}
			path = "/credits/ledger?next_token=" + next
		}
		if !slices.Equal(numbers, []float64{3, 2, 1, 0}) {
			t.Errorf("%v", numbers)
		}
		sheet := c.call(t, "GET", "/credits/ledger?format=csv&limit=2", "")
		if lines := strings.Count(string(sheet.Body), "\n"); lines != 3 || sheet.Header.Get("X-Next-Token") == "" ||
			sheet.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("%d lines, %v", lines, sheet.Header)
		}
		other := w.idle.open(t, 1)
		token := sheet.Header.Get("X-Next-Token")
		other.refused(t, "GET", "/credits/ledger?next_token="+token, "", 400, "next_token_invalid", "Invalid next_token")
	}},
	{"credits-refusals", func(t *testing.T, w *world) {
		c := w.plain.open(t, 5)
		for query, code := range map[string]string{
			"limit=0": "limit_invalid", "format=xml": "format_invalid", "from=x": "start_date_invalid", "to=x": "end_date_invalid",
			"next_token=x": "next_token_invalid", "account=a&account=b": "account_ambiguous",
		} {
			c.refused(t, "GET", "/credits/ledger?"+query, "", 400, code, "")
		}
		c.refused(t, "GET", "/credits?account=a&account=b", "", 400, "account_ambiguous", "")
	}},
	{"credits-admin", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 5), w.plain.open(t, 7)
		for _, path := range []string{"/credits", "/credits/ledger"} {
			c.as(t, key.Manager, nil).refused(t, "GET", path, "", 403, "insufficient_permissions", "")
			(&client{installation: w.plain, key: "mv_no"}).refused(t, "GET", path, "", 401, "api_key_invalid", "")
			c.refused(t, "GET", path+"?account="+other.account, "", 403, "token_invalid", "Invalid token")
			answer := c.call(t, "GET", path+"?account="+other.account, "", "X-Admin-Token", harness.AdminToken)
			if answer.Status != 200 || !strings.Contains(string(answer.Body), other.account) {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
			c.refused(t, "POST", path, "{}", 405, "method_not_supported", "")
		}
		for _, path := range []string{"/credits", "/credits/ledger", "/movies", "/media", "/media/file?file=a.png", "/media/folder?folder=a", "/templates"} {
			sign := "?"
			if strings.Contains(path, "?") {
				sign = "&"
			}
			c.refused(t, "GET", path+sign+"account=nobody", "", 404, "account_not_found", "Account nobody not found", "X-Admin-Token", harness.AdminToken)
		}
	}},
	{"account-plan-change", func(t *testing.T, w *world) {
		c := w.plain.openOn(t, "free", 600)
		long := `{"scenes":[{"duration":90,"elements":[{"type":"video"}]}]}`
		c.refused(t, "POST", "/movies", long, 400, "movie_too_long", "")
		w.plain.operate(t, "POST", "/admin/accounts/plan", fmt.Sprintf(`{"account":%q,"plan":"paid"}`, c.account))
		harness.Eventually(t, "the plan holds", func() bool { // from a second later on
			return c.call(t, "POST", "/movies", long).Status == 200
		})
	}},
	{"account-operator", func(t *testing.T, w *world) {
		c := w.plain.open(t, 5)
		shown, _ := w.plain.operate(t, "GET", "/admin/accounts?account="+c.account, "")["account"].(object)
		if shown["balance"] != 5.0 || shown["state"] != "open" || shown["plan"] != "paid" {
			t.Errorf("%v", shown)
		}
		found := false
		for path := "/admin/accounts"; path != "" && !found; {
			page := w.plain.operate(t, "GET", path, "")
			for _, a := range page["accounts"].([]any) {
				found = found || a.(object)["account"] == c.account
			}
			next, more := page["next_token"].(string)
			if path = "/admin/accounts?next_token=" + next; !more {
				path = ""
			}
		}
		if !found {
			t.Error("it is not in the list")
		}
		for _, r := range []struct {
			method, path, body string
			status             int
		}{
			{"GET", "/admin/accounts?limit=x", "", 400}, {"GET", "/admin/accounts?account=nobody", "", 404}, {"DELETE", "/admin/accounts", "", 400},
			{"DELETE", "/admin/accounts?account=nobody", "", 404}, {"POST", "/admin/accounts/plan", `{}`, 400},
			{"POST", "/admin/accounts/plan", `{"account":"nobody","plan":"paid"}`, 404}, {"POST", "/admin/accounts/plan", strings.Repeat("x", 70_000), 413},
			{"GET", "/admin/acts?limit=x", "", 400}, {"PUT", "/admin/accounts/plan", "", 405}, {"PUT", "/admin/acts", "", 405},
		} {
			w.plain.refuses(t, r.method, r.path, r.body, r.status)
		}
	}},
	{"account-work", func(t *testing.T, w *world) {
		if wanted := w.plain.operate(t, "GET", "/admin/capacity", ""); wanted["slots_wanted"] != wanted["waiting"].(float64)+wanted["running"].(float64) {
			t.Errorf("capacity %v", wanted)
		}
		today := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
		days := w.plain.operate(t, "GET", "/admin/usage?limit=1&start_date="+today, "")["usage"].([]any)
		if len(days) > 1 || len(days) == 1 && days[0].(map[string]any)["day"].(string) < today {
			t.Errorf("usage since %s: %v", today, days)
		}
		w.plain.refuses(t, "GET", "/admin/usage?start_date=x", "", 400)
		if answer := w.plain.send(t, "GET", "/admin/usage", "", "X-Admin-Token", "guess"); answer.Status != 403 {
			t.Errorf("a guessed token: %d", answer.Status)
		}
		if stuck := w.plain.operate(t, "GET", "/admin/work", ""); stuck["count"] != 0.0 {
			t.Errorf("stuck: %v", stuck)
		}
		w.plain.operate(t, "POST", "/admin/work/retry", `{"all":true,"count":0}`)
		for _, r := range []struct {
			path, body string
			status     int
		}{
			{"/admin/work/retry", `{"all":true}`, 400}, {"/admin/work/retry", `{"all":true,"count":99}`, 409}, {"/admin/work/retry", `{"work":"render/x"}`, 404},
			{"/admin/work/retry", strings.Repeat("x", 70_000), 413}, {"/admin/work/drop", `{}`, 400}, {"/admin/work/drop", `{"work":"render/x"}`, 404},
			{"/admin/work/drop", strings.Repeat("x", 70_000), 413},
		} {
			w.plain.refuses(t, "POST", r.path, r.body, r.status)
		}
		if answer := w.plain.send(t, "GET", "/admin/capacity", "", "X-Admin-Token", "guess"); answer.Status != 403 {
			t.Errorf("a guessed token: %d", answer.Status)
		}
		if answer := w.plain.send(t, "GET", "/admin/work", "", "X-Admin-Token", "guess"); answer.Status != 403 {
			t.Errorf("with a wrong token: %d", answer.Status)
		}
		for _, path := range []string{"/admin/work", "/admin/work/retry", "/admin/work/drop", "/admin/capacity", "/admin/usage"} {
			w.plain.refuses(t, "PUT", path, "", 405)
		}
	}},
	{"account-acts", func(t *testing.T, w *world) {
		c := w.plain.open(t, 5)
		c.grant(t, 3)
		acts := w.plain.operate(t, "GET", "/admin/acts?on="+c.account, "")["acts"].([]any)
		if len(acts) != 1 || acts[0].(object)["act"] != "grant credits" || acts[0].(object)["who"] != "operator" {
			t.Errorf("%v", acts)
		}
		w.plain.refuses(t, "POST", "/admin/accounts/plan", fmt.Sprintf(`{"account":%q,"plan":"gold"}`, c.account), 400)
		harness.Eventually(t, "the trail says that an act was refused", func() bool {
			acts := w.plain.operate(t, "GET", "/admin/acts?on="+c.account, "")["acts"].([]any)
			refused, _ := acts[0].(object)["refused"].(string)
			return len(acts) == 2 && strings.HasPrefix(refused, "plan must be one of") && acts[1].(object)["refused"] == nil
		})
	}},
	{"operator-service", func(t *testing.T, w *world) {
		kinds, _ := w.plain.operate(t, "GET", "/admin/queue", "")["kinds"].([]any)
		if len(kinds) < 15 {
			t.Errorf("%d kinds of work", len(kinds))
		}
		harness.Eventually(t, "a process tells of itself", func() bool {
			workers, _ := w.plain.operate(t, "GET", "/admin/workers", "")["workers"].([]any)
			return len(workers) > 0 && workers[0].(object)["alive"] == true && len(workers[0].(object)["slots"].([]any)) > 0
		})
		settings := w.plain.operate(t, "GET", "/admin/configuration", "")["settings"].([]any)
		if len(settings) < 20 || settings[0].(object)["name"] == "" {
			t.Errorf("settings %v", settings)
		}
		if plans := w.plain.operate(t, "GET", "/admin/plans", "")["plans"].([]any); len(plans) < 3 {
			t.Errorf("plans %v", plans)
		}
		for _, path := range []string{"/admin/queue", "/admin/workers", "/admin/projections", "/admin/configuration"} {
			w.plain.refuses(t, "GET", path+"?a=%zz", "", 400)
			w.plain.refuses(t, "PUT", path, "", 405)
		}
		w.plain.refuses(t, "POST", "/admin/projections/rebuild", `{"models":["films"]}`, 400)
		w.plain.refuses(t, "POST", "/admin/projections/rebuild", strings.Repeat("x", 70_000), 413)
		w.plain.operate(t, "POST", "/admin/projections/rebuild", `{"models":["accounts"]}`)
		harness.Eventually(t, "the rebuild is done", func() bool {
			is := w.plain.operate(t, "GET", "/admin/projections", "")
			rebuild := is["rebuild"].(object)
			if rebuild["message"] != "" {
				t.Fatalf("%v", rebuild)
			}
			return rebuild["running"] == false && rebuild["percent"] == 100.0 && is["generation"].(float64) > 1
		})
	}},
	{"account-closed", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := c.until(t, c.submit(t, tiny), "done")
		w.plain.operate(t, "DELETE", "/admin/accounts?account="+c.account, "")
		harness.Eventually(t, "the file is gone", func() bool {
			return c.send(t, "GET", strings.TrimPrefix(movie["url"].(string), publicURL), "").Status == 404
		})
		c.refused(t, "GET", "/movies", "", 401, "api_key_invalid", "")
		for path, body := range map[string]string{
			"/admin/credits":       fmt.Sprintf(`{"account":%q,"amount":1,"reference":"r"}`, c.account),
			"/admin/accounts/plan": fmt.Sprintf(`{"account":%q,"plan":"free"}`, c.account),
			"/admin/keys":          fmt.Sprintf(`{"account":%q,"name":"n","role":"viewer"}`, c.account),
		} {
			w.plain.refuses(t, "POST", path, body, 409)
		}
	}},
	{"account-closed-cleared", func(t *testing.T, w *world) {
		brief := install(t, w.web, "--clear-again", "2s", "--abandon-after", "2s")
		c, other := brief.open(t, 600), brief.open(t, 600)
		c.into(t, "POST", "/connections", `{"id":"hook","type":"webhook","endpoint":"https://example.com"}`)
		id, kept := c.template(t, `{"name":"x"}`), other.template(t, `{"name":"x"}`)
		brief.operate(t, "DELETE", "/admin/accounts?account="+c.account, "")
		harness.Eventually(t, "what is stored of its templates is gone", func() bool { return brief.bodies(t, id) == 0 })
		for _, stream := range []string{template.Stream(template.ID(id)), connection.Stream(domain.AccountID(c.account), "hook")} {
			harness.Eventually(t, stream+" has ended", func() bool {
				last := ""
				_, err := brief.log.Fold(t.Context(), stream, func(e domain.Event) { last = e.EventType() })
				return err == nil && (last == "TemplateSwept" || last == "ConnectionDeleted")
			})
		}
		harness.Eventually(t, "its keys are revoked", func() bool {
			return len(brief.operate(t, "GET", "/admin/keys?account="+c.account, "")["keys"].([]any)) == 0
		})
		if brief.bodies(t, kept) != 1 || len(other.into(t, "GET", "/keys", "")["keys"].([]any)) != 1 {
			t.Error("another account has lost something")
		}
	}},
	{"account-purged", func(t *testing.T, w *world) {
		brief := install(t, w.web, "--zero-retention", "1s")
		c := brief.open(t, 1)
		movie := c.until(t, c.submit(t, tiny), "done")
		project := movie["project"].(string)
		harness.Eventually(t, "the file is gone", func() bool { return c.movie(t, project)["url"] == nil })
		if got := c.movie(t, project); got["status"] != "done" || got["deleted_at"] != nil {
			t.Errorf("%v", got)
		}
		if answer := c.send(t, "GET", strings.TrimPrefix(movie["url"].(string), publicURL), ""); answer.Status != 404 {
			t.Errorf("its address answers %d", answer.Status)
		}
		if state := c.into(t, "GET", "/credits", ""); state["state"] != "suspended" || state["storage_blocked"] != true {
			t.Errorf("%v", state)
		}
		c.grant(t, 5)
		if state := c.into(t, "GET", "/credits", ""); state["state"] != "active" || state["storage_blocked"] != false {
			t.Errorf("%v", state)
		}
	}},
}

// refuses makes a call of the operator that must be refused.
func (i *installation) refuses(t *testing.T, method, path, body string, status int) {
	t.Helper()
	if answer := i.send(t, method, path, body, "X-Admin-Token", harness.AdminToken); answer.Status != status {
		t.Errorf("%s %s: %d %s, want %d", method, path, answer.Status, answer.Body, status)
	}
	if answer := i.send(t, method, path, body, "X-Admin-Token", "guess"); answer.Status != 403 && status != 405 {
		t.Errorf("%s %s with a wrong token: %d", method, path, answer.Status)
	}
}

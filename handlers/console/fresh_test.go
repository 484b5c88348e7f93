package console_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"moviola/domain/operator"
)

// stale tells whether a call with the cookies acts for somebody who has to sign in again.
func (d *desk) stale(cookies []*http.Cookie) bool {
	d.t.Helper()
	d.acting = nil
	if answer := d.call(http.MethodPost, "/operator/api/admin/credits", "{}", cookies, nil); answer.Code != http.StatusOK || len(d.acting) != 1 {
		d.t.Fatalf("a call: %d %s", answer.Code, answer.Body)
	}
	return d.acting[0].Stale
}

// sessions are the open ones.
func (d *desk) sessions() []operator.SignedIn {
	d.t.Helper()
	all, err := d.operators.Sessions(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// status is what a call with the cookies is answered.
func (d *desk) status(cookies []*http.Cookie) int {
	d.t.Helper()
	return d.call(http.MethodGet, "/operator/api/admin/credits", "", cookies, nil).Code
}

// TestOperators_fresh: five minutes after the sign-in calls say so; another sign-in makes them fresh again, and ends the session before, in each way of
// signing in.
func TestOperators_fresh(t *testing.T) {
	t.Parallel()
	for name, signIn := range map[string]func(*reception, []*http.Cookie) []*http.Cookie{
		"token": func(c *reception, own []*http.Cookie) []*http.Cookie {
			return kept(c.call(http.MethodPost, "/operator/api/session", `{"token":"`+c.tokens[operator.Acting]+`"}`, own, nil))
		},
		"provider": func(c *reception, own []*http.Cookie) []*http.Cookie {
			cookies, to := c.begin(func(r *http.Request) {
				for _, one := range own {
					r.AddCookie(one)
				}
			})
			return kept(c.back(to, cookies))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newReception(t, nil)
			first := signIn(c, nil)
			if c.stale(first) {
				t.Error("a session that has just begun is stale")
			}
			c.ahead.Store(int64(5*time.Minute + time.Second))
			if !c.stale(first) {
				t.Error("after five minutes nobody has to sign in again")
			}
			// The clock of the identity provider does not go on.
			c.ahead.Store(int64(30 * time.Second))
			second := signIn(c, first)
			if c.stale(second) {
				t.Error("signing in again does not help")
			}
			if got := c.status(first); got != http.StatusUnauthorized {
				t.Errorf("the session before opens something: %d", got)
			}
			if all := c.sessions(); len(all) != 1 {
				t.Errorf("open sessions: %+v", all)
			}
		})
	}
}

// TestOperators_ended: the session of one person ends by its id, and no other.
func TestOperators_ended(t *testing.T) {
	t.Parallel()
	c := newReception(t, nil)
	people := map[string][]*http.Cookie{}
	for _, subject := range []string{"anna", "berta"} {
		c.provider.Become(with(map[string]any{"sub": subject}))
		cookies, to := c.begin(nil)
		people[subject] = kept(c.back(to, cookies))
	}
	all := c.sessions()
	if len(all) != 2 || all[0].Issuer != c.provider.URL || all[0].Subject != "berta" || all[1].Subject != "anna" {
		t.Fatalf("open sessions: %+v", all)
	}
	if err := c.operators.EndSession(context.Background(), all[1].Session); err != nil {
		t.Fatal(err)
	}
	if anna, berta := c.status(people["anna"]), c.status(people["berta"]); anna != http.StatusUnauthorized || berta != http.StatusOK {
		t.Errorf("answers %d and %d", anna, berta)
	}
	if out := c.call(http.MethodDelete, "/operator/api/session", "", people["berta"], nil); out.Code != http.StatusOK || len(c.sessions()) != 0 {
		t.Errorf("signing out: %d, open sessions %+v", out.Code, c.sessions())
	}
}

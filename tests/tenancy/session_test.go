package tenancy_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"moviola/handlers/console"
	"moviola/tests/harness"
)

// TestSignOutElsewhere: a session of the console that ends at one process opens nothing at another a second later, however busy it is.
// Other sessions of the same key go on. Decision 62.
func TestSignOutElsewhere(t *testing.T) {
	public := "http://localhost:8080" // both are one service to browsers
	a := newApart(t, "--public-url", public)
	admin := a.service.NewAccount("signing out", 600)
	first, second := a.service.Client(""), a.at("")
	mark := http.Header{"Origin": {public}, console.MarkHeader: {"1"}, "Content-Type": {"application/json"}}
	signIn := func() string {
		body, err := json.Marshal(map[string]string{"key": admin.Key})
		if err != nil {
			t.Fatal(err)
		}
		answer := first.Send(http.MethodPost, "/console/api/session", body, mark)
		cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
		if answer.Status != http.StatusOK || cookie == "" {
			t.Fatalf("sign in: %d %s", answer.Status, answer.Body)
		}
		return cookie
	}
	uses := func(cookie string) int {
		return second.Send(http.MethodGet, "/console/api/v2/movies?limit=1", nil, http.Header{"Cookie": {cookie}}).Status
	}
	stays := signIn()
	for round := range 4 {
		cookie := signIn()
		if got := uses(cookie); got != http.StatusOK {
			t.Fatalf("round %d: the other process answers %d to the session", round, got)
		}
		leave := mark.Clone()
		leave.Set("Cookie", cookie)
		if answer := first.Send(http.MethodDelete, "/console/api/session", nil, leave); answer.Status != http.StatusOK {
			t.Fatalf("sign out: %d %s", answer.Status, answer.Body)
		}
		ended, last := time.Now(), time.Time{}
		harness.Eventually(t, "the other process refuses the session", func() bool {
			begun := time.Now()
			got := uses(cookie)
			if got == http.StatusOK {
				last = begun
			}
			return got == http.StatusUnauthorized
		})
		if after := last.Sub(ended); after > time.Second {
			t.Errorf("round %d: a request that was begun %v after signing out was let in", round, after)
		}
		if got := uses(stays); got != http.StatusOK {
			t.Errorf("round %d: another session of the key is answered with %d", round, got)
		}
	}
}

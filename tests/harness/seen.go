package harness

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// answerWait is how long the service delays the answer to a change at most, until its read models have it. Design §4.
const answerWait = time.Second

// heldBack is how long a test waits at most for read models that have fallen behind. Some tests hold them back.
const heldBack = 30 * time.Second

// Seen waits until a service's read models have what a request changed. The service waits for that itself, but on a busy machine
// it may have answered before: a request that took less than its wait shows that it has not. Lists that are asked then are
// complete.
func Seen(t testing.TB, base, method string, began time.Time, answer Answer) {
	t.Helper()
	read := method == http.MethodGet || method == http.MethodHead
	if read || answer.Status >= http.StatusMultipleChoices || time.Since(began) < answerWait {
		return
	}
	var first uint64
	for giveUp := time.Now().Add(heldBack); !caughtUp(t, base, &first) && time.Now().Before(giveUp); {
		<-time.After(longestPause)
	}
}

// CaughtUp waits until a service's read models have what the log has now, so that the answers to later requests show it. It
// does not wait for a service that does not answer, or that has another operator's token.
func CaughtUp(t testing.TB, base string) {
	t.Helper()
	var first uint64
	Eventually(t, "the read models have what the log has", func() bool { return caughtUp(t, base, &first) })
}

// caughtUp says whether a service's read models have what the log had when it was asked first.
func caughtUp(t testing.TB, base string, first *uint64) bool {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, base+"/admin/projections", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Admin-Token", AdminToken)
	answer, ok := fetch(req)
	if !ok || answer.Status != http.StatusOK {
		return !ok || !answer.unavailable()
	}
	var now struct {
		Position uint64
		Head     uint64
		Behind   int `json:"lag_events"`
	}
	if err := json.Unmarshal(answer.Body, &now); err != nil {
		t.Fatal(err)
	}
	if *first == 0 {
		*first = now.Head
	}
	return now.Behind == 0 || now.Position >= *first
}

// monthsRest is how much of a month is too little for a test: lists show what is from the first of the month (UTC) on, and quotas
// count by months, so that no test may begin in one and end in the next.
const monthsRest = Patience

// untilMonth is how long a test waits before it begins: until the next month, when this one is about to end.
func untilMonth(now time.Time) time.Duration {
	now = now.UTC()
	left := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(now)
	if left > monthsRest {
		return 0
	}
	return left
}

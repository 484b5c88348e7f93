package blackbox_test

import (
	"net/http"
	"testing"

	"moviola/tests/harness"
)

// settled waits until nothing of an account's credits is held any more and an amount is charged, and the read models show that too. The
// ledger itself is asked first: the read models may not have come to the last submission.
func settled(t *testing.T, client *harness.Client, granted, charged int) {
	t.Helper()
	harness.Eventually(t, "the credits are settled", func() bool {
		var credits struct{ Held, Charged int }
		client.Do(http.MethodGet, "/credits", nil).Into(t, &credits)
		return credits.Held == 0 && credits.Charged == charged
	})
	harness.Eventually(t, "the credits that are left are shown", func() bool {
		var list harness.List
		client.Do(http.MethodGet, "/movies?limit=1&format=simple", nil).Into(t, &list)
		return list.RemainingQuota["time"] == granted-charged
	})
}

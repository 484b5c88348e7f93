package tenancy_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"moviola/tests/harness"
)

// TestLastCredits: of many submissions to two processes at the same time, exactly as many are taken as there are credits for, and
// nothing is left over. Design §5.
func TestLastCredits(t *testing.T) {
	const credits, callers, rounds = 16, 64, 3
	a := newApart(t)
	for round := range rounds {
		here := a.service.NewAccount(fmt.Sprintf("last credits %d", round), credits)
		there := a.at(here.Key)
		var accepted atomic.Int64
		var submitting sync.WaitGroup
		begin := make(chan struct{})
		for i := range callers {
			client := here
			if i%2 == 1 {
				client = there
			}
			// Each movie is another one: what comes from the cache costs nothing.
			movie := fmt.Appendf(nil, `{"resolution":"custom","width":64,"height":64,"cache":false,"scenes":[{"duration":1,"background-color":"#%06x"}]}`, 1+i)
			submitting.Go(func() {
				<-begin
				header := http.Header{"X-Api-Key": {client.Key}, "Idempotency-Key": {fmt.Sprint(i)}} // asked again when the time for an answer is over
				switch answer := client.SendWhenFree(http.MethodPost, "/v2/movies", movie, header); {
				case answer.Status == http.StatusOK:
					accepted.Add(1)
				case answer.Status != http.StatusBadRequest && answer.Status != http.StatusForbidden:
					t.Errorf("a submission: %d %s", answer.Status, answer.Body)
				}
			})
		}
		close(begin)
		submitting.Wait()
		if got := accepted.Load(); got != credits {
			t.Errorf("round %d: %d of %d submissions were taken with %d credits", round, got, callers, credits)
		}
		var left struct{ Available, Held, Charged int64 }
		harness.Eventually(t, "every credit is held or charged", func() bool {
			here.Do(http.MethodGet, "/credits", nil).Into(t, &left)
			return left.Available == 0 && left.Held+left.Charged == credits
		})
	}
}

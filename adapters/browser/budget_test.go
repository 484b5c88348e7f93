package browser_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/browser"
)

// Decision 98: a page is not blamed for a machine that has no processor for it, and no page has more than twice its time.
func TestBudget(t *testing.T) {
	t.Parallel()
	const limit = 30 * time.Second
	for name, row := range map[string]struct {
		busy       float64 // how much of the time somebody waits for a processor
		paused     time.Duration
		renew      bool
		least, max time.Duration
	}{
		"nobody waits":                {0, 0, false, limit, limit},
		"somebody waits for a third":  {1. / 3, 0, false, 3*limit/2 - time.Second, 3 * limit / 2},
		"somebody always waits":       {1, 0, false, 2 * limit, 2 * limit},
		"the taker is at work":        {0, time.Minute, false, limit + time.Minute, limit + time.Minute},
		"the taker, and all are busy": {1, time.Minute, false, 2*limit + time.Minute, 2*limit + time.Minute},
		"a new second":                {0, time.Minute, true, limit + time.Minute + 10*time.Second, limit + time.Minute + 10*time.Second},
		"a new second, all are busy":  {1, time.Minute, true, 2*limit + time.Minute + 10*time.Second, 2*limit + time.Minute + 10*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				ctx, begin, pause, end := browser.Budget(t.Context(), limit, func() time.Duration {
					return time.Duration(row.busy * float64(time.Since(started)))
				})
				defer end()
				<-time.After(time.Hour) // the page is not there yet
				if ctx.Err() != nil {
					t.Fatal("time was counted before it began")
				}
				from := time.Now()
				begin()
				<-time.After(10 * time.Second)
				resume := pause(row.renew)
				<-time.After(row.paused)
				resume()
				<-ctx.Done()
				if took := time.Since(from); took < row.least || took > row.max {
					t.Errorf("the page had %v", took)
				}
				if context.Cause(ctx).Error() != "the page's time is over" {
					t.Errorf("ended by %v", context.Cause(ctx))
				}
			})
		})
	}
}

package pressure_test

import (
	"testing"
	"testing/synctest"
	"time"

	"moviola/internal/pressure"
)

// The kernel's figure never falls.
func TestCPU(t *testing.T) {
	t.Parallel()
	before := pressure.CPU()
	if after := pressure.CPU(); before < 0 || after < before {
		t.Errorf("%v, and later %v", before, after)
	}
}

// Decision 98: nobody is blamed for a machine that has no processor for it, and what is left out of the time is bounded.
func TestTimer(t *testing.T) {
	t.Parallel()
	const limit = 30 * time.Second
	for name, row := range map[string]struct {
		busy       float64 // how much of the time somebody waits for a processor
		most       time.Duration
		stopped    time.Duration
		renew      bool
		least, max time.Duration
	}{
		"nobody waits":                  {0, 3 * limit, 0, false, limit, limit},
		"somebody waits for a third":    {1. / 3, 3 * limit, 0, false, 3*limit/2 - time.Second, 3 * limit / 2},
		"somebody always waits":         {1, 3 * limit, 0, false, 4 * limit, 4 * limit},
		"nothing may be left out":       {1, 0, 0, false, limit, limit},
		"stopped in between":            {0, limit, time.Minute, false, limit + time.Minute, limit + time.Minute},
		"renewed":                       {0, limit, 0, true, limit + 10*time.Second, limit + 10*time.Second},
		"renewed, always busy":          {1, limit, 0, true, 2*limit + 10*time.Second, 2*limit + 10*time.Second},
		"stopped, renewed, always busy": {1, limit, time.Minute, true, 2*limit + 70*time.Second, 2*limit + 70*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				from := time.Now()
				expired := make(chan struct{})
				timer := pressure.NewTimer(limit, row.most, func() time.Duration {
					return time.Duration(row.busy * float64(time.Since(from)))
				}, func() { close(expired) }) // a second call would panic
				timer.Start()
				timer.Start() // changes nothing
				<-time.After(10 * time.Second)
				if row.stopped > 0 {
					if !timer.Stop() || timer.Stop() {
						t.Error("Stop did not say whether time was counted")
					}
					<-time.After(row.stopped)
				}
				if row.renew {
					timer.Renew()
				}
				timer.Start()
				<-expired
				if took := time.Since(from); took < row.least || took > row.max {
					t.Errorf("it took %v", took)
				}
				if timer.Stop() {
					t.Error("time is counted after the limit")
				}
			})
		})
	}
}

// TestTimer_unknown: a reading of the kernel's figure that fails does not end the time early.
func TestTimer_unknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 30 * time.Second
		from, readings := time.Now(), 0
		expired := make(chan struct{})
		timer := pressure.NewTimer(limit, limit, func() time.Duration {
			if readings++; readings == 2 {
				return 0
			}
			return time.Hour
		}, func() { close(expired) })
		timer.Start()
		<-time.After(time.Second)
		timer.Stop()
		timer.Start()
		<-expired
		if took := time.Since(from); took != limit {
			t.Errorf("it took %v, want %v", took, limit)
		}
	})
}

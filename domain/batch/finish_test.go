package batch_test

import (
	"testing"

	"moviola/domain"
	"moviola/domain/batch"
)

// TestBatch_Finish: when a batch is finished, which happens once.
func TestBatch_Finish(t *testing.T) {
	t.Parallel()
	requested, accepted := batch.Requested{Account: "alice", At: t0}, batch.Accepted{At: t0}
	submitted, cancelled, closed := batch.Submitted{At: t0}, batch.Cancelled{At: t0}, batch.Closed{At: t0}
	for name, tt := range map[string]struct {
		given       []domain.Event
		open, ended bool // whether it is finished while movies are open, and when all have ended
	}{
		"accepted":     {[]domain.Event{requested, accepted}, false, false},
		"submitted":    {[]domain.Event{requested, accepted, submitted}, false, true},
		"cancelled":    {[]domain.Event{requested, accepted, submitted, cancelled}, false, false},
		"wound down":   {[]domain.Event{requested, accepted, cancelled, closed}, true, true},
		"refused":      {[]domain.Event{requested, batch.Refused{Code: "c", At: t0}, closed}, false, false},
		"finished":     {[]domain.Event{requested, accepted, submitted, batch.Finished{Worker: "w", At: t0}}, false, false},
		"finished too": {[]domain.Event{requested, accepted, cancelled, closed, batch.Finished{Worker: "w", At: t0}}, false, false},
	} {
		b := given(tt.given...)
		if open, ended := len(b.Finish(false, "w", t0)) == 1, len(b.Finish(true, "w", t0)) == 1; open != tt.open || ended != tt.ended {
			t.Errorf("%s: %v while movies are open, %v when all have ended", name, open, ended)
		}
	}
}

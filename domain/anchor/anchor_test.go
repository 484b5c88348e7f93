package anchor_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/anchor"
)

// TestSchedule_Begin: each place gets an anchor when its own is due, from one process.
func TestSchedule_Begin(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	const every = 24 * time.Hour
	began := func(at time.Time, places ...string) domain.Event {
		return anchor.Began{Worker: "w", Places: places, At: at}
	}
	both := []domain.Event{began(t0, "a", "b"), anchor.Sent{Place: "a", At: t0}, anchor.NotSent{Place: "b", At: t0}}
	tests := []struct {
		name  string
		given []domain.Event
		after time.Duration
		want  []string
	}{
		{"the first", nil, 0, []string{"a", "b"}},
		{"another process is at it", []domain.Event{began(t0, "a", "b")}, time.Minute, nil},
		{"another process has died", []domain.Event{began(t0, "a", "b")}, time.Hour, []string{"a", "b"}},
		{"one failed, too soon", both, 14 * time.Minute, nil},
		{"one failed, later", both, 15 * time.Minute, []string{"b"}},
		{"the next day", append(both, anchor.Sent{Place: "b", At: t0.Add(time.Hour)}), every, []string{"a"}},
		{"a place that is no longer named", []domain.Event{began(t0, "c")}, 0, []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s anchor.Schedule
			for _, event := range tt.given {
				s.Apply(event)
			}
			due, events := s.Begin("w", []string{"a", "b"}, every, t0.Add(tt.after))
			if diff := cmp.Diff(tt.want, due); diff != "" {
				t.Errorf("due (-want +got):\n%s", diff)
			}
			var want []domain.Event
			if tt.want != nil {
				want = []domain.Event{began(t0.Add(tt.after), tt.want...)}
			}
			if diff := cmp.Diff(want, events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

package workqueue

import (
	"sync/atomic"
	"testing"
	"time"

	"moviola/commands"
	"moviola/projections"
)

// TestSubscription_shareable: of renders and fetches the one that has run longest is stopped first. A preload item would
// begin anew: the newest one is stopped, and never the only one of an account.
func TestSubscription_shareable(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for name, tt := range map[string]struct {
		kind  string
		begun map[string]time.Duration // how long ago, by item: the account and a number
		kept  string                   // the item that does not share its slot
		asked string                   // the item that was told to stop and has not ended
		want  string
	}{
		"the render that has had its slot for longest":       {projections.WorkRender, map[string]time.Duration{"a1": time.Hour, "a2": time.Minute, "b1": 2 * time.Hour}, "", "", "a1"},
		"a render that is its account's only one":            {projections.WorkRender, map[string]time.Duration{"a1": time.Hour}, "", "", "a1"},
		"the item that was begun last":                       {projections.WorkPreload, map[string]time.Duration{"a1": time.Hour, "a2": time.Minute, "b1": 2 * time.Hour}, "", "", "a2"},
		"no item that is its account's only one":             {projections.WorkPreload, map[string]time.Duration{"a1": time.Hour, "b1": time.Hour}, "", "", ""},
		"no item that was begun just now":                    {projections.WorkPreload, map[string]time.Duration{"a1": 9 * time.Second, "a2": 8 * time.Second}, "", "", ""},
		"of fetchings, the one that has had it for longest":  {projections.WorkFetch, map[string]time.Duration{"a1": time.Hour, "a2": time.Minute}, "", "", "a1"},
		"no fetching that was begun just now":                {projections.WorkFetch, map[string]time.Duration{"a1": 9 * time.Second}, "", "", ""},
		"no item that keeps its slot":                        {projections.WorkPreload, map[string]time.Duration{"a1": time.Hour, "a2": time.Minute}, "a2", "", "a1"},
		"nobody while one that was asked may stop":           {projections.WorkPreload, map[string]time.Duration{"a1": time.Hour, "a2": time.Minute}, "", "a2", ""},
		"another than one that was asked and keeps its slot": {projections.WorkPreload, map[string]time.Duration{"a1": time.Hour, "a2": time.Minute}, "a2", "a2", "a1"},
		"none of what takes no time":                         {projections.WorkSettle, map[string]time.Duration{"a1": time.Hour, "a2": time.Hour}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &subscription{kind: tt.kind, running: map[string]projections.Task{}, preempt: newPreemption()}
			for id, ago := range tt.begun {
				task := projections.Task{WorkItem: projections.WorkItem{ID: id, Kind: tt.kind, Account: id[:1]}}
				s.running[id] = task
				kept := new(atomic.Bool)
				if id == tt.kept {
					commands.KeepSlot(commands.WithSlot(t.Context(), kept))
				}
				s.preempt.started(task, now.Add(-ago), func(error) {}, kept)
			}
			s.preempt.asked = tt.asked
			if got, _ := s.preemptible(now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

package workqueue

import (
	"strings"
	"testing"
	"time"

	"moviola/projections"
)

// TestRotation_pick has a row for each rule of the rotation.
func TestRotation_pick(t *testing.T) {
	t.Parallel()
	now := time.Unix(10_000, 0)
	// A task is written as account, its number, and marks: "old" for a task that has aged, "due" for one that is due for
	// longer.
	task := func(text string) projections.Task {
		fields := strings.Fields(text)
		made := projections.Task{WorkItem: projections.WorkItem{ID: fields[0] + fields[1], Account: fields[0], Due: now.Add(-time.Minute)}}
		for _, mark := range fields[2:] {
			switch mark {
			case "old":
				since := now.Add(-agedAfter)
				made.Since = &since
			case "due":
				made.Due = now.Add(-time.Hour)
			}
		}
		return made
	}
	for name, row := range map[string]struct {
		before  []string // tasks that were picked one by one before
		running []string
		waiting []string
		limit   int
		slots   int
		want    string
	}{
		"background accounts come last":                         {waiting: []string{"service 1 due", "bob 1"}, slots: 1, want: "bob1"},
		"a background task runs when nobody else waits":         {waiting: []string{"service 1"}, slots: 2, want: "service1"},
		"one background task at a time":                         {running: []string{"service 1"}, waiting: []string{"service 2"}, slots: 1, want: ""},
		"an aged background task counts as any other's":         {waiting: []string{"service 1 old due", "bob 1"}, slots: 1, want: "service1"},
		"the account with fewer running tasks":                  {running: []string{"alice 1"}, waiting: []string{"alice 2 due", "bob 1"}, slots: 1, want: "bob1"},
		"tasks that are picked count as running":                {waiting: []string{"alice 1 due", "alice 2 due", "bob 1"}, slots: 2, want: "alice1 bob1"},
		"an aged task before one that is due longer":            {waiting: []string{"alice 1 due", "bob 1 old"}, slots: 1, want: "bob1"},
		"only every second turn is for aged tasks":              {before: []string{"carol 1 old"}, waiting: []string{"alice 1 due", "bob 1 old"}, slots: 1, want: "alice1"},
		"the account whose last turn is longer ago":             {before: []string{"alice 1", "bob 1"}, waiting: []string{"alice 2", "bob 2 due"}, slots: 1, want: "alice2"},
		"the account whose task has been due longer":            {waiting: []string{"alice 1", "bob 1 due"}, slots: 1, want: "bob1"},
		"the account's id":                                      {waiting: []string{"bob 1", "alice 1"}, slots: 1, want: "alice1"},
		"an account's oldest task first":                        {waiting: []string{"alice 2", "alice 1 due"}, slots: 1, want: "alice1"},
		"no account gets more than its limit":                   {running: []string{"alice 1"}, waiting: []string{"alice 2"}, limit: 1, slots: 1, want: ""},
		"an account at its limit does not keep others from one": {running: []string{"alice 1"}, waiting: []string{"alice 2 due", "bob 1"}, limit: 1, slots: 2, want: "bob1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRotation([]string{"service"}, row.limit)
			for _, text := range row.before {
				r.pick([]projections.Task{task(text)}, nil, 1, now)
			}
			running := map[string]projections.Task{}
			for _, text := range row.running {
				running[task(text).ID] = task(text)
			}
			var waiting []projections.Task
			for _, text := range row.waiting {
				waiting = append(waiting, task(text))
			}
			var got []string
			for _, picked := range r.pick(waiting, running, row.slots, now) {
				got = append(got, picked.ID)
			}
			if text := strings.Join(got, " "); text != row.want {
				t.Errorf("picked %q, want %q", text, row.want)
			}
		})
	}
}

package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// The events of one movie, at minutes at which they could come.
var (
	held       = ledger.CreditsHeld{Project: "p", Amount: 1, At: minute(0)}
	charged    = ledger.CreditsCharged{Project: "p", Amount: 1, At: minute(50)}
	released   = ledger.CreditsReleased{Project: "p", Amount: 1, At: minute(50)}
	plain      = movie.Submitted{Account: alice, At: minute(1)}
	delivered  = movie.Submitted{Account: alice, At: minute(1), Destinations: 2}
	abandoned  = movie.SubmissionAbandoned{Account: alice, At: minute(10)}
	sourced    = movie.Submitted{Account: alice, At: minute(1), Sources: true}
	fetching   = movie.SourcesFetchStarted{Attempt: 1, Worker: "f1", At: minute(1)}
	fetchDied  = movie.SourcesFetchStarted{Attempt: 2, Worker: "f2", At: minute(2), Death: domain.Crashed}
	fetchBack  = movie.SourcesFetchReleased{Attempt: 1, Worker: "f1", At: minute(2)}
	fetchFull  = movie.SourcesFetchReleased{Attempt: 1, Worker: "f1", At: minute(2), Memory: true}
	fetched    = movie.SourcesFetched{Attempt: 1, Worker: "f1", At: minute(2)}
	started    = movie.RenderStarted{Attempt: 1, Worker: "w1", At: minute(2)}
	handedBack = movie.RenderReleased{Attempt: 1, Worker: "w1", At: minute(3)}
	forOthers  = movie.RenderReleased{Attempt: 1, Worker: "w1", At: minute(3), Shared: true}
	lateOthers = movie.RenderReleased{Attempt: 1, Worker: "w1", At: minute(18), Shared: true}
	lateAgain  = movie.RenderStarted{Attempt: 2, Worker: "w2", At: minute(19)}
	restarted  = movie.RenderStarted{Attempt: 2, Worker: "w2", At: minute(4)}
	timedOut   = movie.RenderTimedOut{At: minute(17)}
	afterCrash = movie.RenderStarted{Attempt: 2, Worker: "w2", At: minute(4), Death: domain.Crashed}
	full       = movie.RenderReleased{Attempt: 1, Worker: "w1", At: minute(3), Memory: true}
	backAgain  = movie.RenderReleased{Attempt: 2, Worker: "w2", At: minute(18)}
	finished   = movie.RenderFinished{Attempt: 2, Worker: "w2", At: minute(20), Success: true}
	cancelled  = movie.Cancelled{At: minute(20)}
	onTheWay   = movie.DeliveryStarted{Run: 1, Worker: "w3", At: minute(21)}
	notYet     = movie.DeliveryReleased{Run: 1, Worker: "w3", At: minute(22)}
	arrived    = movie.DeliveryFinished{Run: 1, At: minute(23)}
	onceMore   = movie.RedeliveryRequested{Request: 1, At: minute(30)}
	onTheWay2  = movie.DeliveryStarted{Run: 2, Worker: "w4", At: minute(31)}
	arrived2   = movie.DeliveryFinished{Run: 2, At: minute(32)}
	counted    = ledger.MovieCounted{Project: "p", Period: "2026-03", At: minute(0)}
	draft      = ledger.DraftCounted{Project: "p", Period: "2026-03", At: minute(0)}
	kept       = ledger.CountKept{Project: "p", At: minute(50)}
	givenBack  = ledger.CountReleased{Project: "p", Period: "2026-03", At: minute(50)}
	made       = movie.RenderFinished{Attempt: 2, Worker: "w2", At: minute(20), Success: true, File: &movie.File{Key: "k"}}
	discarded  = movie.RenderFinished{Attempt: 2, Worker: "w2", At: minute(20), Success: true, File: &movie.File{}}
	deleted    = movie.FileDeleted{Reason: movie.ByUser, At: minute(40)}
	expired    = movie.FileDeleted{Reason: movie.Expired, At: minute(80)}
)

func TestWorkList(t *testing.T) {
	t.Parallel()
	since := func(n int) *time.Time { m := minute(n); return &m }
	ready := func(kind string, due int) projections.WorkItem {
		return projections.WorkItem{Kind: kind, State: "ready", Due: minute(due)}
	}
	claimed := func(kind string, due, attempt int, worker string, first int) projections.WorkItem {
		return projections.WorkItem{Kind: kind, State: "claimed", Due: minute(due), Attempt: attempt, Worker: worker, Since: since(first)}
	}
	died := func(i projections.WorkItem, times int, suspect bool) projections.WorkItem {
		i.Deaths, i.Suspect = times, suspect
		return i
	}
	again := func(i projections.WorkItem, attempt, first int) projections.WorkItem {
		i.Attempt, i.Since = attempt, since(first)
		return i
	}
	late := func(i projections.WorkItem, shared, timedOut bool) projections.WorkItem {
		i.Shared, i.TimedOut = shared, timedOut
		return i
	}
	type items = map[string]projections.WorkItem
	tests := []struct {
		name  string
		given []domain.Event
		want  items
	}{
		{"a hold whose movie has not come", []domain.Event{held}, items{"hold/p": ready("abandon", 10)}},
		{"a hold given back", []domain.Event{held, released}, items{}},
		{"abandoned", []domain.Event{held, abandoned}, items{"hold/p": ready("settle", 10)}},
		{"abandoned and settled", []domain.Event{held, abandoned, released}, items{}},
		{"submitted", []domain.Event{held, plain}, items{"render/p": ready("render", 1)}},
		{"submitted, with destinations", []domain.Event{held, delivered}, items{"render/p": ready("render", 1)}},
		{"submitted, with sources", []domain.Event{held, sourced}, items{"fetch/p": ready("fetch", 1)}},
		{"fetching", []domain.Event{held, sourced, fetching}, items{"fetch/p": claimed("fetch", 1, 1, "f1", 1)}},
		{"fetching, handed back", []domain.Event{held, sourced, fetching, fetchBack}, items{"fetch/p": again(ready("fetch", 1), 1, 1)}},
		{"fetching, out of memory", []domain.Event{held, sourced, fetching, fetchFull}, items{
			"fetch/p": died(again(ready("fetch", 1), 1, 1), 0, true)}},
		{"fetching, taken over after a crash", []domain.Event{held, sourced, fetching, fetchDied}, items{
			"fetch/p": died(claimed("fetch", 1, 2, "f2", 1), 1, true)}},
		{"fetched: it has its place by its submission", []domain.Event{held, sourced, fetching, fetched}, items{"render/p": ready("render", 1)}},
		{"all at hand", []domain.Event{held, sourced, movie.SourcesFetched{At: minute(2)}}, items{"render/p": ready("render", 1)}},
		{"fetched and started", []domain.Event{held, sourced, fetching, fetched, started}, items{
			"render/p": claimed("render", 1, 1, "w1", 2), "timeout/p": ready("timeout", 17)}},
		{"started without, by an earlier version", []domain.Event{held, sourced, started}, items{
			"render/p": claimed("render", 1, 1, "w1", 2), "timeout/p": ready("timeout", 17)}},
		{"cancelled while its sources are fetched", []domain.Event{held, sourced, fetching, cancelled}, items{"hold/p": ready("settle", 20)}},
		{"its sources cannot be had", []domain.Event{held, sourced, fetching, finished}, items{"hold/p": ready("settle", 20)}},
		{"started", []domain.Event{held, plain, started}, items{
			"render/p": claimed("render", 1, 1, "w1", 2), "timeout/p": ready("timeout", 17)}},
		{"handed back", []domain.Event{held, plain, started, handedBack}, items{
			"render/p": again(ready("render", 1), 1, 2), "timeout/p": ready("timeout", 17)}},
		{"taken over", []domain.Event{held, plain, started, restarted}, items{
			"render/p": died(claimed("render", 1, 2, "w2", 2), 1, false), "timeout/p": ready("timeout", 17)}},
		{"taken over after a crash", []domain.Event{held, plain, started, afterCrash}, items{
			"render/p": died(claimed("render", 1, 2, "w2", 2), 1, true), "timeout/p": ready("timeout", 17)}},
		{"out of memory", []domain.Event{held, plain, started, full}, items{
			"render/p": died(again(ready("render", 1), 1, 2), 0, true), "timeout/p": ready("timeout", 17)}},
		{"timed out while rendering: stopped at twice the limit", []domain.Event{held, plain, started, restarted, timedOut}, items{
			"render/p": late(died(claimed("stop", 32, 2, "w2", 2), 1, false), false, true), "hold/p": ready("settle", 17)}},
		{"timed out and then handed back: stopped at once", []domain.Event{held, plain, started, restarted, timedOut, backAgain}, items{
			"render/p": late(died(again(ready("stop", 18), 2, 2), 1, false), false, true), "hold/p": ready("settle", 17)}},
		{"timed out while nobody renders: stopped at once", []domain.Event{held, plain, started, handedBack, timedOut}, items{
			"render/p": late(again(ready("stop", 17), 1, 2), false, true), "hold/p": ready("settle", 17)}},
		{"handed back for another's movie", []domain.Event{held, plain, started, forOthers}, items{
			"render/p": late(again(ready("render", 1), 1, 2), true, false), "timeout/p": ready("timeout", 17)}},
		{"the same, out of time: it goes on", []domain.Event{held, plain, started, forOthers, timedOut}, items{
			"render/p": late(again(ready("render", 1), 1, 2), true, true), "hold/p": ready("settle", 17)}},
		{"the same, begun again", []domain.Event{held, plain, started, forOthers, timedOut, lateAgain}, items{
			"render/p": late(claimed("stop", 32, 2, "w2", 2), false, true), "hold/p": ready("settle", 17)}},
		{"timed out, and then handed back for another's movie", []domain.Event{held, plain, started, timedOut, lateOthers}, items{
			"render/p": late(again(ready("render", 2), 1, 2), true, true), "hold/p": ready("settle", 17)}},
		{"timed out, settled, still rendering", []domain.Event{held, plain, started, timedOut, released}, items{
			"render/p": late(claimed("stop", 32, 1, "w1", 2), false, true)}},
		{"timed out, settled, finished: settled once", []domain.Event{held, plain, started, timedOut, released, finished}, items{}},
		{"timed out, not settled, finished", []domain.Event{held, plain, started, timedOut, finished}, items{"hold/p": ready("settle", 17)}},
		{"timed out, with destinations: delivered only when it ends", []domain.Event{held, delivered, started, timedOut, released}, items{
			"render/p": late(claimed("stop", 32, 1, "w1", 2), false, true)}},
		{"timed out, finished, with destinations", []domain.Event{held, delivered, started, timedOut, released, finished}, items{
			"deliver/p": ready("deliver", 20)}},
		{"finished", []domain.Event{held, plain, started, finished}, items{"hold/p": ready("settle", 20)}},
		{"finished and settled", []domain.Event{held, plain, started, finished, charged}, items{}},
		{"finished, with destinations", []domain.Event{held, delivered, started, finished, charged}, items{"deliver/p": ready("deliver", 20)}},
		{"cancelled before it began", []domain.Event{held, delivered, cancelled}, items{
			"hold/p": ready("settle", 20), "deliver/p": ready("deliver", 20)}},
		{"cancelled while rendering", []domain.Event{held, plain, started, cancelled}, items{"hold/p": ready("settle", 20)}},
		{"delivery claimed", []domain.Event{held, delivered, started, finished, charged, onTheWay}, items{
			"deliver/p": claimed("deliver", 20, 1, "w3", 21)}},
		{"delivery handed back", []domain.Event{held, delivered, started, finished, charged, onTheWay, notYet}, items{
			"deliver/p": again(ready("deliver", 20), 1, 21)}},
		{"delivered", []domain.Event{held, delivered, started, finished, charged, onTheWay, arrived}, items{}},
		{"to be delivered again", []domain.Event{held, delivered, started, finished, charged, onTheWay, arrived, onceMore}, items{
			"deliver/p": ready("deliver", 30)}},
		{"being delivered again", []domain.Event{held, delivered, started, finished, charged, onTheWay, arrived, onceMore, onTheWay2}, items{
			"deliver/p": claimed("deliver", 30, 2, "w4", 31)}},
		{"delivered again", []domain.Event{held, delivered, started, finished, charged, onTheWay, arrived, onceMore, onTheWay2, arrived2}, items{}},
		{"a count whose movie has not come", []domain.Event{counted}, items{"hold/p": ready("abandon", 10)}},
		{"a draft whose movie has not come", []domain.Event{draft}, items{"hold/p": ready("abandon", 10)}},
		{"counted and finished", []domain.Event{counted, plain, started, finished}, items{"hold/p": ready("settle", 20)}},
		{"counted and kept", []domain.Event{counted, plain, started, finished, kept}, items{}},
		{"counted and given back", []domain.Event{draft, plain, started, cancelled, givenBack}, items{}},
		{"a file to be kept for an hour", []domain.Event{held, plain, started, made, charged}, items{"file/p": ready("expire", 80)}},
		{"a file that was not kept", []domain.Event{held, plain, started, timedOut, deleted, discarded, released}, items{}},
		{"a file deleted by its owner", []domain.Event{held, plain, started, made, charged, deleted}, items{}},
		{"a file that has expired, and is deleted then", []domain.Event{held, plain, started, made, charged, expired, deleted}, items{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for id, item := range tt.want {
				item.ID, item.Subject, item.Account = id, "p", string(alice)
				tt.want[id] = item
			}
			guard := cmpopts.IgnoreFields(projections.WorkItem{}, "Commit", "Prepare")
			list := listOf(tt.given...)
			if diff := cmp.Diff(tt.want, list.Open(), guard); diff != "" {
				t.Errorf("work (-want +got):\n%s", diff)
			}
			for i, e := range tt.given { // a projector that is behind applies them all again
				list.Apply(workEvent(i, e))
			}
			if diff := cmp.Diff(tt.want, list.Open(), guard); diff != "" {
				t.Errorf("work, applied again (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWorkList_AfterASweep proves that what comes days later finds nothing to bring back.
func TestWorkList_AfterASweep(t *testing.T) {
	t.Parallel()
	tests := map[string][]domain.Event{
		"a late end":          {held, plain, started, timedOut, released, finished},
		"a late release":      {held, plain, started, cancelled, released, handedBack},
		"deletion and so on":  {held, delivered, started, finished, charged, onTheWay, arrived, movie.FileDeleted{Reason: movie.Expired}},
		"a late fetch":        {held, sourced, fetching, cancelled, released, fetchBack, fetched},
		"a late cancellation": {held, delivered, started, timedOut, released, cancelled, onTheWay, arrived},
	}
	for name, events := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := projections.NewWorkList(renderTimeout, abandonAfter, fileRetention)
			for i, e := range events {
				list.Apply(workEvent(i, e))
				list.Forget()
			}
			if list.Left() != 0 {
				t.Errorf("left: %+v", list.Open())
			}
		})
	}
}

func listOf(events ...domain.Event) *projections.WorkList {
	list := projections.NewWorkList(renderTimeout, abandonAfter, fileRetention)
	for i, e := range events {
		list.Apply(workEvent(i, e))
	}
	return list
}

// workEvent is the i-th event of the log.
func workEvent(i int, data domain.Event) projections.Event {
	e := projections.Event{
		Category: movie.StreamCategory, ID: "p", Account: alice, Data: data,
		Position: eventstore.Position{Commit: uint64(i+1) * 16, Prepare: uint64(i+1) * 16},
	}
	switch data.(type) {
	case ledger.CreditsHeld, ledger.CreditsCharged, ledger.CreditsReleased,
		ledger.MovieCounted, ledger.DraftCounted, ledger.CountKept, ledger.CountReleased:
		e.Category, e.ID = ledger.StreamCategory, string(alice)
	}
	return e
}

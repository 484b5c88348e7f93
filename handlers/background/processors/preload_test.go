package processors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/commandstest"
	"moviola/commands/mediafiles"
	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/media"
	"moviola/domain/preload"
	"moviola/eventstore"
	"moviola/handlers/background/clearing"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

// workshop is all that the work on one item asks for.
type workshop struct {
	slot *atomic.Bool // set when the item keeps its slot

	claim    preloads.ItemClaim
	starting error
	making   []error // of each try; nil: it is made
	storing  int     // number of tries at storing that fail
	tries    int
	closed   int
	finished []preload.Result
	released int
	fetches  []string
	fetching func(ctx context.Context, n int) error // a step of the fetcher
	settled  []preloads.SettlePreloadItem
}

func (w *workshop) Start(context.Context, preloads.StartItem) (preloads.ItemClaim, error) {
	return w.claim, w.starting
}

func (w *workshop) Release(context.Context, preload.ID, preload.Claim, bool) error {
	w.released++
	return nil
}

func (w *workshop) WantedFiles(context.Context, preloads.ItemOf) (commands.FetchClaim, error) {
	return commands.FetchClaim{}, w.starting
}

func (w *workshop) StartFetch(_ context.Context, _ preloads.ItemOf, s domain.FetchStart) (commands.FetchClaim, error) {
	return commands.FetchClaim{FetchClaim: domain.FetchClaim{Attempt: 1, Worker: s.Worker}}, w.starting
}

func (w *workshop) ReleaseFetch(context.Context, preloads.ItemOf, domain.FetchClaim, bool) error {
	w.fetches = append(w.fetches, "released")
	return nil
}

func (w *workshop) FinishFetch(_ context.Context, item preloads.ItemOf, c domain.FetchClaim, _, message string) error {
	w.fetches = append(w.fetches, fmt.Sprintf("%s/%d attempt %d: %s", item.Preload, item.Index, c.Attempt, message))
	return nil
}

func (w *workshop) Finish(_ context.Context, cmd preloads.FinishItem) error {
	w.finished = append(w.finished, cmd.Result)
	return nil
}

func (w *workshop) Prepare(ctx context.Context, _ commands.PrepareJob) (commands.Prepared, error) {
	w.tries++
	if w.tries <= len(w.making) && w.making[w.tries-1] != nil {
		if errors.Is(w.making[w.tries-1], context.Canceled) {
			<-ctx.Done()
			return commands.Prepared{}, context.Cause(ctx)
		}
		return commands.Prepared{}, w.making[w.tries-1]
	}
	return commands.Prepared{Width: 3, Generated: w.tries == 1, Close: func() { w.closed++ }}, nil
}

func (w *workshop) Store(_ context.Context, job commands.PrepareJob, p commands.Prepared) (preload.Result, error) {
	if w.storing--; w.storing >= 0 {
		return preload.Result{}, errors.New("the storage is away")
	}
	return preload.Result{Key: job.Batch, Width: p.Width, Generated: p.Generated}, nil
}

func (w *workshop) Publish(context.Context, commands.PrepareJob, commands.Prepared) (address, web, warning string, err error) {
	return "", "", "", nil
}

func (w *workshop) KeepMade(context.Context, domain.AccountID, domain.ProjectID, string, int, commands.Prepared) error {
	return nil
}

func (w *workshop) Handle(_ context.Context, cmd preloads.SettlePreloadItem) error {
	w.settled = append(w.settled, cmd)
	return nil
}

// run hands tasks to a process with this workshop and drains it.
func (w *workshop) run(t *testing.T, world *world, drainAt time.Duration, tasks ...projections.Task) {
	t.Helper()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	queue := newQueue()
	link := &link{Store: world.store, files: world.files, hooks: world.hooks}
	p, err := processors.New(processors.Config{
		Queue: queue, Worker: "w1", Log: eventstore.NewLog(link, world.codec), Files: link,
		Fetcher: &fetcher{step: w.fetching}, Fetches: commands.SourceFetches{},
		Kinds: []string{projections.WorkFetch, projections.WorkPreload, projections.WorkSettle, projections.WorkAbandon}, Presence: world.board, Trouble: world.troubles,
		Preloads: processors.Preloads{Items: w, Preparer: w, Store: w, Settle: w}, Logger: logger,
	})
	must(t, err)
	stopped := make(chan error, 1)
	go func() { stopped <- p.Run(context.Background()) }()
	synctest.Wait()
	for _, task := range tasks {
		answered := queue.sendUnder(commands.WithSlot(t.Context(), w.slot), task)
		if drainAt > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), drainAt)
			must(t, p.Drain(ctx))
			cancel()
		}
		<-answered
	}
	if drainAt == 0 {
		must(t, p.Drain(context.Background()))
	}
	must(t, <-stopped)
}

func itemTask(kind string) projections.Task {
	return projections.Task{WorkItem: projections.WorkItem{
		ID: kind + "/preload000000001/1", Kind: kind, Account: string(alice), Subject: "preload000000001/1",
	}}
}

// TestPreload: an item ends with a result, with its claim handed back, or lost to another.
func TestPreload(t *testing.T) {
	t.Parallel()
	refusal := domain.Errorf(domain.Invalid, "x", "It is damaged")
	odd := errors.New("odd")
	ready := []preload.Result{{Key: "preload000000001", Width: 3}}
	generated := []preload.Result{{Key: "preload000000001", Width: 3, Generated: true}}
	tests := map[string]struct {
		w        workshop
		drainAt  time.Duration
		finished []preload.Result
		released int
		tries    int
	}{
		"made":                  {finished: generated, tries: 1},
		"not stored at once":    {w: workshop{storing: 5}, finished: generated, tries: 6},
		"its own fault":         {w: workshop{making: []error{refusal}}, finished: []preload.Result{{Error: "It is damaged"}}, tries: 1},
		"another try":           {w: workshop{making: []error{odd, odd}}, finished: ready, tries: 3},
		"odd again and again":   {w: workshop{making: []error{odd, odd, odd}}, finished: []preload.Result{{Error: "The item could not be prepared because of an internal error. Please request it again."}}, tries: 3},
		"the store is away":     {w: workshop{making: []error{eventstore.ErrUnavailable, eventstore.ErrUnavailable, eventstore.ErrUnavailable, eventstore.ErrUnavailable}}, finished: ready, tries: 5},
		"the files are away":    {w: workshop{making: []error{commands.ErrAway, commands.ErrAway, commands.ErrAway, commands.ErrAway}}, finished: ready, tries: 5},
		"another has it":        {w: workshop{starting: commands.ErrNothingToDo}},
		"the process is ending": {w: workshop{making: []error{context.Canceled}}, drainAt: time.Second, released: 1, tries: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, world *world) {
				w := tt.w
				w.run(t, world, tt.drainAt, itemTask(projections.WorkPreload))
				if diff := cmp.Diff(tt.finished, w.finished); diff != "" || w.released != tt.released || w.tries != tt.tries {
					t.Errorf("%d tries, released %d; results (-want +got):\n%s", w.tries, w.released, diff)
				}
				if made := len(tt.finished) > 0 && tt.finished[0].Error == ""; made != (w.closed > 0) {
					t.Errorf("working files were removed %d times", w.closed)
				}
			})
		})
	}
}

// TestPreload_keepsItsSlot: the queue is told of an item that does not share its slot, because it costs credits.
func TestPreload_keepsItsSlot(t *testing.T) {
	t.Parallel()
	for held, keeps := range map[int64]bool{0: false, 5: true} {
		inWorld(t, func(t *testing.T, world *world) {
			w := workshop{slot: new(atomic.Bool)}
			w.claim.Item.Held = held
			w.run(t, world, 0, itemTask(projections.WorkPreload))
			if w.slot.Load() != keeps || len(w.finished) != 1 {
				t.Errorf("with %d credits held it keeps its slot: %v; %d results", held, w.slot.Load(), len(w.finished))
			}
		})
	}
}

// TestFetch_items: the files of an item are fetched before it is prepared, by work of its own.
func TestFetch_items(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		step     func(ctx context.Context, n int) error
		starting error
		drainAt  time.Duration
		want     []string
	}{
		"at hand":               {want: []string{"preload000000001/1 attempt 0: "}},
		"another has it":        {starting: commands.ErrNothingToDo},
		"fetched":               {step: func(context.Context, int) error { return nil }, want: []string{"preload000000001/1 attempt 1: "}},
		"the process is ending": {step: untilStopped, drainAt: time.Second, want: []string{"released"}},
		"cannot be had": {step: func(context.Context, int) error { return domain.Errorf(domain.Invalid, "x", "It is not there") },
			want: []string{"preload000000001/1 attempt 1: It is not there"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, world *world) {
				w := workshop{starting: tt.starting, fetching: tt.step}
				task := itemTask(projections.WorkFetch)
				task.ID = "fetchitem/preload000000001/1"
				w.run(t, world, tt.drainAt, task)
				if diff := cmp.Diff(tt.want, w.fetches); diff != "" || w.tries > 0 {
					t.Errorf("prepared %d times; fetches (-want +got):\n%s", w.tries, diff)
				}
			})
		})
	}
}

// TestSettle_items: what is held for items is settled by their own command, when a batch was abandoned too.
func TestSettle_items(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, world *world) {
		var w workshop
		w.run(t, world, 0, itemTask(projections.WorkSettle), itemTask(projections.WorkAbandon))
		want := preloads.SettlePreloadItem{Account: alice, Preload: "preload000000001", Index: 1}
		if diff := cmp.Diff([]preloads.SettlePreloadItem{want, want}, w.settled); diff != "" {
			t.Errorf("settled (-want +got):\n%s", diff)
		}
	})
}

// rack is a media library of some files and folders.
type rack struct {
	files   []projections.MediaFile
	folders []projections.MediaFolder
	cleared map[string]media.Reason
}

func (r *rack) All(_ context.Context, _ domain.AccountID, after *projections.MediaFile, _ int) ([]projections.MediaFile, error) {
	if after != nil {
		return nil, nil
	}
	return r.files, nil
}

func (r *rack) Tree(_ context.Context, _ domain.AccountID, after string, _ int) ([]projections.MediaFolder, error) {
	if after != "" {
		return nil, nil
	}
	return r.folders, nil
}

func (r *rack) Clear(_ context.Context, cmd mediafiles.ClearMedia) error {
	r.cleared[cmd.Place] = cmd.Why
	return nil
}

// Design §6: a purge removes only what stands in the log before it; a closing removes everything.
func TestStoredMedia_Clear(t *testing.T) {
	t.Parallel()
	of := func(account domain.AccountID) []string {
		return []string{"batches/" + string(account) + "/1", "preloads/" + string(account) + "/1", "staging/" + string(account) + "/1"}
	}
	marked := media.StreamID(alice, media.Path{Folder: "a"})
	at := eventstore.Position{Commit: 5, Prepare: 5}
	tests := map[string]struct {
		what accounts.Clearing
		want map[string]media.Reason
		left []string
	}{
		"purged": {accounts.Clearing{Account: alice, Reason: account.Purged, Before: at}, map[string]media.Reason{"old": media.Purged}, of(alice)},
		"closed": {accounts.Clearing{Account: alice, Reason: account.Departure}, map[string]media.Reason{"old": media.Closed, "new": media.Closed, marked: media.Closed}, []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored := commandstest.NewFiles(time.Now)
			r := &rack{
				files:   []projections.MediaFile{{ID: "old", Commit: 4, Prepare: 4}, {ID: "new", Commit: 6, Prepare: 6}},
				folders: []projections.MediaFolder{{Path: "/"}, {Path: "a", Marker: true}, {Path: "b"}}, cleared: map[string]media.Reason{},
			}
			for _, key := range append(of(alice), of("bob")...) {
				must(t, stored.Put(t.Context(), key, strings.NewReader("x")))
			}
			must(t, clearing.StoredMedia{Library: r, Remove: r, Files: stored}.Clear(t.Context(), tt.what))
			if diff := cmp.Diff(tt.want, r.cleared); diff != "" {
				t.Errorf("cleared (-want +got):\n%s", diff)
			}
			left, err := stored.List(t.Context(), "")
			must(t, err)
			want := append(tt.left, of("bob")...)
			slices.Sort(want)
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

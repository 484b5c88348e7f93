package processors_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/clearing"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

// afterlife is what the work on accounts acts on.
type afterlife struct {
	did  []string
	due  *accounts.Clearing // nil: no removal is due
	open bool               // holds are open
	fail bool               // the first removal fails
}

func (a *afterlife) Handle(_ context.Context, cmd accounts.CompleteOpening) (accounts.OpenedAccount, error) {
	a.did = append(a.did, "complete "+string(cmd.Account))
	return accounts.OpenedAccount{}, commands.ErrNothingToDo
}

func (a *afterlife) Finish(_ context.Context, cmd accounts.CloseAccount) error {
	a.did = append(a.did, "close "+string(cmd.Account))
	if a.open {
		return commands.ErrNothingToDo
	}
	return nil
}

func (a *afterlife) Clear(_ context.Context, what accounts.Clearing) error {
	a.did = append(a.did, "remove for "+string(what.Account))
	if a.fail {
		a.fail = false
		return errors.New("the disk is away")
	}
	return nil
}

// undertaker is the purging part of an afterlife.
type undertaker struct{ *afterlife }

func (u undertaker) Handle(_ context.Context, cmd accounts.PurgeAccount) error {
	u.did = append(u.did, "purge "+string(cmd.Account))
	return nil
}

func (u undertaker) Due(context.Context, domain.AccountID) (accounts.Clearing, error) {
	if u.due == nil {
		return accounts.Clearing{}, commands.ErrNothingToDo
	}
	return *u.due, nil
}

func (u undertaker) Done(_ context.Context, done accounts.Clearing) error {
	u.did = append(u.did, "done "+string(done.Reason))
	return nil
}

// TestAccounts: what each kind of work on accounts does, and that it does nothing which is not due.
func TestAccounts(t *testing.T) {
	t.Parallel()
	clearing := &accounts.Clearing{Account: alice, Reason: account.Departure}
	tests := []struct {
		name, kind string
		given      afterlife
		want       []string
		failed     bool
	}{
		{name: "opening", kind: projections.WorkComplete, want: []string{"complete default"}},
		{name: "zero", kind: projections.WorkZero, want: []string{"purge default"}},
		{name: "purge", kind: projections.WorkPurge, given: afterlife{due: clearing}, want: []string{"remove for default", "remove for default", "done closed"}},
		{name: "purge that is over", kind: projections.WorkPurge},
		{name: "closing with open holds", kind: projections.WorkClose, given: afterlife{due: clearing, open: true}, want: []string{"close default"}},
		{name: "closing", kind: projections.WorkClose, given: afterlife{due: clearing},
			want: []string{"close default", "remove for default", "remove for default", "done closed"}},
		{name: "closing that waits for its second removal", kind: projections.WorkClose, want: []string{"close default"}},
		{name: "a removal that fails", kind: projections.WorkPurge, given: afterlife{due: clearing, fail: true}, want: []string{"remove for default"}, failed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				queue, log := newQueue(), logrus.New()
				log.SetOutput(io.Discard)
				own := tt.given
				p, err := processors.New(processors.Config{
					Queue: queue, Worker: "one", Log: w.log(), Files: w.files, Presence: w.board, Trouble: w.troubles, Logger: log,
					Kinds: []string{projections.WorkComplete, projections.WorkZero, projections.WorkPurge, projections.WorkClose},
					Accounts: processors.Accounts{
						CompleteOpening: &own, Purger: undertaker{&own}, Closer: &own, Cleaners: []processors.Cleaner{&own, &own},
					},
				})
				must(t, err)
				ended := make(chan error, 1)
				go func() { ended <- p.Run(context.Background()) }()
				if ok := <-queue.send(task(tt.kind, domain.ProjectID(alice), 0)); ok == tt.failed {
					t.Errorf("acked: %v", ok)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				must(t, p.Drain(ctx))
				must(t, <-ended)
				if diff := cmp.Diff(tt.want, own.did); diff != "" {
					t.Errorf("did (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// kept is a list of movies with files, in pages of two.
type kept []string

func (k kept) Files(_ context.Context, _ domain.AccountID, after *projections.WorkItem, _ int) ([]projections.WorkItem, error) {
	var page []projections.WorkItem
	for i, project := range k {
		if after == nil || int64(i) > after.Commit {
			page = append(page, projections.WorkItem{Subject: project, Commit: int64(i)})
		}
	}
	return page[:min(2, len(page))], nil
}

// TestRenderedFiles removes the files of every movie that stand before the purge; the documents of a closed account go with the last
// removal only, for webhooks need them.
func TestRenderedFiles(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		log := w.log()
		projects := kept{"aaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaa2", "aaaaaaaaaaaaaaa3"}
		var before eventstore.Position
		for i, project := range projects {
			id := domain.ProjectID(project)
			key := blobkey.RendersOf(id) + "1.mp4"
			must(t, w.files.Put(t.Context(), key, strings.NewReader("x")))
			must(t, w.files.Put(t.Context(), blobkey.Document(alice, id), strings.NewReader("x")))
			at, err := log.Append(t.Context(), movie.Stream(id), eventstore.NoStream, eventstore.Meta{Account: alice, Time: time.Now()},
				movie.Submitted{Account: alice, At: time.Now()}, movie.RenderStarted{Attempt: 1, Worker: "w", At: time.Now()},
				movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, File: &movie.File{Key: key}, At: time.Now()})
			must(t, err)
			if i == 1 {
				before = eventstore.Position{Commit: at.Position.Commit + 1, Prepare: at.Position.Prepare + 1}
			}
		}
		cleaner := clearing.RenderedFiles{Kept: projects, Purge: commands.NewPurgeFileHandler(log, w.files, time.Now), Files: w.files}
		count := func(prefix string) int {
			keys, err := w.files.List(t.Context(), prefix)
			must(t, err)
			return len(keys)
		}
		must(t, cleaner.Clear(t.Context(), accounts.Clearing{Account: alice, Reason: account.Purged, Before: before}))
		if count("renders/") != 1 || count("movies/") != 3 {
			t.Errorf("%d files, %d documents after a purge", count("renders/"), count("movies/"))
		}
		must(t, cleaner.Clear(t.Context(), accounts.Clearing{Account: alice, Reason: account.Departure}))
		if count("renders/") != 0 || count("movies/") != 3 {
			t.Errorf("%d files, %d documents after a closing", count("renders/"), count("movies/"))
		}
		must(t, cleaner.Clear(t.Context(), accounts.Clearing{Account: alice, Reason: account.Departure, Last: true}))
		if count("movies/") != 0 {
			t.Errorf("%d documents at the end", count("movies/"))
		}
	})
}

// drawer is the saved connections of an account, in pages of one.
type drawer struct {
	names   []string
	deleted []string
	fail    error
}

func (d *drawer) List(_ context.Context, list projections.ConnectionList) ([]projections.Connection, bool, error) {
	for i, name := range d.names {
		if name > list.After {
			return []projections.Connection{{Name: name}}, i < len(d.names)-1, nil
		}
	}
	return nil, false, nil
}

func (d *drawer) Handle(_ context.Context, cmd connections.DeleteConnection) (eventstore.Position, error) {
	if cmd.ID == "gone" {
		return eventstore.Position{}, domain.Errorf(domain.NotFound, "connection_not_found", "gone")
	}
	d.deleted = append(d.deleted, cmd.ID)
	return eventstore.Position{}, d.fail
}

// TestSavedConnections removes the connections of a closed account in the final removal, and in no other.
func TestSavedConnections(t *testing.T) {
	t.Parallel()
	d := &drawer{names: []string{"ftp", "gone", "hook"}}
	cleaner := clearing.SavedConnections{Saved: d, Delete: d}
	for _, what := range []accounts.Clearing{{Reason: account.Purged, Last: true}, {Reason: account.Departure}} {
		if err := cleaner.Clear(t.Context(), what); err != nil || len(d.deleted) > 0 {
			t.Errorf("%+v: %v, deleted %v", what, err, d.deleted)
		}
	}
	last := accounts.Clearing{Account: alice, Reason: account.Departure, Last: true}
	if err := cleaner.Clear(t.Context(), last); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ftp", "hook"}, d.deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	d.fail = errors.New("the event store is away")
	if err := cleaner.Clear(t.Context(), last); !errors.Is(err, d.fail) {
		t.Errorf("error %v", err)
	}
}

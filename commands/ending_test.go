package commands_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/commandstest"
	"moviola/commands/deliveries"
	"moviola/commands/ledgers"
	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/operator"
	"moviola/domain/plan"
	"moviola/domain/preload"
	"moviola/eventstore"
)

const month = 30 * 24 * time.Hour

func (w *world) purgeHandler() accounts.PurgeAccountHandler {
	return accounts.NewPurgeAccountHandler(accounts.PurgeAccountConfig{
		Log: w.log, Ledgers: w.ledgers, Now: w.clock, After: month, Again: 24 * time.Hour,
	})
}

func (w *world) purge() error {
	return w.purgeHandler().Handle(w.t.Context(), accounts.PurgeAccount{Account: alice})
}

func (w *world) changePlan(to string) {
	w.t.Helper()
	_, err := accounts.NewChangePlanHandler(w.log, w.ledgers, plan.Plans{}, w.clock).
		Handle(w.t.Context(), accounts.ChangePlan{Account: alice, Plan: to})
	w.must(err)
}

// spend gives alice credits and spends them.
func (w *world) spend(on domain.ProjectID, amount int64) {
	w.t.Helper()
	w.must(second(w.ledgers.Grant(w.t.Context(), ledgers.Grant{Account: alice, Reference: string(on), Amount: amount})))
	w.must(second(w.ledgers.Hold(w.t.Context(), ledgers.Hold{Account: alice, Project: on, Amount: amount})))
	w.must(second(w.ledgers.Charge(w.t.Context(), ledgers.Charge{Account: alice, Project: on})))
}

func second[T any](_ T, err error) error { return err }

// TestPurgeAccount: an account is purged once, after 30 days with a balance of zero. A grant ends this period. On a plan
// without credits there is no purge. Decision 39.
func TestPurgeAccount(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	requireNothing(t, w.purge())
	w.onPlan("free")
	w.spend("p1", 5)
	requireNothing(t, w.purge())
	w.wait(month - time.Millisecond)
	requireNothing(t, w.purge())
	w.grant(alice, 1)
	w.wait(time.Hour)
	requireNothing(t, w.purge())
	w.spend("p2", 1) // one credit of the earlier grant is left
	w.wait(2 * month)
	requireNothing(t, w.purge())
	w.must(second(w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "p3", Amount: 1})))
	w.must(second(w.ledgers.Charge(t.Context(), ledgers.Charge{Account: alice, Project: "p3"})))
	w.changePlan("counted")
	w.wait(month)
	requireNothing(t, w.purge())
	w.changePlan("paid")
	w.wait(month - time.Second)
	requireNothing(t, w.purge())
	w.wait(time.Second)
	w.must(w.purge())
	requireNothing(t, w.purge())
	if got, want := w.last(ledger.Stream(alice)), (ledger.ZeroBalancePurged{Since: w.clock().Add(-month), At: w.clock()}); !cmp.Equal(domain.Event(want), got) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPurge_removal: a purge removes only files that were rendered before it in the log, and is due until its completion is
// recorded.
func TestPurge_removal(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.onPlan("free")
	file := func(project domain.ProjectID) { w.finishedMovie(project) }
	file("early00000000001")
	w.spend("p1", 5)
	w.wait(month)
	h := w.purgeHandler()
	requireNothing(t, second(h.Due(t.Context(), alice)))
	w.must(w.purge())
	file("late000000000001")
	due, err := h.Due(t.Context(), alice)
	w.must(err)
	if due.Reason != account.Purged || due.Before == (eventstore.Position{}) {
		t.Fatalf("due %+v", due)
	}
	remove := commands.NewPurgeFileHandler(w.log, w.files, w.clock)
	w.must(remove.Handle(t.Context(), commands.PurgeFile{Project: "early00000000001", Before: due.Before}))
	requireNothing(t, remove.Handle(t.Context(), commands.PurgeFile{Project: "early00000000001", Before: due.Before}))
	requireNothing(t, remove.Handle(t.Context(), commands.PurgeFile{Project: "late000000000001", Before: due.Before}))
	w.wantFiles(blobkey.RendersOf("late000000000001") + "1.mp4")
	if got := w.last(movie.Stream("early00000000001")); !cmp.Equal(domain.Event(movie.FileDeleted{Reason: movie.Purged, At: w.clock()}), got) {
		t.Errorf("last event %+v", got)
	}
	w.must(h.Done(t.Context(), due))
	requireNothing(t, second(h.Due(t.Context(), alice)))
	requireNothing(t, h.Done(t.Context(), due))
	w.wantEvents(account.Stream(alice), "AccountOpened", "AccountCleared")

	w.spend("p2", 1) // a second period with a balance of zero leads to a second purge
	w.wait(month)
	w.must(w.purge())
	next, err := h.Due(t.Context(), alice)
	w.must(err)
	requireNothing(t, h.Done(t.Context(), due))
	w.must(h.Done(t.Context(), next))
}

// finishedMovie appends the events of a movie of alice that is rendered now, and stores its file.
func (w *world) finishedMovie(project domain.ProjectID) {
	w.t.Helper()
	key := blobkey.RendersOf(project) + "1.mp4"
	w.must(w.files.Put(w.t.Context(), key, strings.NewReader("a file")))
	_, err := w.log.Append(w.t.Context(), movie.Stream(project), eventstore.NoStream, eventstore.Meta{Account: alice, Time: w.clock()},
		movie.Submitted{Account: alice, At: w.clock()}, movie.RenderStarted{Attempt: 1, Worker: "w", At: w.clock()},
		movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, File: &movie.File{Key: key}, At: w.clock()})
	w.must(err)
}

// TestCloseAccount follows a closing from one step to the next. Design §6.
func TestCloseAccount(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	h := accounts.NewCloseAccountHandler(w.log, w.ledgers, w.clock)
	closing := accounts.CloseAccount{Account: alice}
	_, err := h.Handle(t.Context(), closing)
	requireRefusal(t, err, domain.Errorf(domain.NotFound, "account_not_found", "Account alice not found"))
	w.onPlan("paid")
	w.grant(alice, 100)
	w.submitted()
	w.must(second(w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "lost000000000001", Amount: 1})))
	w.must(second(w.ledgers.HoldItems(t.Context(), ledgers.HoldItems{Account: alice, Preload: "batch", Items: []ledger.ItemAmount{{Number: 0, Amount: 10}}})))
	requireNothing(t, h.Finish(t.Context(), closing))
	w.must(second(h.Handle(t.Context(), closing)))
	w.must(second(h.Handle(t.Context(), closing)))
	w.wantEvents(account.Stream(alice), "AccountOpened", "AccountClosed")

	requireNothing(t, h.Finish(t.Context(), closing))
	requireNothing(t, h.Finish(t.Context(), closing))
	if !slices.Contains(w.events(movie.Stream(project)), "MovieCancelled") {
		t.Errorf("movie %v", w.events(movie.Stream(project)))
	}
	closed := domain.Errorf(domain.Forbidden, "account_closed", "This account is closed")
	_, err = w.submit(still(640, 360, 1))
	requireRefusal(t, err, closed)
	_, err = accounts.NewGrantCreditsHandler(w.log, w.ledgers).Handle(t.Context(), accounts.GrantCredits{Account: alice, Reference: "r", Amount: 1})
	requireRefusal(t, err, domain.Errorf(domain.Conflict, "account_closed", "Account alice is closed"))
	requireRefusal(t, w.standing().RequireStorage(), closed)

	w.must(w.settle()) // open holds are still settled
	w.wait(age)
	lost := commands.AbandonSubmission{Account: alice, Project: "lost000000000001"}
	w.must(commands.NewAbandonSubmissionHandler(commands.AbandonSubmissionConfig{
		Log: w.log, Ledgers: w.ledgers, Settle: w.settleHandler(), Now: w.clock, Age: age,
	}).Handle(t.Context(), lost))
	requireNothing(t, h.Finish(t.Context(), closing))
	w.must(second(w.ledgers.ChargeItem(t.Context(), ledgers.SettleItem{Account: alice, Preload: "batch", Number: 0})))
	w.must(h.Finish(t.Context(), closing))
	if totals := commandstest.SoundLedger(t, w.log, ledgerStream); totals.Charged != 10 || totals.Held != 0 || !totals.Closed {
		t.Errorf("totals %+v", totals)
	}
	w.removeTwice()
}

// removeTwice takes the last steps of a closing: the account's files are removed, and once more after a day.
func (w *world) removeTwice() {
	w.t.Helper()
	h := w.purgeHandler()
	for round := range 2 {
		due, err := h.Due(w.t.Context(), alice)
		w.must(err)
		if want := (accounts.Clearing{Account: alice, Reason: account.Departure, Last: round == 1}); due != want {
			w.t.Errorf("round %d: due %+v", round, due)
		}
		w.must(h.Done(w.t.Context(), due))
		requireNothing(w.t, second(h.Due(w.t.Context(), alice)))
		requireNothing(w.t, h.Done(w.t.Context(), due))
		w.wait(24 * time.Hour)
	}
	requireNothing(w.t, second(h.Due(w.t.Context(), alice)))
}

func (w *world) standing() commands.Standing {
	w.t.Helper()
	standing, err := commands.NewStandings(w.log, w.ledgers, plan.Plans{}, w.clock).Of(w.t.Context(), alice)
	w.must(err)
	return standing
}

// TestStanding: storage is blocked while the balance is zero, on plans that need credits. Decision 39.
func TestStanding(t *testing.T) {
	t.Parallel()
	blocked := domain.Errorf(domain.Forbidden, "storage_blocked", "Storage is blocked. Add credits to continue uploading.")
	w := newEmptyWorld(t)
	if _, err := commands.NewStandings(w.log, w.ledgers, plan.Plans{}, w.clock).Of(t.Context(), alice); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("standing of an account that cannot be seen: %v", err) // not the standing of a free account. Decision 60
	}
	w.onPlan("free")
	w.spend("p1", 5)
	requireRefusal(t, w.standing().RequireStorage(), blocked)
	w.grant(alice, 1)
	w.must(w.standing().RequireStorage())
	w.must(second(w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "p2", Amount: 1})))
	w.must(w.standing().RequireStorage()) // nothing is available, but the balance is not zero
	w.must(second(w.ledgers.Charge(t.Context(), ledgers.Charge{Account: alice, Project: "p2"})))
	requireRefusal(t, w.standing().RequireStorage(), blocked)
	w.changePlan("counted")
	w.must(w.standing().RequireStorage())
}

func TestRecordAct(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	h := accounts.NewRecordActHandler(w.log, &counter{}, w.clock)
	cmd := accounts.RecordAct{Who: " anna\n", Act: "grant credits", On: "alice", How: "50"}
	first, err := h.Handle(t.Context(), cmd)
	w.must(err)
	w.must(h.Refuse(t.Context(), first, "no such\naccount"))
	if refused, ok := w.last(operator.Stream(t0)).(operator.Acted); !ok || refused.ID != first.ID || refused.Refused != "no such account" || refused.Act != first.Act {
		t.Errorf("refusal %+v", refused)
	}
	next, err := h.Handle(t.Context(), cmd) // the same command again records another act
	w.must(err)
	if first.ID == next.ID {
		t.Errorf("two acts have the id %s", first.ID)
	}
	w.wantEvents(operator.Stream(t0), "OperatorActed", "OperatorActed", "OperatorActed")
	got, ok := w.last(operator.Stream(t0)).(operator.Acted)
	want := operator.Acted{ID: got.ID, Who: "anna", Act: "grant credits", On: "alice", How: "50", At: t0}
	if diff := cmp.Diff(want, got); diff != "" || !ok || len(got.ID) != 16 {
		t.Errorf("act (-want +got):\n%s", diff)
	}
}

// counter yields bytes that differ.
type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.n % 200
		c.n += 7
	}
	return len(p), nil
}

// TestDropWork: an operator ends a movie and a delivery; the hold of the dropped movie is released.
func TestDropWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	w.submitted()
	dropMovie, dropDelivery := commands.NewDropMovieHandler(w.log, w.clock), deliveries.NewDropDeliveryHandler(w.log, w.clock)
	requireNothing(t, second(dropDelivery.Handle(t.Context(), deliveries.DropDelivery{Project: project, Worker: "op"})))
	w.must(second(dropMovie.Handle(t.Context(), commands.DropMovie{Project: project, Worker: "op"})))
	requireNothing(t, second(dropMovie.Handle(t.Context(), commands.DropMovie{Project: project, Worker: "op"})))
	requireNothing(t, second(dropMovie.Handle(t.Context(), commands.DropMovie{Project: "unknown000000001", Worker: "op"})))
	w.must(w.settle())
	if totals := commandstest.SoundLedger(t, w.log, ledgerStream); totals.Held != 0 || totals.Charged != 0 {
		t.Errorf("totals %+v", totals)
	}
}

// TestDropWork_item: an operator ends an item of a preload batch, which then costs nothing.
func TestDropWork_item(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	_, err := w.log.Append(t.Context(), preload.Stream("batch"), eventstore.NoStream, eventstore.Meta{Account: alice, Time: t0},
		preload.Requested{Account: alice, Items: []preload.Item{{ID: "a", Held: 10}}, At: t0})
	w.must(err)
	h := preloads.NewDropItemHandler(w.log, w.clock)
	requireNothing(t, second(h.Handle(t.Context(), preloads.DropItem{Preload: "batch", Index: 1, Worker: "op"})))
	w.must(second(h.Handle(t.Context(), preloads.DropItem{Preload: "batch", Index: 0, Worker: "op"})))
	requireNothing(t, second(h.Handle(t.Context(), preloads.DropItem{Preload: "batch", Index: 0, Worker: "op"})))
	w.wantEvents(preload.Stream("batch"), "PreloadRequested", "PreloadItemFinished", "PreloadFinished")
}

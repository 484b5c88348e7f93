package books_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections/audit"
)

const (
	alice      = domain.AccountID("alice")
	project    = domain.ProjectID("project000000001")
	limit      = 15 * time.Minute
	abandonAge = 10 * time.Minute
	sevenSec   = `{"scenes":[{"duration":7}]}`
)

// errKilled stands for the process that ends here.
var errKilled = errors.New("killed")

// world is a log, its files and a clock. What changes them is a process.
type world struct {
	t     *testing.T
	store *memory.Store
	log   *eventstore.Log
	files *commandstest.Files
	now   time.Time
}

func newWorld(t *testing.T, onPlan string, credits int64) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	w.store = memory.New(memory.WithClock(w.clock))
	w.log = eventstore.NewLog(w.store, eventstore.NewCodec())
	w.files = commandstest.NewFiles(w.clock)
	w.append(account.Stream(alice), account.Opened{Name: "Alice", Plan: onPlan, At: w.now})
	if credits > 0 {
		w.append(ledger.Stream(alice), ledger.CreditsGranted{Reference: "opening", Amount: credits, At: w.now})
	}
	return w
}

func (w *world) clock() time.Time { return w.now }

func (w *world) append(stream string, events ...domain.Event) {
	w.t.Helper()
	_, err := w.log.Append(context.Background(), stream, eventstore.NoStream, eventstore.Meta{Account: alice, Time: w.now}, events...)
	if err != nil {
		w.t.Fatal(err)
	}
}

// process is one run of the program over the world's log.
type process struct {
	*world
	ledgers *ledgers.Ledgers
}

// run lets a process work, and ends it.
func (w *world) run(work func(p process) error) error {
	p := process{w, ledgers.New(w.log, w.clock)}
	defer p.ledgers.Close()
	return work(p)
}

// killAt ends processes at their n-th append from now on, before it is stored or after.
func (w *world) killAt(n int, stored bool) {
	count := 0
	kill := func(context.Context, string, []eventstore.Proposed) error {
		if count++; count >= n {
			return errKilled
		}
		return nil
	}
	if stored {
		w.store.Inject(memory.Faults{AfterAppendFunc: kill})
	} else {
		w.store.Inject(memory.Faults{BeforeAppendFunc: kill})
	}
}

// audited audits the log, and fails when it is not sound or something is open in the end.
func (w *world) audited() audit.Report {
	w.t.Helper()
	report, err := audit.Run(context.Background(), audit.Config{Store: w.store, Codec: eventstore.NewCodec()})
	if err != nil {
		w.t.Fatal(err)
	}
	if report.Difference != nil {
		w.t.Errorf("difference %v", report.Difference)
	}
	if report.Open != 0 || report.Held != 0 {
		w.t.Errorf("%d holds of %d credits are open", report.Open, report.Held)
	}
	return report
}

// step is one thing that a process does about the movie; finding nothing to do is normal.
type step func(p process) error

// submit is the step that posts a movie. The functions from here to settle are the steps of a movie's life.
func submit(body string) step {
	return func(p process) error {
		h := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
			Log: p.log, Ledgers: p.ledgers, Files: p.files, NewProject: func() domain.ProjectID { return project }, Now: p.clock,
		})
		_, err := h.Handle(context.Background(), commands.SubmitMovie{Account: alice, Body: []byte(body), IdempotencyKey: "once"})
		return err
	}
}

func start(p process) error {
	_, err := commands.NewStartRenderHandler(p.log, p.clock, limit).
		Handle(context.Background(), commands.StartRender{Project: project, Worker: "w", Dead: p.attempt()})
	return err
}

// attempt is the last attempt: a new process knows its worker for dead.
func (w *world) attempt() int {
	m := movie.New(project)
	if _, err := w.log.Fold(context.Background(), movie.Stream(project), m.Apply); err != nil {
		w.t.Fatal(err)
	}
	return m.Claim().Number
}

var plan = movie.Dimensions{Width: 64, Height: 64, Frames: 225, FPSNum: 25, FPSDen: 1} // nine seconds

func planned(counted bool) step {
	return func(p process) error {
		h := commands.NewPlanRenderHandler(commands.PlanRenderConfig{Log: p.log, Ledgers: p.ledgers, Now: p.clock})
		return h.Handle(context.Background(), commands.PlanRender{Account: alice, Project: project, Attempt: p.attempt(), Counted: counted, Plan: plan})
	}
}

func finish(change func(*commands.FinishRender)) step {
	return func(p process) error {
		attempt := p.attempt()
		cmd := commands.FinishRender{
			Project: project, Attempt: attempt, Worker: "w", Success: true, Plan: &plan,
			File: &movie.File{Key: fmt.Sprintf("%s%d.mp4", blobkey.RendersOf(project), attempt)},
		}
		change(&cmd)
		_, err := commands.NewFinishRenderHandler(p.log, p.files, p.clock).Handle(context.Background(), cmd)
		return err
	}
}

func timeOut(p process) error {
	p.now = p.now.Add(limit)
	_, err := commands.NewTimeOutRenderHandler(p.log, p.clock, limit).
		Handle(context.Background(), commands.TimeOutRender{Project: project, Worker: "keeper"})
	return err
}

func cancel(p process) error {
	_, err := commands.NewCancelMovieHandler(p.log, p.clock).Handle(context.Background(), commands.CancelMovie{Account: alice, Project: project})
	return err
}

func settle(p process) error {
	return commands.NewSettleMovieHandler(p.log, p.ledgers, p.files).
		Handle(context.Background(), commands.SettleMovie{Account: alice, Project: project})
}

// keep is what the keeper does in the end: it gives up what never came, and settles.
func keep(p process) error {
	p.now = p.now.Add(abandonAge)
	h := commands.NewAbandonSubmissionHandler(commands.AbandonSubmissionConfig{
		Log: p.log, Ledgers: p.ledgers, Settle: commands.NewSettleMovieHandler(p.log, p.ledgers, p.files), Now: p.clock, Age: abandonAge,
	})
	err := h.Handle(context.Background(), commands.AbandonSubmission{Account: alice, Project: project})
	if errors.Is(err, commands.ErrNothingToDo) {
		err = settle(p)
	}
	return err
}

// normal says whether an error is no failure of the books: nothing to do, or a refusal.
func normal(err error) bool {
	var refusal *domain.Error
	return err == nil || errors.Is(err, commands.ErrNothingToDo) || errors.As(err, &refusal) && !errors.Is(err, errKilled) ||
		errors.Is(err, ledger.ErrStale) || errors.Is(err, ledger.ErrNoHold) || errors.Is(err, ledger.ErrHoldEnded)
}

package commands_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
)

const (
	alice   = domain.AccountID("alice")
	mallory = domain.AccountID("mallory")
	project = domain.ProjectID("project000000001")
	timeout = 15 * time.Minute
	age     = 10 * time.Minute
)

var (
	t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

	// errKilled stands for the end of the process: a call that returns it is not repeated.
	errKilled = errors.New("killed")
)

// world is a service without its handlers: a log, files, ledgers and a clock. Its methods call commands on them.
type world struct {
	t       *testing.T
	store   *memory.Store
	log     *eventstore.Log
	files   *commandstest.Files
	ledgers *ledgers.Ledgers

	mu   sync.Mutex
	now  time.Time
	next int // number of the next project
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := newEmptyWorld(t)
	for _, id := range []domain.AccountID{alice, mallory} {
		_, err := w.log.Append(t.Context(), account.Stream(id), eventstore.NoStream, eventstore.Meta{}, account.Opened{Name: string(id), At: t0})
		w.must(err)
	}
	return w
}

// newEmptyWorld returns a world without accounts.
func newEmptyWorld(t *testing.T) *world {
	t.Helper()
	store := memory.New()
	w := &world{t: t, store: store, log: eventstore.NewLog(store, eventstore.NewCodec()), now: t0}
	w.files = commandstest.NewFiles(w.clock)
	w.ledgers = ledgers.New(w.log, w.clock)
	t.Cleanup(w.ledgers.Close)
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// wait moves the clock forward.
func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// newProject returns project000000001, project000000002, ...
func (w *world) newProject() domain.ProjectID {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	return domain.ProjectID(fmt.Sprintf("project%09d", w.next))
}

func (w *world) submitHandler() commands.SubmitMovieHandler {
	return commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: w.log, Ledgers: w.ledgers, Files: w.files, NewProject: w.newProject, Now: w.clock,
	})
}

func (w *world) settleHandler() commands.SettleMovieHandler {
	return commands.NewSettleMovieHandler(w.log, w.ledgers, w.files)
}

func (w *world) settle() error {
	return w.settleHandler().Handle(w.t.Context(), commands.SettleMovie{Account: alice, Project: project})
}

func (w *world) abandon() error {
	h := commands.NewAbandonSubmissionHandler(commands.AbandonSubmissionConfig{
		Log: w.log, Ledgers: w.ledgers, Settle: w.settleHandler(), Now: w.clock, Age: age,
	})
	return h.Handle(w.t.Context(), commands.AbandonSubmission{Account: alice, Project: project})
}

func (w *world) start(worker string, dead int) (commands.RenderClaim, error) {
	h := commands.NewStartRenderHandler(w.log, w.clock, timeout)
	return h.Handle(w.t.Context(), commands.StartRender{Project: project, Worker: worker, Dead: dead})
}

func (w *world) finish(cmd commands.FinishRender) error {
	cmd.Project = project
	_, err := commands.NewFinishRenderHandler(w.log, w.files, w.clock).Handle(w.t.Context(), cmd)
	return err
}

func (w *world) timeOut() error {
	h := commands.NewTimeOutRenderHandler(w.log, w.clock, timeout)
	_, err := h.Handle(w.t.Context(), commands.TimeOutRender{Project: project, Worker: "keeper"})
	return err
}

func (w *world) grant(account domain.AccountID, amount int64) {
	w.t.Helper()
	_, err := w.ledgers.Grant(w.t.Context(), ledgers.Grant{Account: account, Reference: "opening", Amount: amount})
	w.must(err)
}

// submitted grants alice 100 credits and submits her movie sevenSeconds.
func (w *world) submitted() {
	w.t.Helper()
	w.grant(alice, 100)
	submission, err := w.submitHandler().Handle(w.t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
	w.must(err)
	if submission.Project != project {
		w.t.Fatalf("submitted %s", submission.Project)
	}
}

// sevenSeconds is a movie of seven seconds, as its JSON says, with two webhooks.
const sevenSeconds = `{"scenes":[{"elements":[{"type":"text","text":"hi","duration":7}]}],` +
	`"exports":[{"destinations":[{"type":"webhook","endpoint":"https://example.com/a"},{"type":"webhook","endpoint":"https://example.com/b"}]}]}`

// success stores the files of an attempt, and returns the command that reports its success.
func (w *world) success(attempt int, worker string) commands.FinishRender {
	w.t.Helper()
	key := fmt.Sprintf("%s%d", blobkey.RendersOf(project), attempt)
	for _, key := range []string{key + ".mp4", key + ".jpg"} {
		w.must(w.files.Put(w.t.Context(), key, strings.NewReader("a file")))
	}
	return commands.FinishRender{
		Attempt: attempt, Worker: worker, Success: true,
		Plan: &movie.Dimensions{Width: 64, Height: 64, Frames: 175, FPSNum: 25, FPSDen: 1},
		File: &movie.File{Key: key + ".mp4", Thumbnail: key + ".jpg", Token: "token", Size: 6},
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// events returns the types of a stream's events, in order.
func (w *world) events(stream string) []string {
	w.t.Helper()
	var types []string
	_, err := w.log.Fold(context.Background(), stream, func(e domain.Event) { types = append(types, e.EventType()) })
	w.must(err)
	return types
}

func (w *world) wantEvents(stream string, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.events(stream)); diff != "" {
		w.t.Errorf("events of %s (-want +got):\n%s", stream, diff)
	}
}

// all returns all events of the log.
func (w *world) all() []eventstore.Recorded {
	w.t.Helper()
	var all []eventstore.Recorded
	for recorded, err := range w.store.ReadAll(context.Background(), eventstore.Forwards, eventstore.Position{}) {
		w.must(err)
		all = append(all, recorded)
	}
	return all
}

// last returns the last event of a stream; nil: the stream has none.
func (w *world) last(stream string) domain.Event {
	w.t.Helper()
	var last domain.Event
	_, err := w.log.Fold(context.Background(), stream, func(e domain.Event) { last = e })
	w.must(err)
	return last
}

// wantCredits checks the charged and the held credits of alice.
func (w *world) wantCredits(charged, held int64) {
	w.t.Helper()
	totals, err := w.ledgers.State(context.Background(), alice)
	w.must(err)
	if totals.Charged != charged || totals.Held != held {
		w.t.Errorf("charged %d, held %d, want %d and %d", totals.Charged, totals.Held, charged, held)
	}
}

func (w *world) wantFiles(want ...string) {
	w.t.Helper()
	got, err := w.files.List(context.Background(), "")
	w.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("files (-want +got):\n%s", diff)
	}
}

// kill makes every append to a stream of a category fail from now on, as if the process had ended.
func (w *world) kill(category string) {
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, stream string, _ []eventstore.Proposed) error {
		if got, _ := eventstore.SplitStream(stream); got == category {
			return errKilled
		}
		return nil
	}})
}

// restart starts a new process on the same log and files. Faults of the store and of the files end.
func (w *world) restart() {
	w.store.Inject(memory.Faults{})
	w.files.Fail(nil)
	w.ledgers.Close()
	w.ledgers = ledgers.New(w.log, w.clock)
	w.t.Cleanup(w.ledgers.Close)
}

// requireRefusal checks that an error carries a refusal.
func requireRefusal(t *testing.T, err error, want *domain.Error) {
	t.Helper()
	var got *domain.Error
	if !errors.As(err, &got) {
		t.Fatalf("error %v, want the refusal %v", err, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refusal (-want +got):\n%s", diff)
	}
}

// requireNothing checks that there was nothing to do.
func requireNothing(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("error %v, want nothing to do", err)
	}
}

// The refusals of more than one test. Spec: Errors, POST /movies.
var (
	errInsufficient = domain.Errorf(domain.Invalid, "insufficient_credits", "Insufficient credits")
	errNeverHadAny  = domain.Errorf(domain.QuotaExceeded, "not_enough_credits", "The account does not have enough credits. Add credits to continue.")
	errSuspended    = domain.Errorf(domain.Forbidden, "account_suspended",
		"account_suspended: All credits of this account have been used. Add credits to lift the suspension.")
)

// The streams that most tests look at.
var (
	movieStream  = movie.Stream(project)
	ledgerStream = ledger.Stream(alice)
)

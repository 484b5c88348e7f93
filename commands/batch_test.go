package commands_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// card is a template of a text that is shown for some seconds.
const card = `{"variables":{"name":"nobody","seconds":2},"scenes":[{"duration":"{{seconds}}","elements":[{"type":"text","text":"{{name}}"}]}]}`

const batchID = batch.ID("Batch00000000001")

func (w *world) batchHandler() commands.RequestBatchHandler {
	return commands.NewRequestBatchHandler(commands.RequestBatchConfig{Submit: w.submitHandler(), NewID: func() batch.ID { return batchID }})
}

// order reads CSV for a template.
func (w *world) order(id template.ID, csv string) batch.Order {
	w.t.Helper()
	order, err := batch.ReadCSV(string(id), false, []byte(csv))
	w.must(err)
	return order
}

func (w *world) requestBatch(order batch.Order, key string) (commands.AcceptedBatch, error) {
	return w.batchHandler().Handle(w.t.Context(), commands.RequestBatch{Account: alice, Order: order, Hash: "h", IdempotencyKey: key})
}

func (w *world) completeBatch() error {
	return commands.NewCompleteBatchHandler(w.submitHandler()).Handle(w.t.Context(), commands.CompleteBatch{Batch: batchID})
}

func (w *world) cancelBatch() error {
	_, err := commands.NewCancelBatchHandler(w.log, w.clock).Handle(w.t.Context(), commands.CancelBatch{Account: alice, Batch: batchID})
	return err
}

// batchOf folds the batch.
func (w *world) batchOf() *batch.Batch {
	w.t.Helper()
	b := batch.New()
	_, err := w.log.Fold(w.t.Context(), batch.Stream(batchID), b.Apply)
	w.must(err)
	return b
}

// movieOf folds the movie of a row.
func (w *world) movieOf(row int) *movie.Movie {
	w.t.Helper()
	m := movie.New(batch.Project(batchID, row))
	_, err := w.log.Fold(w.t.Context(), movie.Stream(batch.Project(batchID, row)), m.Apply)
	w.must(err)
	return m
}

// guests are rows of a CSV, some of which are broken.
func guests(n int, broken map[int]string) string {
	var text strings.Builder
	text.WriteString("name,seconds\n")
	for i := 1; i <= n; i++ {
		if row, is := broken[i]; is {
			text.WriteString(row + "\n")
		} else {
			_, _ = fmt.Fprintf(&text, "Guest %d,%d\n", i, 1+i%3)
		}
	}
	return text.String()
}

// The flaws of many rows fit into an event, however long the names of columns are.
func TestRequestBatch_LongColumns(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 3000)
	tests := map[string]string{
		"a text that is not UTF-8":  "name,seconds," + name + "\ngood,1,1\n" + strings.Repeat("bad,1,\xff\n", 999),
		"a value that is no number": "name,seconds," + name + "\ngood,1,1\n" + strings.Repeat("bad,1,many\n", 9),
	}
	for title, csv := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 2000)
			id := w.save("", `{"variables":{"`+name+`":2},"scenes":[{"duration":"{{`+name+`}}"}]}`)
			_, err := w.requestBatch(w.order(id, csv), "")
			w.must(err)
			requested, _ := w.batchOf().Requested()
			if flaws := requested.Flaws; len(flaws) == 0 || flaws[0].Column != strings.Repeat("n", 100)+"…" {
				t.Errorf("%d flaws: %.300v", len(flaws), flaws)
			}
		})
	}
}

// TestBatch_rows: 500 rows of which 5 are invalid make 495 movies, each once and at the price of its row, although the
// process is killed up to three times.
func TestBatch_rows(t *testing.T) {
	t.Parallel()
	broken := map[int]string{7: "x", 99: "x,1,2", 200: "x\"y,1", 321: "x,many", 500: "x,7200"}
	wantFlaws := []string{"7  csv_field_count", "99  csv_field_count", "200  csv_quotes", "321 seconds value_type", "500 seconds movie_too_long"}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 2000)
			order := w.order(w.save("", card), guests(500, broken))
			random := rand.New(rand.NewPCG(seed, 1))
			kills := 0
			once := func(do func() error) error { // runs do in a process that may be killed, and starts a new process
				var appends atomic.Int64
				last := int64(random.IntN(400))
				if kills < 3 {
					w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
						if appends.Add(1) > last {
							return errKilled
						}
						return nil
					}})
				}
				err := do()
				if err != nil {
					kills++
				}
				w.restart()
				return err
			}
			var accepted commands.AcceptedBatch
			for accepted.ID == "" {
				w.must(ignore(once(func() (err error) { accepted, err = w.requestBatch(order, "key"); return err })))
			}
			var flaws []string
			for _, f := range accepted.Requested.Flaws {
				flaws = append(flaws, fmt.Sprintf("%d %s %s", f.Row, f.Column, f.Code))
			}
			if diff := cmp.Diff(wantFlaws, flaws); diff != "" {
				t.Fatalf("flaws (-want +got):\n%s", diff)
			}
			for w.batchOf().Next() != batch.Nothing {
				w.must(ignore(once(w.completeBatch)))
			}
			w.wantBatch(accepted.Requested)
		})
	}
}

// ignore returns refusals only. It drops all other errors: they come from a process that was killed.
func ignore(err error) error {
	var refusal *domain.Error
	if err == nil || errors.As(err, &refusal) && refusal.Kind != domain.Internal {
		return err
	}
	return nil
}

// wantBatch requires that each row has its movie and its hold, once.
func (w *world) wantBatch(requested batch.Requested) {
	w.t.Helper()
	var sum int64
	for _, row := range requested.Rows {
		s, come := w.movieOf(row.Number).Submitted()
		if want := int64(1 + row.Number%3); !come || s.Held != want || row.Held != want || s.Batch != batchID || s.Row != row.Number {
			w.t.Fatalf("row %d: %+v", row.Number, s)
		}
		sum += row.Held
	}
	if len(requested.Rows) != 495 {
		w.t.Errorf("%d movies", len(requested.Rows))
	}
	w.wantCredits(0, sum)
	held := map[domain.ProjectID]int{}
	w.must(w.eachEvent(ledger.Stream(alice), func(e domain.Event) {
		if h, ok := e.(ledger.CreditsHeld); ok {
			held[h.Project]++
		}
	}))
	for project, n := range held {
		if n != 1 {
			w.t.Errorf("%s was held %d times", project, n)
		}
	}
	if len(held) != len(requested.Rows) {
		w.t.Errorf("%d holds", len(held))
	}
	if _, err := w.files.Open(w.t.Context(), blobkey.BatchRows(alice, batchID)); err == nil {
		w.t.Log("the rows are still there: the process ended before they were removed, age will")
	}
}

func (w *world) eachEvent(stream string, do func(domain.Event)) error {
	_, err := w.log.Fold(w.t.Context(), stream, do)
	return err
}

// TestBatch_oneAppend: the holds of the largest batch are one append, of less than half the bytes that a store takes.
func TestBatch_oneAppend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10_000)
	order := w.order(w.save("", card), guests(1000, nil))
	var appends, events, size int
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, stream string, proposed []eventstore.Proposed) error {
		if stream == ledger.Stream(alice) {
			appends, events = appends+1, len(proposed)
			for _, p := range proposed {
				size += len(p.Data) + len(p.Metadata)
			}
		}
		return nil
	}})
	_, err := w.requestBatch(order, "")
	w.must(err)
	t.Logf("%d bytes", size)
	if appends != 1 || events != 1000 || size > 500<<10 {
		t.Errorf("%d appends, the last of %d events, %d bytes: two such batches may share an append", appends, events, size)
	}
}

// TestRequestBatch_refused: a refused request leaves no event of a batch, no file and no hold.
func TestRequestBatch_refused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		csv      string
		all      bool
		template template.ID
		credits  int64
		code     string
		flaws    int
	}{
		"more than there is":  {csv: "seconds\n5\n6\n", credits: 10, code: "insufficient_credits"},
		"as much as there is": {csv: "seconds\n5\n5\n", credits: 10},
		"no template":         {csv: "seconds\n5\n", template: "template999999999999", credits: 10, code: "template_not_found"},
		"no good row":         {csv: "seconds\nx\ny\n", credits: 10, code: "rows_invalid", flaws: 2},
		"all or nothing":      {csv: "seconds\n1\ny\n", all: true, credits: 10, code: "rows_invalid", flaws: 1},
		"all of it":           {csv: "seconds\n1\n2\n", all: true, credits: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, tt.credits)
			id := w.save("", card)
			if tt.template != "" {
				id = tt.template
			}
			order := w.order(id, tt.csv)
			order.AllOrNothing = tt.all
			before := len(w.keys())
			_, err := w.requestBatch(order, "")
			if tt.code == "" {
				w.must(err)
				return
			}
			var flawed *commands.FlawedBatchError
			if errors.As(err, &flawed); refusalCode(err) != tt.code || tt.flaws > 0 && len(flawed.Flaws) != tt.flaws {
				t.Errorf("%v", err)
			}
			if w.batchOf().Next() != batch.Nothing || len(w.keys()) != before {
				t.Errorf("something is left: %v", w.keys())
			}
			w.wantCredits(0, 0)
		})
	}
}

func (w *world) keys() []string {
	w.t.Helper()
	keys, err := w.files.List(w.t.Context(), "")
	w.must(err)
	return keys
}

// TestRequestBatch_spentMeanwhile: when too few credits are left at the time of the hold, the whole batch is refused and
// then wound down.
func TestRequestBatch_spentMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	order := w.order(w.save("", card), "seconds\n5\n5\n")
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(ctx context.Context, stream string, events []eventstore.Proposed) error {
		if events[0].Type == "BatchRequested" {
			_, err := w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: project, Amount: 1})
			return err
		}
		return nil
	}})
	if _, err := w.requestBatch(order, "key"); refusalCode(err) != "insufficient_credits" {
		t.Errorf("%v", err)
	}
	w.wantCredits(0, 1)
	w.wait(2 * time.Minute)
	w.must(w.completeBatch())
	w.wantEvents(batch.Stream(batchID), "BatchRequested", "BatchRefused", "BatchClosed")
	w.wantEvents(movie.Stream(batch.Project(batchID, 1)))
	requireNothing(t, w.completeBatch())
}

// TestRequestBatch_refusedBeside: a request whose batch is refused to another request with the same key is refused, too.
func TestRequestBatch_refusedBeside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	order := w.order(w.save("", card), "seconds\n5\n")
	w.files.Fail(func(call, key string) error {
		if call != "put" || !strings.HasPrefix(key, blobkey.Rows.Prefix()) {
			return nil
		}
		_, err := w.log.Append(t.Context(), batch.Stream(batchID), eventstore.NoStream, eventstore.Meta{Account: alice, Time: t0},
			batch.Requested{Account: alice, At: t0}, batch.Refused{Code: "insufficient_credits", Message: "Insufficient credits", At: t0})
		return err
	})
	if _, err := w.requestBatch(order, "key"); refusalCode(err) != "insufficient_credits" {
		t.Errorf("%v", err)
	}
}

// TestRequestBatch_repeated: a retry with the same idempotency key gets the first answer; another body is refused.
func TestRequestBatch_repeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	order := w.order(w.save("", card), "seconds\n5\nx\n")
	first, err := w.requestBatch(order, "key")
	w.must(err)
	again, err := w.requestBatch(order, "key")
	w.must(err)
	if diff := cmp.Diff(first.Requested, again.Requested); diff != "" {
		t.Error(diff)
	}
	w.wantCredits(0, 5)
	_, err = w.batchHandler().Handle(t.Context(), commands.RequestBatch{Account: alice, Order: order, Hash: "other", IdempotencyKey: "key"})
	if refusalCode(err) != "idempotency_key_reused" {
		t.Errorf("another body: %v", err)
	}
}

// TestCompleteBatch_hold: CompleteBatch continues a request whose process ended before the hold, but only when the time
// limit of a request is over.
func TestCompleteBatch_hold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 10)
	id := w.save("", card)
	w.kill("ledger")
	if _, err := w.requestBatch(w.order(id, "seconds\n5\n"), ""); err == nil {
		t.Fatal("it lived")
	}
	w.restart()
	requireNothing(t, w.completeBatch())
	w.save(id, `{"scenes":[{"duration":60}]}`) // the movies are made of the template as it was requested, not of this change
	w.wait(15 * time.Second)
	w.must(w.completeBatch())
	w.wantEvents(batch.Stream(batchID), "BatchRequested", "BatchAccepted", "BatchSubmitted")
	s, _ := w.movieOf(1).Submitted()
	if s.Held != 5 || len(s.Templates) != 1 || s.Templates[0].Body == w.template(id).Body().Hash {
		t.Errorf("%+v", s)
	}
	w.wantCredits(0, 5)
	requireNothing(t, w.completeBatch())
}

// TestCancelBatch: cancelling a batch cancels the movies that were submitted, and rows without a movie never get one. All
// holds are released.
func TestCancelBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	_, err := w.requestBatch(w.order(w.save("", card), guests(6, nil)), "")
	w.must(err)
	var appends atomic.Int64
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
		if appends.Add(1) > 2 {
			return errKilled
		}
		return nil
	}})
	if err := w.completeBatch(); err == nil {
		t.Fatal("it lived")
	}
	w.restart()
	if _, err := commands.NewCancelBatchHandler(w.log, w.clock).Handle(t.Context(), commands.CancelBatch{Account: mallory, Batch: batchID}); refusalCode(err) != "batch_not_found" {
		t.Errorf("a stranger: %v", err)
	}
	w.must(w.cancelBatch())
	w.must(w.cancelBatch())
	w.must(w.completeBatch())
	ends := map[movie.Outcome]int{}
	for row := 1; row <= 6; row++ {
		ends[w.movieOf(row).Outcome()]++
		w.must(w.settleHandler().Handle(t.Context(), commands.SettleMovie{Account: alice, Project: batch.Project(batchID, row)}))
	}
	if diff := cmp.Diff(map[movie.Outcome]int{movie.WasCancelled: 2, movie.Abandoned: 4}, ends); diff != "" {
		t.Error(diff)
	}
	w.wantCredits(0, 0)
	requireNothing(t, w.completeBatch())
}

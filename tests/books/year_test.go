package books_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
	"moviola/handlers/background/chores"
	"moviola/projections"
	"moviola/projections/audit"
)

// horizon is how long the events of these tests stay in the log.
const horizon = 30 * 24 * time.Hour

// archiveFolder are archive files in memory.
type archiveFolder struct{ *commandstest.Files }

func (f archiveFolder) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return f.Files.Open(ctx, key)
}

// onlyAlice lists one account.
type onlyAlice struct{}

func (onlyAlice) Page(context.Context, projections.AccountQuery) ([]projections.Account, bool, error) {
	return []projections.Account{{Account: string(alice)}}, false, nil
}

// year is an installation that makes the same number of movies each day. Its keeper archives once a day.
type year struct {
	t       testing.TB
	now     time.Time
	plain   eventstore.Store // the log without the archive
	archive *archived.Store
	log     *eventstore.Log
	key     ed25519.PrivateKey
	chores  []chores.Chore
	next    int                 // number of the next movie
	last    eventstore.Revision // revision of the last event of alice's ledger
}

// newYear begins a year in a log whose clock is that of the year. The function files makes the storage of archive files.
func newYear(
	t testing.TB, open func(clock func() time.Time) eventstore.Store, files func(clock func() time.Time) archived.Files,
) *year {
	t.Helper()
	y := &year{t: t, now: time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC), last: eventstore.NoStream}
	clock := func() time.Time { return y.now }
	y.plain = open(clock)
	y.archive = archived.New(y.plain, files(clock), movie.StreamCategory, ledger.StreamCategory)
	y.archive.CollapseIf(func(context.Context) (bool, error) { return true, nil })
	y.log = eventstore.NewLog(y.archive, eventstore.NewCodec())
	y.key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	books := ledgers.New(y.log, clock, ledgers.SignedWith(y.key))
	t.Cleanup(books.Close)
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	y.chores = []chores.Chore{
		chores.History(chores.HistoryConfig{Archive: y.archive, Codec: y.log.Codec(), Age: horizon, Logger: logger}),
		chores.Ledgers(chores.LedgersConfig{
			Accounts: onlyAlice{}, Openings: books, Archive: y.archive, Least: chores.LeastOpened, Logger: logger,
			Age: func(context.Context, domain.AccountID) (time.Duration, error) { return horizon, nil },
		}),
	}
	return y
}

// append appends events at the end of a stream.
func (y *year) append(stream string, last eventstore.Revision, events ...domain.Event) eventstore.Revision {
	y.t.Helper()
	done, err := y.log.Append(context.Background(), stream, last, eventstore.Meta{Account: alice, Time: y.now}, events...)
	if err != nil {
		y.t.Error(err) // not Fatal: movies are appended by several goroutines
	}
	return done.Revision
}

// day makes movies, each with a hold that is changed and charged, a render and a delivery; then the keeper does its round. It
// returns how long the round took.
func (y *year) day(movies int) time.Duration {
	y.t.Helper()
	var held, settled []domain.Event
	if y.now.Day() == 1 {
		held = append(held, ledger.CreditsGranted{Reference: y.now.Format("invoice 2006-01"), Amount: 1_000_000, At: y.now})
	}
	first := y.next
	for ; y.next < first+movies; y.next++ {
		project := domain.ProjectID(fmt.Sprintf("year%012d", y.next))
		held = append(held, ledger.CreditsHeld{Project: project, Amount: 5, At: y.now})
		settled = append(settled, ledger.CreditsHoldChanged{Project: project, Attempt: 1, Before: 5, Amount: 7, At: y.now},
			ledger.CreditsCharged{Project: project, Amount: 7, At: y.now})
	}
	y.book(held)
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := first + worker; i < y.next; i += 16 {
				y.movie(domain.ProjectID(fmt.Sprintf("year%012d", i)))
			}
		})
	}
	all.Wait()
	y.book(settled)
	begun := time.Now()
	for _, chore := range y.chores {
		if err := chore.Do(context.Background(), y.now); err != nil {
			y.t.Fatalf("%s: %v", chore.Name, err)
		}
	}
	took := time.Since(begun)
	y.now = y.now.AddDate(0, 0, 1)
	return took
}

// movie appends the events of a movie.
func (y *year) movie(project domain.ProjectID) {
	y.append(movie.Stream(project), eventstore.NoStream,
		movie.Submitted{Account: alice, At: y.now}, movie.RenderStarted{Attempt: 1, Worker: "w", At: y.now},
		movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, Credits: 7, At: y.now},
		movie.DeliveryStarted{Run: 1, Worker: "w", At: y.now},
		movie.DeliveryAttempted{Run: 1, Try: 1, Final: true, Type: "webhook", Status: "ok", At: y.now},
		movie.DeliveryFinished{Run: 1, At: y.now})
}

// book appends events to alice's ledger.
func (y *year) book(events []domain.Event) {
	y.t.Helper()
	for len(events) > 0 {
		n := min(1000, len(events))
		y.last = y.append(ledger.Stream(alice), y.last, events[:n]...)
		events = events[n:]
	}
}

// counted counts the events that reads of a log give.
type counted struct {
	eventstore.Store
	events int
}

func (c *counted) ReadStream(
	ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for event, err := range c.Store.ReadStream(ctx, stream, dir, from) {
			c.events++
			if !yield(event, err) {
				return
			}
		}
	}
}

// fold asks a process that has just started what alice has, and returns how many events it read for that.
func (y *year) fold() (ledger.Totals, int) {
	y.t.Helper()
	reads := &counted{Store: y.archive}
	process := ledgers.New(eventstore.NewLog(reads, eventstore.NewCodec()), func() time.Time { return y.now }, ledgers.SignedWith(y.key))
	defer process.Close()
	totals, err := process.State(context.Background(), alice)
	if err != nil {
		y.t.Fatal(err)
	}
	return totals, reads.events
}

// TestYear: when more than the horizon has passed, the events that are in the log alone no longer grow in number, and a process
// that starts reads no more of a ledger from month to month. Nothing is lost: the audit reads every event.
func TestYear(t *testing.T) {
	t.Parallel()
	const movies, months = 8, 8
	y := newYear(t, func(clock func() time.Time) eventstore.Store { return memory.New(memory.WithClock(clock)) },
		func(clock func() time.Time) archived.Files { return archiveFolder{commandstest.NewFiles(clock)} })
	var beside, reads []int // events that no archive file has, and events that a start reads, at the ends of months
	for month := range months {
		for this := y.now.Month(); y.now.Month() == this; {
			y.day(movies)
		}
		archived, err := y.archive.Truncated(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		totals, read := y.fold()
		if want := int64(7 * y.next); totals.Charged != want || totals.Held != 0 {
			t.Fatalf("%s: charged %d and held %d, want %d and nothing", y.now, totals.Charged, totals.Held, want)
		}
		beside, reads = append(beside, 9*y.next+month+1-archived.Events), append(reads, read)
	}
	// At the end of a month the log alone has the ledger's entries of two months, and six events of each movie of 30 days.
	most := 62*movies*3 + 31*movies*6 + 20
	for i := 2; i < months; i++ {
		if beside[i] > most || reads[i] > 62*movies*3+20 {
			t.Errorf("month %d: %d events are in the log alone, and a start reads %d; at most %d and %d are expected",
				i+1, beside[i], reads[i], most, 62*movies*3+20)
		}
	}
	report, err := audit.Run(t.Context(), audit.Config{Store: y.archive, Codec: eventstore.NewCodec(), Key: y.key.Public().(ed25519.PublicKey)})
	if err != nil || report.Difference != nil || report.Openings != 1 || report.Entries != int64(3*y.next+months) {
		t.Errorf("the audit: %+v, %v, %v", report, report.Difference, err)
	}
}

package books_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/projections/audit"
)

const (
	historyEnv   = "MOVIOLA_BENCH_HISTORY"
	fullHistory  = 1_000_000           // past renders of the hot account
	auditMovies  = 20_000              // renders in the log that is audited
	perAppend    = 2000                // entries appended together
	historySpan  = 85 * 24 * time.Hour // over which the renders are spread
	holdsTimed   = 300
	startsTimed  = 10
	appendersNow = 48
)

// BenchmarkLedger measures what a hold costs an account with a long history beside a new one, warm and after a start, and how fast a log
// is audited beside how fast it can be read. CPU times are those of this process, in which the event store runs too.
func BenchmarkLedger(b *testing.B) {
	renders := fullHistory
	if text := os.Getenv(historyEnv); text != "" {
		var err error
		if renders, err = strconv.Atoi(text); err != nil {
			b.Fatalf("%s: %v", historyEnv, err)
		}
	}
	for b.Loop() {
		fmt.Printf("\n%-52s %12s %12s\n", "", "wall", "CPU")
		holds(b, renders)
		audits(b)
	}
}

// openLog opens an event store of this process and the official client to it.
func openLog(b *testing.B) *eventstore.Log {
	b.Helper()
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	server, err := embedded.Open(embedded.Config{Dir: b.TempDir(), Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	client, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr(), Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := client.Close(ctx); err != nil {
			b.Error(err)
		}
		if err := server.Close(ctx); err != nil {
			b.Error(err)
		}
		<-served
	})
	return eventstore.NewLog(client, eventstore.NewCodec())
}

func projectAt(kind string, n int) domain.ProjectID {
	return domain.ProjectID(fmt.Sprintf("%s%0*d", kind, 16-len(kind), n))
}

// past puts renders into an account's ledger, spread over a time that ends now.
func past(b *testing.B, log *eventstore.Log, account domain.AccountID, renders int) {
	b.Helper()
	stream := ledger.Stream(account)
	last, err := log.Last(b.Context(), stream)
	begin := time.Now().Add(-historySpan)
	var events []domain.Event
	flush := func() {
		if err == nil && len(events) > 0 {
			last, err = log.Append(b.Context(), stream, last.Revision, eventstore.Meta{Account: account, Time: begin}, events...)
		}
		events = events[:0]
	}
	events = append(events, ledger.CreditsGranted{Reference: "opening", Amount: 1_000_000_000, At: begin})
	for i := range renders {
		at := begin.Add(historySpan * time.Duration(i) / time.Duration(renders))
		events = append(events, ledger.CreditsHeld{Project: projectAt("h", i), Amount: 2, At: at},
			ledger.CreditsCharged{Project: projectAt("h", i), Amount: 2, At: at.Add(time.Minute)})
		if len(events) >= perAppend {
			flush()
		}
	}
	flush()
	if err != nil {
		b.Fatal(err)
	}
}

// holds measures holds on a new and on a hot account.
func holds(b *testing.B, renders int) {
	b.Helper()
	log := openLog(b)
	hot := "an account with " + strconv.Itoa(renders) + " renders"
	past(b, log, "new", 0)
	past(b, log, "hot", renders)
	warm := ledgers.New(log, time.Now)
	measure(fmt.Sprintf("fold %s without snapshot", hot), 1, func(int) { state(b, warm, "hot") })
	if err := warm.Snapshot(b.Context(), "hot"); err != nil {
		b.Fatal(err)
	}
	state(b, warm, "new")
	for name, account := range map[string]domain.AccountID{"a new account": "new", hot: "hot"} {
		measure("hold on "+name, holdsTimed, func(i int) { hold(b, warm, account, projectAt("w", i)) })
	}
	warm.Close()
	for name, account := range map[string]domain.AccountID{"a new account": "new", hot: "hot"} {
		measure("first hold after a start, on "+name, startsTimed, func(i int) {
			fresh := ledgers.New(log, time.Now)
			defer fresh.Close()
			hold(b, fresh, account, projectAt("f", i))
		})
	}
}

func state(b *testing.B, books *ledgers.Ledgers, account domain.AccountID) {
	b.Helper()
	_, err := books.State(b.Context(), account)
	for errors.Is(err, context.DeadlineExceeded) { // a ledger that takes longer to fold than anybody waits is folded on by the next
		_, err = books.State(b.Context(), account)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func hold(b *testing.B, books *ledgers.Ledgers, account domain.AccountID, project domain.ProjectID) {
	b.Helper()
	if _, err := books.Hold(b.Context(), ledgers.Hold{Account: account, Project: project, Amount: 1}); err != nil {
		b.Fatal(err)
	}
}

// spent is what something takes.
type spent struct{ wall, cpu time.Duration }

func (s spent) least(o spent) spent { return spent{min(s.wall, o.wall), min(s.cpu, o.cpu)} }

// measure prints what one of n runs takes, and returns what all of them do.
func measure(what string, n int, do func(i int)) spent {
	before, began := cpu(), time.Now()
	for i := range n {
		do(i)
	}
	wall, used := time.Since(began), cpu()-before
	fmt.Printf("%-52s %12s %12s\n", what, (wall / time.Duration(n)).Round(time.Microsecond), (used / time.Duration(n)).Round(time.Microsecond))
	return spent{wall, used}
}

// cpu is the processor time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// audits measures an audit beside a read of the same log.
func audits(b *testing.B) {
	b.Helper()
	log := openLog(b)
	audited(b, log)
	var events int
	read := func(int) {
		events = 0
		for _, err := range log.Store().ReadAll(b.Context(), eventstore.Forwards, eventstore.Position{}) {
			if err != nil {
				b.Fatal(err)
			}
			events++
		}
	}
	read(0) // what is read the first time comes from the disk
	best, bestAudit := spent{time.Hour, time.Hour}, spent{time.Hour, time.Hour}
	for range 3 { // by turns, so that both have the same machine
		best = best.least(measure("read $all", 1, read))
		bestAudit = bestAudit.least(measure("audit", 1, func(int) {
			report, err := audit.Run(b.Context(), audit.Config{Store: log.Store(), Codec: log.Codec()})
			if err != nil || report.Difference != nil || report.Events != int64(events) {
				b.Fatalf("report %+v, %v", report, err)
			}
		}))
	}
	share := 100 * best.wall.Seconds() / bestAudit.wall.Seconds()
	fmt.Printf("%d events: read at %.0f events/s, audited at %.0f %% of that; the audit takes %.0f %% of the processor time more\n",
		events, float64(events)/best.wall.Seconds(), share, 100*(bestAudit.cpu.Seconds()/best.cpu.Seconds()-1))
	b.ReportMetric(share, "%ofread")
}

// audited puts whole movies into a log: entries, submissions, renders and deliveries.
func audited(b *testing.B, log *eventstore.Log) {
	b.Helper()
	past(b, log, "other", 0)
	at := time.Now()
	meta := eventstore.Meta{Account: "other", Time: at}
	stream := ledger.Stream("other")
	last, err := log.Last(b.Context(), stream)
	spend := func(from int, event func(p domain.ProjectID) domain.Event) {
		events := make([]domain.Event, 0, perAppend)
		for i := range min(perAppend, auditMovies-from) {
			events = append(events, event(projectAt("a", from+i)))
		}
		if err == nil {
			last, err = log.Append(b.Context(), stream, last.Revision, meta, events...)
		}
	}
	for from := 0; from < auditMovies && err == nil; from += perAppend {
		spend(from, func(p domain.ProjectID) domain.Event { return ledger.CreditsHeld{Project: p, Amount: 2, At: at} })
		var next atomic.Int64
		var all sync.WaitGroup
		for range appendersNow {
			all.Go(func() {
				for i := int(next.Add(1)) - 1; i < min(perAppend, auditMovies-from); i = int(next.Add(1)) - 1 {
					_, failed := log.Append(b.Context(), movie.Stream(projectAt("a", from+i)), eventstore.NoStream, meta,
						movie.Submitted{Account: "other", DocumentHash: "0123456789abcdef", At: at}, movie.RenderStarted{Attempt: 1, Worker: "w", At: at},
						movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, Credits: 2, Plan: &plan, File: &movie.File{Key: "k"}, At: at},
						movie.DeliveryStarted{Run: 1, Worker: "w", At: at}, movie.DeliveryFinished{Run: 1, At: at})
					if failed != nil {
						b.Error(failed)
						return
					}
				}
			})
		}
		all.Wait()
		spend(from, func(p domain.ProjectID) domain.Event { return ledger.CreditsCharged{Project: p, Amount: 2, At: at} })
	}
	if err != nil {
		b.Fatal(err)
	}
}

package projections_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"moviola/adapters/sqlite"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// BenchmarkReader measures replaying a log into a new file, in events per second.
func BenchmarkReader(b *testing.B) {
	const movies = 4000
	store := memory.New()
	log := eventstore.NewLog(store, eventstore.NewCodec())
	fill(b, log, movies)
	last, err := lastOf(b.Context(), store)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		models := openAt(b, log)
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() { ended <- models.Reader.Run(ctx) }()
		if err := models.Reader.WaitFor(ctx, last.Position); err != nil {
			b.Fatal(err)
		}
		cancel()
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*movies*4)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRebuild measures Rebuild of a whole log beside read models that are current, in events per second. The variable
// MOVIOLA_BENCH_HISTORY sets the number of movies, eleven events each.
func BenchmarkRebuild(b *testing.B) {
	movies := 10_000
	if text := os.Getenv("MOVIOLA_BENCH_HISTORY"); text != "" {
		var err error
		if movies, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	store := memory.New()
	log := eventstore.NewLog(store, eventstore.NewCodec())
	last, events := deliver(b, log, movies)
	models := openAt(b, log)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- models.Reader.Run(ctx) }()
	if err := models.Reader.WaitFor(ctx, last.Position); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := models.Reader.Rebuild(ctx, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
	cancel()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}

// deliver appends the lives of movies of 20 accounts: submitted, fetched, rendered, charged, delivered, and in the end removed. As
// many as 30 are in work at the same time. It returns the last event, and the number of events.
func deliver(b *testing.B, log *eventstore.Log, movies int) (last eventstore.Appended, events int) {
	b.Helper()
	ledgers := make(map[domain.AccountID]eventstore.Revision)
	add := func(account domain.AccountID, stream string, at eventstore.Revision, more ...domain.Event) eventstore.Revision {
		appended, err := log.Append(b.Context(), stream, at, eventstore.Meta{Account: account, Time: t0}, more...)
		if err != nil {
			b.Fatal(err)
		}
		events += len(more)
		last = appended
		return appended.Revision
	}
	spend := func(account domain.AccountID, event domain.Event) {
		at, known := ledgers[account]
		if !known {
			at = eventstore.NoStream
		}
		ledgers[account] = add(account, ledger.Stream(account), at, event)
	}
	const together = 30
	for n := range movies + together {
		if n < movies {
			account, id, now := scattered(n), scatteredProject(n), minute(n)
			spend(account, ledger.CreditsHeld{Project: id, Amount: 2, At: now})
			asked := submitted(account, now)
			asked.Sources, asked.Destinations, asked.Terms = true, 1, []string{"0123456789abcdef0123456789abcdef"}
			add(account, movie.Stream(id), eventstore.NoStream, asked, movie.SourcesFetchStarted{Attempt: 1, Worker: "w", At: now},
				movie.SourcesFetched{Attempt: 1, At: now}, movie.RenderStarted{Attempt: 1, Worker: "w", At: now})
		}
		if done := n - together; done >= 0 {
			account, id, now := scattered(done), scatteredProject(done), minute(n)
			spend(account, ledger.CreditsCharged{Project: id, Amount: 2, At: now})
			add(account, movie.Stream(id), 3, movie.RenderFinished{Attempt: 1, Worker: "w", At: now, Success: true, Credits: 2,
				Plan: &movie.Dimensions{Width: 1920, Height: 1080, FPSNum: 25, FPSDen: 1, Frames: 250},
				File: &movie.File{Key: "videos/" + string(id), Size: 1 << 20, FrameRate: 25}},
				movie.DeliveryStarted{Run: 1, Worker: "w", At: now},
				movie.DeliveryAttempted{Run: 1, Try: 1, Final: true, Type: "webhook", Status: movie.DeliveryOK, HTTPStatus: 200, At: now},
				movie.DeliveryFinished{Run: 1, At: now},
				movie.FileDeleted{Reason: movie.Expired, At: now.Add(7 * 24 * time.Hour)})
		}
	}
	return last, events
}

func scattered(n int) domain.AccountID { return domain.AccountID(fmt.Sprintf("account%09d", n%20)) }

// scatteredProject returns the id of the n-th movie: in no order, as ids are.
func scatteredProject(n int) domain.ProjectID {
	return domain.ProjectID(fmt.Sprintf("%016x", uint64(n+1)*0x9E3779B97F4A7C15))
}

// BenchmarkCandidates measures the work queue's look at a backlog of 20 accounts with 1,000 movies each.
func BenchmarkCandidates(b *testing.B) {
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	var last eventstore.Appended
	for n := range 20_000 {
		account := domain.AccountID(fmt.Sprintf("account%02d", n%20))
		last = mustAppend(b, log, movie.Stream(project(n)), eventstore.NoStream, submitted(account, minute(n)))
	}
	models := openAt(b, log)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go func() { _ = models.Reader.Run(ctx) }()
	if err := models.Reader.WaitFor(ctx, last.Position); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		items, err := models.Work.Candidates(ctx, projections.WorkRender, minute(1<<20), 2)
		if err != nil || len(items) != 40 {
			b.Fatalf("%d candidates, %v", len(items), err)
		}
	}
}

func openAt(b *testing.B, log *eventstore.Log) *projections.ReadModels {
	b.Helper()
	docs, err := sqlite.Open(filepath.Join(b.TempDir(), "read.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = docs.Close() })
	models, err := projections.Open(b.Context(), projections.Config{Documents: docs, Log: log, Project: true})
	if err != nil {
		b.Fatal(err)
	}
	return models
}

// fill appends four events for each of many movies of one account.
func fill(b *testing.B, log *eventstore.Log, movies int) {
	b.Helper()
	for n := range movies {
		id := project(n)
		mustAppend(b, log, ledger.Stream(alice), eventstore.Revision(n-1), ledger.CreditsHeld{Project: id, Amount: 1, At: t0})
		mustAppend(b, log, movie.Stream(id), eventstore.NoStream, submitted(alice, minute(n)),
			movie.RenderStarted{Attempt: 1, Worker: "w", At: minute(n)},
			movie.RenderFinished{Attempt: 1, Worker: "w", At: minute(n), Success: true, File: &movie.File{Key: "k"}, Plan: &movie.Dimensions{Frames: 25}})
	}
}

func mustAppend(b *testing.B, log *eventstore.Log, stream string, at eventstore.Revision, events ...domain.Event) eventstore.Appended {
	b.Helper()
	appended, err := log.Append(b.Context(), stream, at, eventstore.Meta{Account: alice, Time: time.Now()}, events...)
	if err != nil {
		b.Fatal(err)
	}
	return appended
}

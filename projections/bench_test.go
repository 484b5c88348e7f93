package projections_test

import (
	"context"
	"fmt"
	"path/filepath"
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
			movie.RenderFinished{Attempt: 1, Worker: "w", At: minute(n), Success: true, File: &movie.File{Key: "k"}, Plan: &movie.Plan{Frames: 25}})
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

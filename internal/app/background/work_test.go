package background

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"moviola/adapters/sqlite"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/internal/app/parts"
	"moviola/projections"
)

// TestClosedForWork: a process takes no work before its read models have reached the end of the log. Decision 86.
func TestClosedForWork(t *testing.T) {
	t.Parallel()
	docs, err := sqlite.Open(filepath.Join(t.TempDir(), "read.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := docs.Close(); err != nil {
			t.Error(err)
		}
	})
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	_, err = log.Append(t.Context(), movie.Stream("project000000001"), eventstore.NoStream, eventstore.Meta{},
		movie.Submitted{Account: domain.AccountID("aliceaccount0000"), At: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	models, err := projections.Open(t.Context(), projections.Config{Documents: docs, Log: log, Project: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &Background{Parts: &parts.Parts{Models: models}}
	if !s.closedForWork(projections.WorkDeliver) {
		t.Error("work is taken from a list that was not read yet")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	reading, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- models.Reader.Run(reading) }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !models.Reader.Status().CaughtUp {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the read models never reached the end of the log")
		}
	}
	if s.closedForWork(projections.WorkDeliver) {
		t.Error("no work is taken although the list is complete")
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

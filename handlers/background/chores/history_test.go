package chores_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
	"moviola/handlers/background/chores"
)

// historyFiles are archive files in memory.
type historyFiles struct{ *commandstest.Files }

func (f historyFiles) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return f.Files.Open(ctx, key)
}

// TestHistory archives movies that have ended and are old, no others, and says so once.
func TestHistory(t *testing.T) {
	t.Parallel()
	now := written
	store := memory.New(memory.WithClock(func() time.Time { return now }))
	files := historyFiles{commandstest.NewFiles(func() time.Time { return now })}
	archive := archived.New(store, files, movie.StreamCategory)
	log := eventstore.NewLog(archive, eventstore.NewCodec())
	failed := movie.RenderFinished{Attempt: 1, Success: false, Message: "no", At: now}
	histories := map[string][]domain.Event{
		"failed":    {movie.Submitted{Account: "a", At: now}, movie.RenderStarted{Attempt: 1}, failed},
		"cancelled": {movie.Submitted{Account: "a", At: now}, movie.Cancelled{At: now}},
		"abandoned": {movie.SubmissionAbandoned{Account: "a", At: now}},
		"waiting":   {movie.Submitted{Account: "a", At: now}},
		"running":   {movie.Submitted{Account: "a", At: now}, movie.RenderStarted{Attempt: 1}},
		"timed out": {movie.Submitted{Account: "a", At: now}, movie.RenderStarted{Attempt: 1}, movie.RenderTimedOut{At: now}},
	}
	for project, events := range histories {
		if _, err := log.Append(t.Context(), movie.Stream(domain.ProjectID(project)), eventstore.NoStream, eventstore.Meta{Time: now}, events...); err != nil {
			t.Fatal(err)
		}
	}
	logged := 0
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	logger.AddHook(counting{&logged})
	chore := chores.History(archive, log.Codec(), 48*time.Hour, logger)
	for _, step := range []struct {
		after time.Duration
		files int
	}{{47 * time.Hour, 0}, {49 * time.Hour, 1}, {60 * time.Hour, 1}} {
		if err := chore.Do(t.Context(), now.Add(step.after)); err != nil {
			t.Fatal(err)
		}
		if keys, err := files.List(t.Context(), "history/2026-11/"); err != nil || len(keys) != step.files {
			t.Errorf("after %s the files %v, %v", step.after, keys, err)
		}
	}
	if logged != 1 {
		t.Errorf("said %d times", logged)
	}
	for project, events := range histories {
		stream := movie.Stream(domain.ProjectID(project))
		inLog, all := 0, 0
		for _, err := range store.ReadStream(t.Context(), stream, eventstore.Forwards, 0) {
			if inLog++; err != nil {
				t.Fatal(err)
			}
		}
		if _, err := log.Fold(t.Context(), stream, func(domain.Event) { all++ }); err != nil {
			t.Fatal(err)
		}
		want := len(events)
		if project == "failed" || project == "cancelled" || project == "timed out" {
			want = 1
		}
		if got := fmt.Sprint(inLog, all); got != fmt.Sprint(want, len(events)) {
			t.Errorf("%s: %s events in the log and in all, want %d and %d", project, got, want, len(events))
		}
	}
}

// counting counts lines.
type counting struct{ lines *int }

func (c counting) Levels() []logrus.Level { return logrus.AllLevels }

func (c counting) Fire(*logrus.Entry) error { *c.lines++; return nil }

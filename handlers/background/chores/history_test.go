package chores_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/domain/plan"
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
	chore := chores.History(chores.HistoryConfig{Archive: archive, Codec: log.Codec(), Age: 48 * time.Hour, Logger: logger})
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

// TestHistory_plans: an age of the account's plan takes precedence over that of the installation, also when the
// installation keeps all events.
func TestHistory_plans(t *testing.T) {
	t.Parallel()
	plans := map[domain.AccountID]plan.Plan{
		"short": {Name: "short", History: plan.History(24 * time.Hour)}, "keeps": {Name: "keeps", History: plan.Forever}, "plain": {Name: "plain"},
	}
	for _, c := range []struct {
		installation time.Duration
		after        time.Duration
		want         string // how many events the log has of a movie of each account
	}{
		{0, 23 * time.Hour, "short 2 keeps 2 plain 2"},
		{0, 25 * time.Hour, "short 1 keeps 2 plain 2"},
		{0, 1000 * time.Hour, "short 1 keeps 2 plain 2"},
		{48 * time.Hour, 25 * time.Hour, "short 1 keeps 2 plain 2"},
		{48 * time.Hour, 49 * time.Hour, "short 1 keeps 2 plain 1"},
		{2 * time.Hour, 3 * time.Hour, "short 2 keeps 2 plain 1"},
	} {
		now := written
		store := memory.New(memory.WithClock(func() time.Time { return now }))
		archive := archived.New(store, historyFiles{commandstest.NewFiles(func() time.Time { return now })}, movie.StreamCategory)
		log := eventstore.NewLog(archive, eventstore.NewCodec())
		for account := range plans {
			_, err := log.Append(t.Context(), movie.Stream(domain.ProjectID(account)), eventstore.NoStream, eventstore.Meta{Time: now},
				movie.Submitted{Account: account, At: now}, movie.Cancelled{At: now})
			if err != nil {
				t.Fatal(err)
			}
		}
		logger := logrus.New()
		logger.SetOutput(io.Discard)
		chore := chores.History(chores.HistoryConfig{
			Archive: archive, Codec: log.Codec(), Age: c.installation, Plans: []plan.Plan{plans["short"], plans["keeps"]}, Logger: logger,
			PlanOf: func(_ context.Context, account domain.AccountID) (plan.Plan, error) { return plans[account], nil },
		})
		for range 2 {
			if err := chore.Do(t.Context(), now.Add(c.after)); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, account := range []string{"short", "keeps", "plain"} {
			n := 0
			for range store.ReadStream(t.Context(), movie.Stream(domain.ProjectID(account)), eventstore.Forwards, 0) {
				n++
			}
			got = append(got, fmt.Sprint(account, " ", n))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("--history %s, after %s: %s, want %s", c.installation, c.after, text, c.want)
		}
	}
}

// counting counts lines.
type counting struct{ lines *int }

func (c counting) Levels() []logrus.Level { return logrus.AllLevels }

func (c counting) Fire(*logrus.Entry) error { *c.lines++; return nil }

package chores_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/handlers/background/chores"
	"moviola/projections"
)

func silent() logrus.FieldLogger {
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	return logger
}

// TestChores_Run: the first round comes soon, the others a day apart, whatever goes wrong, and none after the end.
func TestChores_Run(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		soon := 0
		var rounds []time.Duration
		all, err := chores.New(chores.Config{Logger: silent(), Chores: []chores.Chore{
			{Name: "first", Soon: true, Do: func(_ context.Context, now time.Time) error {
				if soon++; soon == 1 && !now.Equal(start) {
					t.Errorf("done first at %v", now)
				}
				return nil
			}},
			{Name: "broken", Do: func(context.Context, time.Time) error { return errors.New("disk full") }},
			{Name: "other", Do: func(_ context.Context, now time.Time) error {
				if !now.Equal(time.Now()) {
					t.Errorf("told %v", now)
				}
				rounds = append(rounds, now.Sub(start))
				return nil
			}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 75*time.Hour)
		defer cancel()
		if err := all.Run(ctx); err != nil {
			t.Errorf("ended with %v", err)
		}
		if soon != 5 {
			t.Errorf("the chore that is also done at the start was done %d times", soon)
		}
		if len(rounds) != 4 || rounds[0] != 10*time.Minute {
			t.Fatalf("rounds after %v", rounds)
		}
		for i := 1; i < len(rounds); i++ {
			if gap := rounds[i] - rounds[i-1]; gap < 21*time.Hour || gap > 24*time.Hour {
				t.Errorf("%v between two rounds", gap)
			}
		}
	})
}

func TestTidy(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var got time.Time
	chore := chores.Tidy("x", time.Hour, func(_ context.Context, before time.Time) error { got = before; return errors.New("no") })
	if err := chore.Do(t.Context(), now); err == nil || !got.Equal(now.Add(-time.Hour)) {
		t.Errorf("before %v, error %v", got, err)
	}
}

// movies are records by project; others are unknown.
type movies struct {
	records map[domain.ProjectID]projections.Movie
	asked   int
	fails   error
}

func (m *movies) Get(_ context.Context, project domain.ProjectID) (projections.Movie, bool, error) {
	m.asked++
	found, ok := m.records[project]
	return found, ok, m.fails
}

// store has files that were written at a time.
func store(t *testing.T, at time.Time, keys ...string) *commandstest.Files {
	t.Helper()
	files := commandstest.NewFiles(func() time.Time { return at })
	for _, key := range keys {
		if err := files.Put(t.Context(), key, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func wantFiles(t *testing.T, files *commandstest.Files, want ...string) {
	t.Helper()
	got, err := files.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

var written = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// TestDocuments removes what is a day old and has no movie. Design §4.
func TestDocuments(t *testing.T) {
	t.Parallel()
	keys := []string{"movies/a/known.json", "movies/a/lost.json", "movies/a/other.txt", "other/lost.json"}
	files := store(t, written, keys...)
	known := &movies{records: map[domain.ProjectID]projections.Movie{"known": {Project: "known"}}}
	chore := chores.Documents(files, known)
	do := func(now time.Time) {
		t.Helper()
		if err := chore.Do(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	do(written.Add(24 * time.Hour)) // not yet
	wantFiles(t, files, keys...)
	known.fails = errors.New("read models away")
	if err := chore.Do(t.Context(), written.Add(25*time.Hour)); err == nil {
		t.Error("did not say what is wrong")
	}
	wantFiles(t, files, keys...)
	known.fails = nil
	do(written.Add(25 * time.Hour))
	wantFiles(t, files, "movies/a/known.json", "movies/a/other.txt", "other/lost.json")
	known.asked = 0
	do(written.Add(49 * time.Hour))
	if known.asked > 0 {
		t.Errorf("asked %d times for what was found before", known.asked)
	}
}

// TestRenders removes what no record names, of movies that are closed or unknown. Design §8.
func TestRenders(t *testing.T) {
	t.Parallel()
	file := &movie.File{Key: "renders/done/2.mp4", Thumbnail: "renders/done/2.jpg", Subtitles: "renders/done/2.ass"}
	gone := &movie.File{Key: "renders/gone/1.mp4"}
	records := &movies{records: map[domain.ProjectID]projections.Movie{
		"done":    {Project: "done", Closed: true, File: file},
		"gone":    {Project: "gone", Closed: true, File: gone, Gone: true},
		"failed":  {Project: "failed", Closed: true},
		"running": {Project: "running"},
	}}
	keys := []string{
		"renders/done/1.mp4", "renders/done/2.ass", "renders/done/2.jpg", "renders/done/2.mp4", "renders/failed/1.mp4", "renders/gone/1.mp4",
		"renders/other", "renders/running/1.mp4", "renders/unknown/1.mp4",
	}
	files := store(t, written, keys...)
	chore := chores.Renders(files, records)
	if err := chore.Do(t.Context(), written.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, files, keys...)
	files.Fail(func(call, _ string) error {
		if call == "delete" {
			return errors.New("read only")
		}
		return nil
	})
	if err := chore.Do(t.Context(), written.Add(2*time.Hour)); err == nil {
		t.Error("did not say what is wrong")
	}
	files.Fail(nil)
	if err := chore.Do(t.Context(), written.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, files, "renders/done/2.ass", "renders/done/2.jpg", "renders/done/2.mp4", "renders/other", "renders/running/1.mp4")
}

// TestStrays_tooMany: with another event store than the one the files belong to, nothing is removed.
func TestStrays_tooMany(t *testing.T) {
	t.Parallel()
	var keys []string
	for n := range 101 {
		keys = append(keys, fmt.Sprintf("movies/a/lost%03d.json", n), fmt.Sprintf("renders/lost%03d/1.mp4", n))
	}
	slices.Sort(keys)
	files := store(t, written, keys...)
	nobody := &movies{}
	for _, chore := range []chores.Chore{chores.Documents(files, nobody), chores.Renders(files, nobody)} {
		if err := chore.Do(t.Context(), written.Add(48*time.Hour)); err == nil {
			t.Errorf("%s: said nothing", chore.Name)
		}
	}
	wantFiles(t, files, keys...)
	if err := files.Delete(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	if err := chores.Documents(files, nobody).Do(t.Context(), written.Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if left, err := files.List(t.Context(), "movies/"); err != nil || len(left) > 0 {
		t.Errorf("left %d documents, %v", len(left), err)
	}
}

// TestStrays_mostOfMany: more strays than one round removes are all held against the files of movies.
func TestStrays_mostOfMany(t *testing.T) {
	t.Parallel()
	files, known := storedFiles{}, &movies{records: map[domain.ProjectID]projections.Movie{}}
	for n := range 10_100 {
		known.records[domain.ProjectID(fmt.Sprintf("known%d", n))] = projections.Movie{}
		files[fmt.Sprintf("renders/known%d/1.mp4", n)] = written
		files[fmt.Sprintf("renders/lost%d/1.mp4", n)] = written
		files[fmt.Sprintf("renders/lost%d/2.mp4", n)] = written
	}
	if err := chores.Renders(files, known).Do(t.Context(), written.Add(48*time.Hour)); err == nil || len(files) != 3*10_100 {
		t.Errorf("left %d files, %v", len(files), err)
	}
	for n := range 10_100 {
		delete(files, fmt.Sprintf("renders/lost%d/2.mp4", n))
	}
	if err := chores.Renders(files, known).Do(t.Context(), written.Add(48*time.Hour)); err != nil || len(files) != 10_200 {
		t.Errorf("left %d files, %v", len(files), err)
	}
}

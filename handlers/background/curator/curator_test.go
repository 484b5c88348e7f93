package curator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/curator"
	"moviola/projections"
)

// shelves notes what it is asked for.
type shelves struct {
	installed []string
	exhibited []domain.ProjectID
	fails     error
}

func (s *shelves) Install(_ context.Context, b templates.BuiltIn) error {
	s.installed = append(s.installed, b.Name)
	return s.fails
}

func (s *shelves) Exhibit(_ context.Context, project domain.ProjectID, _ movie.File) (eventstore.Position, error) {
	s.exhibited = append(s.exhibited, project)
	return eventstore.Position{}, commands.ErrNothingToDo
}

// movies are those of the account of the library.
type movies []projections.Movie

func (m *movies) List(_ context.Context, list projections.MovieList) (projections.MoviePage, error) {
	if list.Account != commands.LibraryAccount {
		return projections.MoviePage{}, errors.New("another account's movies")
	}
	rest := *m
	if list.MovieCursor != nil {
		after := slices.IndexFunc(rest, func(m projections.Movie) bool { return m.Project == string(list.Project) })
		rest = rest[after+1:]
	}
	if len(rest) <= list.Limit {
		return projections.MoviePage{Movies: rest}, nil
	}
	next := rest[list.Limit-1].Cursor()
	return projections.MoviePage{Movies: rest[:list.Limit], More: true, Next: &next}, nil
}

func newCurator(s *shelves, m *movies) *curator.Curator {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return curator.New(curator.Config{Library: s, Movies: m, BuiltIn: []templates.BuiltIn{{Name: "a"}, {Name: "b"}}, Log: log})
}

// TestCurator_Round installs every template, and lists finished examples whose files still exist.
func TestCurator_Round(t *testing.T) {
	t.Parallel()
	file := &movie.File{Key: "k"}
	m := movies{
		{Project: "waiting"}, {Project: "done", Closed: true, File: file}, {Project: "failed", Closed: true}, {Project: "expired", Closed: true, File: file, Gone: true},
	}
	s := &shelves{}
	c := newCurator(s, &m)
	open, err := c.Round(t.Context())
	if err != nil || !open {
		t.Errorf("open %v, %v", open, err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, s.installed); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]domain.ProjectID{"done"}, s.exhibited); diff != "" {
		t.Errorf("exhibited (-want +got):\n%s", diff)
	}
	m, s.fails = m[1:], errors.New("the store is away")
	if open, err = c.Round(t.Context()); !errors.Is(err, s.fails) || open {
		t.Errorf("open %v, %v", open, err)
	}
}

// TestCurator_Round_manyMovies: an example is listed, and one that is being rendered is seen, behind many newer movies, but not
// behind any number of them.
func TestCurator_Round_manyMovies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		newer int
		found bool
	}{{99, true}, {100, true}, {250, true}, {998, true}, {1000, false}} {
		var m movies
		for i := range tt.newer {
			m = append(m, projections.Movie{Project: fmt.Sprint("failed", i), Closed: true})
		}
		m = append(m, projections.Movie{Project: "done", Closed: true, File: &movie.File{Key: "k"}}, projections.Movie{Project: "waiting"})
		s := &shelves{}
		open, err := newCurator(s, &m).Round(t.Context())
		if found := slices.Equal(s.exhibited, []domain.ProjectID{"done"}); err != nil || found != tt.found || open != tt.found {
			t.Errorf("behind %d movies: exhibited %q, open %v, %v", tt.newer, s.exhibited, open, err)
		}
	}
}

// TestCurator_Run looks again and again, whatever fails, until it is told to end.
func TestCurator_Run(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelves{fails: errors.New("the store is away")}
		m := movies{{Project: "waiting"}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- newCurator(s, &m).Run(ctx) }()
		time.Sleep(12 * time.Second) // of the bubble's own clock
		synctest.Wait()
		if len(s.installed) != 6 {
			t.Errorf("%d templates in three rounds", len(s.installed))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

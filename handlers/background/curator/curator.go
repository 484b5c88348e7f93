// Package curator installs the templates of the program into the template library, and lists each template when its
// example is rendered. It does so in rounds, so that a later round completes an interrupted installation, also in another
// process.
package curator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// The time that the curator waits between two rounds: soon while examples are being rendered, later otherwise.
const (
	soon  = 5 * time.Second
	later = time.Minute
)

// mostMovies is the number of the newest movies of the library's account among which examples are looked for; pageSize is the
// number of movies in one page.
const (
	mostMovies = 1000
	pageSize   = 100
)

// TemplateLibrary are the commands that change the template library.
type TemplateLibrary interface {
	Install(ctx context.Context, b templates.BuiltIn) error
	Exhibit(ctx context.Context, project domain.ProjectID, file movie.File) (eventstore.Position, error)
}

// Movies lists the movies of an account, newest first.
type Movies interface {
	List(ctx context.Context, list projections.MovieList) (projections.MoviePage, error)
}

// Config is what New needs. Every field is required.
type Config struct {
	Library TemplateLibrary
	Movies  Movies
	BuiltIn []templates.BuiltIn // templates to install; empty: only templates that operators publish are listed
	Log     logrus.FieldLogger
}

// Curator keeps the template library up to date.
type Curator struct{ cfg Config }

// New returns a curator.
func New(cfg Config) *Curator { return &Curator{cfg} }

// Run keeps the template library up to date until ctx ends, and then returns nil. It retries after errors.
func (c *Curator) Run(ctx context.Context) error {
	wait := time.Second
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		open, err := c.Round(ctx)
		if err != nil && ctx.Err() == nil {
			c.cfg.Log.WithError(err).Warn("template library not fully installed; trying again")
		}
		if wait = later; open {
			wait = soon
		}
	}
}

// Round installs templates that are missing or out of date, and puts into the template library those whose examples are
// ready. open is true when it has found an example that is still being rendered.
func (c *Curator) Round(ctx context.Context) (open bool, err error) {
	var problems []error
	for _, b := range c.cfg.BuiltIn {
		if err := c.cfg.Library.Install(ctx, b); err != nil {
			problems = append(problems, fmt.Errorf("install template %s: %w", b.Name, err))
		}
	}
	open, err = c.exhibit(ctx)
	return open, errors.Join(append(problems, err)...)
}

// exhibit puts the templates whose examples are ready into the template library. It looks for examples among the newest
// mostMovies movies of the library's account. When a template's current version has several examples, the one that was put
// into the library first stays.
func (c *Curator) exhibit(ctx context.Context) (open bool, err error) {
	var problems []error
	list := projections.MovieList{Account: commands.LibraryAccount, Limit: pageSize}
	for range mostMovies / pageSize {
		page, err := c.cfg.Movies.List(ctx, list)
		if err != nil {
			return open, errors.Join(append(problems, fmt.Errorf("list the examples: %w", err))...)
		}
		waiting, problem := c.show(ctx, page.Movies)
		open, problems = open || waiting, append(problems, problem)
		if list.MovieCursor = page.Next; page.Next == nil {
			break
		}
	}
	return open, errors.Join(problems...)
}

// show puts into the template library the templates whose examples are ready among the given movies, which are examples.
// open is true when some of these movies are still being rendered.
func (c *Curator) show(ctx context.Context, movies []projections.Movie) (open bool, err error) {
	var problems []error
	for _, m := range movies {
		switch {
		case !m.Closed:
			open = true
		case m.File == nil || m.Gone:
		default:
			_, err := c.cfg.Library.Exhibit(ctx, domain.ProjectID(m.Project), *m.File)
			if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
				problems = append(problems, fmt.Errorf("list the example %s: %w", m.Project, err))
			}
		}
	}
	return open, errors.Join(problems...)
}

package movies

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"moviola/domain"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// The maximum numbers of movies that one answer of GET /movies/progress reports on. maxFollowed limits the movies that
// the client names. When the client asks for all movies, maxAllFollowed limits the movies that are followed at the same
// time.
const (
	maxFollowed    = 100
	maxAllFollowed = 300
)

var (
	errAll      = domain.Errorf(domain.Invalid, "all_invalid", "all is true or false, and not given beside project.")
	errFollowed = domain.Errorf(domain.Invalid, "project_count", "At most %d projects can be followed in one stream.", maxFollowed)
)

// followed reads which movies the client wants to follow, from the parameters project, id and all; an empty result: all
// movies of the account.
func followed(query url.Values) ([]domain.ProjectID, error) {
	all, ok := web.One(query, "all")
	names := slices.DeleteFunc(slices.Clone(query["project"]), func(name string) bool { return name == "" })
	if !ok || all != "" && all != "true" && all != "false" || all == "true" && len(names)+len(query["id"]) > 0 {
		return nil, errAll
	}
	if all == "true" {
		return nil, nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) < 2 || query.Get("id") != "" {
		project, err := projectOf(query)
		return []domain.ProjectID{project}, err
	}
	if len(names) > maxFollowed {
		return nil, errFollowed
	}
	projects := make([]domain.ProjectID, len(names))
	for i, name := range names {
		if err := checkProject(name); err != nil {
			return nil, err
		}
		projects[i] = domain.ProjectID(name)
	}
	return projects, nil
}

// following is one followed movie, with the state that was last sent to the client.
type following struct {
	movie projections.Movie
	last  string
}

// followings are the movies that one request of GET /movies/progress follows. Only the goroutine of that request uses
// them.
type followings struct {
	api     *API
	account domain.AccountID
	all     bool      // follow all movies of the account, also future ones
	since   time.Time // movies created after this time are new
	seen    []string  // new movies that the last refresh has read; each is added once, and not again when it has ended
	movies  []*following
}

func (f *followings) add(m projections.Movie) { f.movies = append(f.movies, &following{movie: m}) }

// begin adds the account's open movies, if all are to be followed: of each open status, at most the newest web.MaxPage.
func (f *followings) begin(ctx context.Context) error {
	if !f.all {
		return nil
	}
	for _, status := range []string{projections.StatusRunning, projections.StatusPending} {
		page, err := f.api.cfg.Movies.List(ctx, projections.MovieList{Account: f.account, Status: status, Limit: web.MaxPage})
		if err != nil {
			return fmt.Errorf("list the open movies of account %s: %w", f.account, err)
		}
		for _, m := range page.Movies {
			if !f.follows(m.Project) {
				// A movie that starts to run between the two reads may be in the list of running and in that of pending
				// movies.
				f.add(m)
			}
		}
	}
	return nil
}

// refresh reads the followed movies again. If all movies are to be followed, it also adds new ones, up to maxAllFollowed. A
// movie that cannot be read keeps the state that was read before.
func (f *followings) refresh(ctx context.Context) {
	for _, one := range f.movies {
		if now, ok, err := f.api.cfg.Movies.Get(ctx, domain.ProjectID(one.movie.Project)); err == nil && ok {
			one.movie = now
		}
	}
	if !f.all {
		return
	}
	page, err := f.api.cfg.Movies.List(ctx, projections.MovieList{Account: f.account, From: f.since, Limit: web.MaxPage})
	if err != nil {
		return
	}
	var seen []string
	for _, m := range page.Movies {
		if !slices.Contains(f.seen, m.Project) && !f.follows(m.Project) {
			if len(f.movies) >= maxAllFollowed {
				continue // too many movies are followed: a later refresh may add this one, when another movie has ended
			}
			f.add(m)
		}
		seen = append(seen, m.Project)
	}
	f.seen = seen
}

func (f *followings) follows(project string) bool {
	return slices.ContainsFunc(f.movies, func(one *following) bool { return one.movie.Project == project })
}

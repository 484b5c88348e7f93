package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// freshness is how long a query waits for the log to tell whether a document is up to date.
const freshness = 2 * time.Second

// Movies serves the movies.
type Movies struct {
	at     *catalogue
	log    *eventstore.Log
	reader *Reader
	head   func(context.Context) (eventstore.Position, error) // where the log ends, not older than the question
}

// Get returns a movie, and false when there is none. Design §4: a closed movie is served as its document is; a missing or open
// one is brought up to the end of its stream, so that nobody misses what he has done himself. Only while the log is away
// is an open movie served as it was last seen.
func (m *Movies) Get(ctx context.Context, project domain.ProjectID) (Movie, bool, error) {
	place, generation, quiet := m.reader.place()
	doc, known, err := movieModel.load(ctx, m.at, string(project))
	if err != nil {
		return Movie{}, false, err
	}
	if !doc.Closed && (movieModel.unsaid(m.at, string(project)) || !(quiet && m.upToDate(ctx, place, generation))) {
		doc, known, err = movieModel.catchUp(ctx, m.log, doc, known, string(project))
		if err != nil {
			return Movie{}, false, err
		}
	}
	if !known || doc.Status == statusAbandoned {
		return Movie{}, false, nil
	}
	return doc, true, nil
}

// upToDate tells whether the log has nothing beyond a place of the read models that was taken before they were read. One look at the end
// of the log says so for everybody who asks meanwhile, and for every movie. An error is a no: the movie's stream is asked then.
func (m *Movies) upToDate(ctx context.Context, place eventstore.Position, generation *Pointer) bool {
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	head, err := m.head(ctx)
	return err == nil && head.Compare(place) <= 0 && m.at.current.Load() == generation
}

// catchUp folds what a document's stream has beyond it. When the log is away, a document that exists is returned as it is.
func (s streamModel[T]) catchUp(ctx context.Context, log *eventstore.Log, doc T, exists bool, id string) (T, bool, error) {
	reading, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	from := eventstore.Revision(0)
	if exists {
		from = eventstore.Revision(*s.revision(&doc)) + 1
	}
	next, found := doc, exists
	for recorded, err := range log.Store().ReadStream(reading, s.category+"-"+id, eventstore.Forwards, from) {
		if err == nil {
			var e Event
			if e, err = decodeEvent(log.Codec(), recorded); err == nil {
				next, _, err = s.next(next, found, e)
			}
		}
		switch {
		case err == nil:
			found = true
		case exists && ctx.Err() == nil && (errors.Is(err, eventstore.ErrUnavailable) || reading.Err() != nil):
			return doc, true, nil
		default:
			return doc, false, fmt.Errorf("bring %s %s up to date: %w", s.modelName, id, err)
		}
	}
	return next, found, nil
}

// MovieList asks for a page of an account's movies, newest first. Its JSON is the cursor of GET /movies.
type MovieList struct {
	Account domain.AccountID `json:"a"`
	From    time.Time        `json:"f"` // the earliest created_at; zero: no bound
	To      time.Time        `json:"t"` // the latest created_at, itself included; zero: no bound
	Limit   int              `json:"l"` // 1 to 100
	// The filters, each of which the movies have to pass; empty: none. Decision 73.
	Status       string            `json:"s,omitempty"`
	Template     string            `json:"tp,omitempty"` // id of a template that the movie is made of
	MovieID      string            `json:"id,omitempty"` // the movie's own id
	ClientData   map[string]string `json:"d,omitempty"`  // members of its client-data, by name
	*MovieCursor                   // the last movie of the page before; nil: the first page
}

// MovieCursor is a movie's place in the list.
type MovieCursor struct {
	CreatedAt time.Time        `json:"c"`
	Project   domain.ProjectID `json:"p"`
}

// MoviePage is a page of movies.
type MoviePage struct {
	Movies []Movie
	More   bool         // others may follow
	Next   *MovieCursor // where the next page begins when all movies of this one are shown; nil: nothing follows
}

// Cursor is the movie's place in the list.
func (m Movie) Cursor() MovieCursor {
	return MovieCursor{CreatedAt: m.CreatedAt, Project: domain.ProjectID(m.Project)}
}

// List returns a page of an account's movies by created_at, the newest first, then by project (decision 11). It costs the same
// however far back the page is, and whatever its filters are. It may trail what other processes have done by the projection's lag.
func (m *Movies) List(ctx context.Context, list MovieList) (MoviePage, error) {
	if list.Status != "" || list.Template != "" || list.MovieID != "" || len(list.ClientData) > 0 {
		return m.search(ctx, list)
	}
	movies, err := page[Movie](ctx, m.at, movieModel.modelName, list.query(indexNewest, list.Limit+1))
	if err != nil || len(movies) <= list.Limit {
		return MoviePage{Movies: movies}, err
	}
	last := movies[list.Limit-1].Cursor()
	return MoviePage{Movies: movies[:list.Limit], More: true, Next: &last}, nil
}

// Cached returns the newest movie of an account that was made under a cache key and whose file has not been deleted; false
// when there is none, and while the list of them cannot be told: then the movie is made once more. It may trail the log: whoever copies the
// file finds out whether it is still there.
func (m *Movies) Cached(ctx context.Context, account domain.AccountID, key string) (Movie, bool, error) {
	if key == "" {
		return Movie{}, false, nil
	}
	found, err := page[Movie](ctx, m.at, movieModel.modelName, Query{Index: indexCached, Equal: []any{string(account), key}, Limit: 1})
	var behind *BehindError
	var unread *UnreadError
	switch {
	case errors.As(err, &behind), errors.As(err, &unread):
		return Movie{}, false, nil
	case err != nil || len(found) == 0:
		return Movie{}, false, err
	}
	return found[0], true, nil
}

package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// freshness is how long a query waits for the log when it checks whether a document is current.
const freshness = 2 * time.Second

// Movies answers queries for movies.
type Movies struct {
	at     *catalogue
	log    *eventstore.Log
	reader *Reader
	head   func(context.Context) (eventstore.Position, error) // reads the end of the log; the read begins after the call
}

// Get returns a movie, and false when there is none or its submission was abandoned. Clients see their own writes to an
// open movie (design §4), at the least cost. Get loads the movie's document from the read models (load), and then there
// are three cases:
//
//  1. The document is that of a closed movie. Get returns it as stored.
//  2. The document is that of an open movie, or missing, and the read models include every event of the log. Get returns
//     what is stored. So polling an open movie does not read the movie's stream each time.
//  3. The document is that of an open movie, or missing, and case 2 does not apply. Get reads the movie's stream, and
//     folds the events that the document lacks (catchUp). When the log is unavailable, Get returns an open movie as
//     stored, and an error for a missing one.
//
// Case 2 applies only if all of these are true:
//
//   - The read models fold all events of the movie's stream and are not being built anew (unsaid). Otherwise load
//     returns no document, because the stored one stays outdated.
//   - The read models have not changed for a while (quiet). While they change, the log usually has newer events anyway.
//   - The end of the log, read after the document, is not after the position of the read models (upToDate). Get takes
//     that position before it reads the document: a later position could include an event that came after the document
//     was read.
//   - The generation is still the one before the read. A new generation may be behind the old one when it is taken into
//     use.
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

// upToDate reports whether the log has no event after place, and generation is still the current one. The caller has
// taken place, the position of the read models, and generation before it read a document. When the log is in another
// process, concurrent calls, for any movies, share reads of the end of the log. When such a read fails, upToDate
// returns false, and the caller reads the movie's stream.
func (m *Movies) upToDate(ctx context.Context, place eventstore.Position, generation *Pointer) bool {
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	head, err := m.head(ctx)
	return err == nil && head.Compare(place) <= 0 && m.at.current.Load() == generation
}

// catchUp folds the events of a stream that its document lacks. When the log is unavailable, it returns an existing document as
// it is.
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

// MovieList selects a page of an account's movies, newest first. Its JSON is the cursor of GET /movies.
type MovieList struct {
	Account domain.AccountID `json:"a"`
	From    time.Time        `json:"f"` // the earliest created_at; zero: no limit
	To      time.Time        `json:"t"` // the latest created_at, inclusive; zero: no limit
	Limit   int              `json:"l"` // maximum of movies in the page, 1 to 100
	// The filters: movies have to match all of them; empty: no filter. Decision 73.
	Status       string            `json:"s,omitempty"`
	Template     string            `json:"tp,omitempty"` // id of a template that the movie is made of
	MovieID      string            `json:"id,omitempty"` // the id field of the movie's JSON
	ClientData   map[string]string `json:"d,omitempty"`  // members of the movie's client-data, by name
	*MovieCursor                   // the last movie of the previous page; nil: the first page
}

// MovieCursor is a movie's place in the list.
type MovieCursor struct {
	CreatedAt time.Time        `json:"c"`
	Project   domain.ProjectID `json:"p"`
}

// MoviePage is a page of movies.
type MoviePage struct {
	Movies []Movie
	More   bool         // more movies may follow
	Next   *MovieCursor // where the next page begins; nil: no more movies follow
}

// Cursor returns the movie's place in the list.
func (m Movie) Cursor() MovieCursor {
	return MovieCursor{CreatedAt: m.CreatedAt, Project: domain.ProjectID(m.Project)}
}

// List returns a page of an account's movies by created_at, newest first, then by project (decision 11). Its cost does not
// depend on how far back the page is; with filters it looks at no more than maxLooked movies. It may lag behind changes of
// other processes.
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

// Cached returns the newest movie of an account with a cache key whose file has not been deleted. It returns false when there is
// none, and while the list is unavailable: then the movie is rendered again. It may lag behind the log: the caller has to check
// that the file still exists.
func (m *Movies) Cached(ctx context.Context, account domain.AccountID, key string) (Movie, bool, error) {
	if key == "" {
		return Movie{}, false, nil
	}
	found, err := page[Movie](ctx, m.at, movieModel.modelName,
		Query{Index: indexCached, Equal: []any{string(account), key}, Limit: 1})
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

package movies

import (
	"context"
	"fmt"
	"net/http"

	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// maxPageBytes is the maximum size, in bytes, of the movies in one answer, whatever the parameter limit: the answer stays below 6
// MB. Decision 13.
const maxPageBytes = 6<<20 - 4096

// maxPageReads is the maximum total size, in bytes, of the documents that are read for a page. It bounds pages whose answer
// contains no documents.
const maxPageReads = 32 << 20

// quota is what an account may still spend. For a plan that counts movies, only the fields Movies and Drafts are set. For any
// other plan, only the field Time is set: the available credits. Decision 36: credits are seconds.
type quota struct {
	Time   *int64 `json:"time,omitempty"`
	Movies *int64 `json:"movies,omitempty"`
	Drafts *int64 `json:"drafts,omitempty"`
}

// listHead and answerTail are the parts of an answer before and after its movies.
type listHead struct {
	Success   bool    `json:"success"`
	From      string  `json:"from"`
	To        string  `json:"to"`
	Count     int     `json:"count"`
	Limit     int     `json:"limit"`
	HasNext   bool    `json:"has_next"`
	HasPrev   bool    `json:"has_prev"`
	NextToken *string `json:"next_token"`
}

type answerTail struct {
	RemainingQuota quota  `json:"remaining_quota"`
	Timestamp      string `json:"timestamp"`
}

// getMovies serves GET /movies: one movie, or a page of a list.
func (a *API) getMovies(w http.ResponseWriter, r *http.Request, c access.Call) error {
	c, err := a.cfg.Gate.ActFor(r, c)
	if err != nil {
		return err
	}
	query, err := a.parseMovies(c.Query, c.Account)
	if err != nil {
		return err
	}
	var answer []byte
	if query.project != "" {
		answer, err = a.single(r.Context(), domain.ProjectID(query.project), c)
	} else {
		answer, err = a.list(r.Context(), query.list, query.simple, c)
	}
	if err != nil {
		return err
	}
	web.SendJSON(w, http.StatusOK, answer)
	return nil
}

// single answers with one movie. Decision 11.
func (a *API) single(ctx context.Context, project domain.ProjectID, c access.Call) ([]byte, error) {
	m, err := a.owned(ctx, project, c)
	if err != nil {
		return nil, err
	}
	shown, err := a.statusOf(ctx, m, false)
	if err != nil {
		return nil, err
	}
	return a.finish(ctx, c, withMember([]byte(`{"success":true}`), "movie", shown))
}

// finish appends the members with which every answer ends.
func (a *API) finish(ctx context.Context, c access.Call, answer []byte) ([]byte, error) {
	left, err := a.quota(ctx, c.Account)
	if err != nil {
		return nil, err
	}
	tail, err := web.JSON(answerTail{RemainingQuota: left, Timestamp: web.Stamp(a.now())})
	if err != nil {
		return nil, err
	}
	return joined(answer, tail), nil
}

// owned returns the caller's movie. A movie of another account is not found, like one that does not exist. Decision 6.
func (a *API) owned(ctx context.Context, project domain.ProjectID, c access.Call) (projections.Movie, error) {
	m, ok, err := a.cfg.Movies.Get(ctx, project)
	if err != nil {
		return projections.Movie{}, fmt.Errorf("get movie %s: %w", project, err)
	}
	if ok && m.Account == string(c.Account) {
		return m, nil
	}
	if m.Closed {
		// Get does not read the log for a closed movie, but does for a missing one. So the response time would tell the caller that
		// another account's movie exists. To prevent that, a missing movie is looked up in addition.
		if _, _, err := a.cfg.Movies.Get(ctx, nobodys); err != nil {
			return projections.Movie{}, fmt.Errorf("get no movie: %w", err)
		}
	}
	return projections.Movie{}, errUnknown(project)
}

// nobodys is an id that no movie has.
const nobodys domain.ProjectID = "nobody's"

func errUnknown(project domain.ProjectID) *domain.Error {
	return domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", project)
}

// list answers with a page. Spec: GET /movies, Rules; decisions 11 to 14.
func (a *API) list(ctx context.Context, list projections.MovieList, simple bool, c access.Call) ([]byte, error) {
	web.Await(ctx, a.cfg.Projected, a.answered.position())
	page, err := a.cfg.Movies.List(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("list the movies of account %s: %w", c.Account, err)
	}
	shown, err := a.fit(ctx, page.Movies, simple)
	if err != nil {
		return nil, err
	}
	head := listHead{
		Success: true, From: web.Stamp(list.From), To: web.Stamp(list.To), Count: len(shown), Limit: list.Limit,
		HasPrev: list.MovieCursor != nil,
	}
	next := page.Next
	if len(shown) < len(page.Movies) {
		last := page.Movies[len(shown)-1].Cursor()
		next = &last
	}
	if next != nil {
		list.MovieCursor, head.HasNext = next, true
		if head.NextToken, err = a.lists.Next(list); err != nil {
			return nil, err
		}
	}
	encoded, err := web.JSON(head)
	if err != nil {
		return nil, err
	}
	return a.finish(ctx, c, withMember(encoded, "movies", array(shown)))
}

// fit encodes as many of the first movies as a page can hold, but at least one of them if there are any. Decision 13.
func (a *API) fit(ctx context.Context, movies []projections.Movie, simple bool) ([][]byte, error) {
	shown := make([][]byte, 0, len(movies))
	size, read := 0, int64(0)
	for _, m := range movies {
		read += m.DocumentSize
		tooLarge := !simple && size+int(m.DocumentSize) > maxPageBytes || read > maxPageReads
		if len(shown) > 0 && tooLarge {
			break
		}
		encoded, err := a.statusOf(ctx, m, simple)
		if err != nil {
			return nil, err
		}
		size += len(encoded)
		if len(shown) > 0 && size > maxPageBytes {
			break
		}
		shown = append(shown, encoded)
	}
	return shown, nil
}

func (a *API) quota(ctx context.Context, id domain.AccountID) (quota, error) {
	balance, err := a.cfg.Balances.Get(ctx, id)
	if err != nil {
		return quota{}, fmt.Errorf("read the balance of account %s: %w", id, err)
	}
	account, _, err := a.cfg.Accounts.Get(ctx, id)
	if err != nil {
		return quota{}, fmt.Errorf("read account %s: %w", id, err)
	}
	allowed := a.cfg.Plans.Of(account.Plan)
	if !allowed.Counted {
		return quota{Time: &balance.Available}, nil
	}
	movies, drafts := balance.UsedIn(a.now())
	movies, drafts = max(0, allowed.Movies-movies), max(0, allowed.Drafts-drafts)
	return quota{Movies: &movies, Drafts: &drafts}, nil
}

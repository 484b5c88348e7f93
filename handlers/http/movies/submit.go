package movies

import (
	"net/http"
	"net/url"
	"strconv"

	"moviola/commands"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// maxMovieBytes is the maximum size of a movie's JSON, in bytes. Spec: Limits; decision 10.
const maxMovieBytes = 2 << 20

var errTooLarge = domain.Errorf(domain.TooLarge, "movie_json_too_large",
	"The movie JSON is larger than the limit of %d bytes (2 MB)", maxMovieBytes)

type submitted struct {
	Success   bool             `json:"success"`
	Project   domain.ProjectID `json:"project"`
	Timestamp string           `json:"timestamp"`
}

// postMovie serves POST /movies.
func (a *API) postMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	idempotencyKey, malformed := web.IdempotencyKey(r)
	if err := a.cfg.Submit.Admit(r.Context(), c.Account, idempotencyKey); err != nil {
		return err
	}
	if malformed != nil {
		// Decision 4: a refusal for the account's state (by Admit) comes before that of a malformed Idempotency-Key.
		return malformed
	}
	most, err := parseMaxCredits(c.Query)
	if err != nil {
		return err
	}
	body, err := web.ReadBody(w, r, maxMovieBytes, errTooLarge)
	if err != nil {
		return err
	}
	markDeprecated(w.Header(), body)
	submission, err := a.cfg.Submit.Handle(r.Context(), commands.SubmitMovie{
		Account: c.Account, Body: body, IdempotencyKey: idempotencyKey, MaxCredits: most,
	})
	if err != nil {
		return err
	}
	a.answered.raise(submission.Position)
	return web.Write(w, http.StatusOK, submitted{Success: true, Project: submission.Project, Timestamp: web.Stamp(submission.At)})
}

// parseMaxCredits reads the maximum price that the client accepts; 0: the parameter is missing. Decision 75.
func parseMaxCredits(query url.Values) (int64, error) {
	text, ok := web.One(query, "max_credits")
	if ok && text == "" {
		return 0, nil
	}
	most, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || most < 1 {
		return 0, domain.Errorf(domain.Invalid, "max_credits_invalid", "max_credits must be a whole number of credits, 1 or more")
	}
	return most, nil
}

package movies

import (
	"net/http"
	"unicode/utf8"

	"moviola/commands"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// maxMovieBytes is the largest movie JSON. Spec: Limits; decision 10.
const maxMovieBytes = 2 << 20

// A client's own name for a submission. Decision 25.
const (
	idempotencyHeader = "Idempotency-Key"
	maxIdempotencyKey = 255
)

var errIdempotencyKey = domain.Errorf(domain.Invalid, "idempotency_key_invalid",
	"The header Idempotency-Key must be given once, with 1 to %d characters", maxIdempotencyKey)

var errTooLarge = domain.Errorf(domain.TooLarge, "movie_json_too_large",
	"The movie JSON is larger than the limit of %d bytes (2 MB)", maxMovieBytes)

type submitted struct {
	Success   bool             `json:"success"`
	Project   domain.ProjectID `json:"project"`
	Timestamp string           `json:"timestamp"`
}

// postMovie serves POST /movies.
func (a *API) postMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	idempotencyKey, malformed := readIdempotencyKey(r)
	if err := a.cfg.Submit.Admit(r.Context(), c.Account, idempotencyKey); err != nil {
		return err
	}
	if malformed != nil { // decision 4: the account's state comes first
		return malformed
	}
	body, err := web.ReadBody(w, r, maxMovieBytes, errTooLarge)
	if err != nil {
		return err
	}
	markDeprecated(w.Header(), body)
	submission, err := a.cfg.Submit.Handle(r.Context(), commands.SubmitMovie{
		Account: c.Account, Body: body, IdempotencyKey: idempotencyKey,
	})
	if err != nil {
		return err
	}
	a.answered.raise(submission.Position)
	return web.Write(w, http.StatusOK, submitted{Success: true, Project: submission.Project, Timestamp: web.Stamp(submission.At)})
}

// readIdempotencyKey reads the name under which a client may repeat a submission; empty: none. Decision 25.
func readIdempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values(idempotencyHeader)
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1 || values[0] == "" || utf8.RuneCountInString(values[0]) > maxIdempotencyKey:
		return "", errIdempotencyKey
	}
	return values[0], nil
}

package admin

import (
	"cmp"
	"context"
	"net/http"

	"moviola/handlers/http/trail"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// ActPages reads pages of the audit trail.
type ActPages interface {
	Page(ctx context.Context, q projections.ActQuery) ([]projections.Act, bool, error)
}

// ActCalls are the commands and queries of the audit trail. Every field is required.
type ActCalls struct {
	Record trail.Recorder
	Pages  ActPages
}

// act records an operator's act in the audit trail, before the act is done.
func (a *API) act(r *http.Request, what, on, how string) error { return a.trail.Act(r, what, on, how) }

// actShown is an operator's act, as GET /admin/acts returns it.
type actShown struct {
	ID  string `json:"id"`
	Who string `json:"who"`
	Act string `json:"act"`
	On  string `json:"on"`
	How string `json:"how"`
	At  string `json:"at"`
	// Issuer and Subject identify the operator at the identity provider; null: the operator used a token.
	Issuer  *string `json:"issuer"`
	Subject *string `json:"subject"`
	// Refused is why the act was refused; null: no refusal is known.
	Refused *string `json:"refused"`
}

type actPage struct {
	Success   bool       `json:"success"`
	Count     int        `json:"count"`
	HasNext   bool       `json:"has_next"`
	NextToken *string    `json:"next_token"`
	Acts      []actShown `json:"acts"`
}

// listActs serves GET /admin/acts, newest first.
func (a *API) listActs(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	limit, err := web.ParseLimit(query)
	if err != nil {
		return err
	}
	q := projections.ActQuery{Limit: cmp.Or(limit, web.MaxPage)}
	on, one := web.One(query, "on")
	token, ok := web.One(query, "next_token")
	if !one || !ok {
		return web.ErrCursor
	}
	q.On = on
	if token != "" {
		if q, err = a.acts.Resume(token, q); err != nil {
			return err
		}
	}
	acts, more, err := a.cfg.Acts.Pages.Page(r.Context(), q)
	if err != nil {
		return err
	}
	answer := actPage{Success: true, Count: len(acts), HasNext: more, Acts: make([]actShown, len(acts))}
	for i, act := range acts {
		answer.Acts[i] = actShown{ID: act.ID, Who: act.Who, Act: act.Act, On: act.On, How: act.How, At: web.Stamp(act.At)}
		if act.Issuer != "" {
			answer.Acts[i].Issuer, answer.Acts[i].Subject = &act.Issuer, &act.Subject
		}
		if act.Refused != "" {
			answer.Acts[i].Refused = &act.Refused
		}
	}
	if more {
		last := acts[len(acts)-1].Cursor()
		q.After = &last
		if answer.NextToken, err = a.acts.Next(q); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

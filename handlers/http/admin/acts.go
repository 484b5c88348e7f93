package admin

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// OperatorNameHeader carries the name of the acting operator for the audit trail, when the token is that of the configuration.
// It is not verified: several people may share that token. Operators with tokens of their own are named by these.
const OperatorNameHeader = "X-Operator"

// unnamed is the operator's name in the audit trail when the header is missing.
const unnamed = "operator"

// ActRecorder is the command that writes the audit trail.
type ActRecorder interface {
	Handle(ctx context.Context, cmd accounts.RecordAct) (operator.Acted, error)
	// Refuse adds the reason why an act was refused.
	Refuse(ctx context.Context, acted operator.Acted, why string) error
}

// ActPages reads the audit trail.
type ActPages interface {
	Page(ctx context.Context, q projections.ActQuery) ([]projections.Act, bool, error)
}

// ActCalls are what writes and reads the audit trail. Every field is required.
type ActCalls struct {
	Record ActRecorder
	Pages  ActPages
}

// actingKey is the context key of the web.Acting that a request comes from.
type actingKey struct{}

// actKey is the context key of the act that a request has recorded.
type actKey struct{}

// act records an act before it is done: an act that cannot be recorded is not done, and a refused act stays in the trail. The
// texts must not contain secrets.
func (a *API) act(r *http.Request, what, on, how string) error {
	acting, _ := r.Context().Value(actingKey{}).(web.Acting)
	acted, err := a.cfg.Acts.Record.Handle(r.Context(), accounts.RecordAct{
		Who: cmp.Or(acting.Name, r.Header.Get(OperatorNameHeader), unnamed), Act: what, On: on, How: how,
	})
	if recorded, ok := r.Context().Value(actKey{}).(*operator.Acted); ok && err == nil {
		*recorded = acted
	}
	return err
}

// traced serves a request. When the request is refused, it adds the reason to the recorded act. After an internal error it is
// unknown whether the act was done, so nothing is added.
func (a *API) traced(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request) error) error {
	recorded := &operator.Acted{}
	err := serve(w, r.WithContext(context.WithValue(r.Context(), actKey{}, recorded)))
	var refusal *domain.Error
	if recorded.ID == "" || !errors.As(err, &refusal) || refusal.Kind == domain.Internal {
		return err
	}
	if failed := a.cfg.Acts.Record.Refuse(r.Context(), *recorded, refusal.Message); failed != nil {
		web.LogFailure(r, a.cfg.Log, failed)
	}
	return err
}

// actShown is an act in an answer.
type actShown struct {
	ID  string `json:"id"`
	Who string `json:"who"`
	Act string `json:"act"`
	On  string `json:"on"`
	How string `json:"how"`
	At  string `json:"at"`
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

// Package trail checks the caller of operators' operations, and records each act in the audit trail before it is done. A
// resource with such operations makes one Trail and serves the operations through it.
package trail

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
)

// unnamed is the operator's name in the audit trail for a request without the header web.OperatorNameHeader.
const unnamed = "operator"

// errStale refuses a session of the operators' console that began too long ago. Decision 89.
var errStale = domain.Errorf(domain.Forbidden, "sign_in_again",
	"This needs a sign-in that is less than five minutes old: sign in again, then repeat it")

// Recorder is the command that writes the audit trail.
type Recorder interface {
	Handle(ctx context.Context, cmd accounts.RecordAct) (operator.Acted, error)
	// Refuse records the reason why a recorded act was refused.
	Refuse(ctx context.Context, acted operator.Acted, why string) error
}

// Trail admits operators and records their acts. It is safe for concurrent use.
type Trail struct {
	Operator *web.OperatorToken // checks the operator's token for every operation; nil: nobody has access
	Record   Recorder
	Log      logrus.FieldLogger
}

// handling is the state of an operator's request in the request's context.
type handling struct {
	acting   web.Acting
	recorded operator.Acted // the act that the request has recorded
}

type handlingKey struct{}

// Route returns an operation with its handler. Before anything else, the handler checks the operator's token and role.
func (t *Trail) Route(op operation.Operation, serve func(http.ResponseWriter, *http.Request) error) operation.Route {
	least := op.LeastOperator()
	return operation.Route{Operation: op, Serve: func(w http.ResponseWriter, r *http.Request) {
		acting, err := t.Operator.Admit(r, least)
		if err == nil && op.FreshSignIn && acting.Stale {
			err = errStale
		}
		if err == nil {
			_, err = web.ParseQuery(r)
		}
		if err == nil {
			err = t.serve(w, r, &handling{acting: acting}, serve)
		}
		if err != nil {
			web.Fail(w, r, t.Log, err)
		}
	}}
}

// serve serves a request. When the request is refused, it adds the reason to the recorded act. After an internal error it is
// unknown whether the act was done, so nothing is added.
func (t *Trail) serve(
	w http.ResponseWriter, r *http.Request, h *handling, serve func(http.ResponseWriter, *http.Request) error,
) error {
	err := serve(w, r.WithContext(context.WithValue(r.Context(), handlingKey{}, h)))
	var refusal *domain.Error
	if h.recorded.ID == "" || !errors.As(err, &refusal) || refusal.Kind == domain.Internal {
		return err
	}
	if failed := t.Record.Refuse(r.Context(), h.recorded, refusal.Message); failed != nil {
		t.Log.WithError(failed).WithField("request", web.RequestID(r.Context())).Error(
			"reason of a refused act not recorded; the trail shows the act without it")
	}
	return err
}

// Act records an act before it is done. After an error of Act the caller must not do the act. A refused act stays in the
// trail. The texts must not contain secrets. The request must come from a handler of Route.
func (t *Trail) Act(r *http.Request, what, on, how string) error {
	h, ok := r.Context().Value(handlingKey{}).(*handling)
	if !ok {
		return errors.New("an act outside of an operator's request")
	}
	acted, err := t.Record.Handle(r.Context(), accounts.RecordAct{
		Who: cmp.Or(h.acting.Name, claimed(r), unnamed), Act: what, On: on, How: how,
		Issuer: h.acting.Issuer, Subject: h.acting.Subject,
	})
	if err == nil {
		h.recorded = acted
	}
	return err
}

// claimed returns the name that a holder of the configured token has sent. The name is not verified. So claimed drops a name that
// looks like one which an identity provider has proven.
func claimed(r *http.Request) string {
	name := r.Header.Get(web.OperatorNameHeader)
	if strings.Contains(strings.ToLower(name), operator.ProvenPrefix) {
		return ""
	}
	return name
}

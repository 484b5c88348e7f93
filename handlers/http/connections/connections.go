// Package connections serves the saved connections of an account: destinations of finished movies, and providers. The
// account's managers list, save, test and delete them. Answers contain no secrets, with one exception: a new secret that signs
// webhooks is shown once. Decisions 48 and 50.
package connections

import (
	"context"
	"net/http"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 256 << 10

// Lister lists the connections of an account.
type Lister interface {
	List(ctx context.Context, list projections.ConnectionList) ([]projections.Connection, bool, error)
}

// Saver has the commands behind POST /connections and the operations on signing secrets.
type Saver interface {
	Handle(ctx context.Context, cmd connections.SaveConnection) (connections.SavedConnection, error)
	Rotate(ctx context.Context, cmd connections.RotateSigningSecret) (connections.SavedConnection, error)
}

// Deleter is the command behind DELETE /connections.
type Deleter interface {
	Handle(ctx context.Context, cmd connections.DeleteConnection) (eventstore.Position, error)
}

// Tester is the command behind POST /connections/test.
type Tester interface {
	Handle(ctx context.Context, cmd connections.TestConnection) (connections.TestedConnection, error)
}

// Config is what an API needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Connections Lister
	Save        Saver
	Delete      Deleter
	Test        Tester
	Projected   web.Projected
	CursorKey   []byte           // key that signs cursors of lists: at least 16 bytes, the same in all processes of an installation
	Now         func() time.Time // the clock; nil: time.Now
	Log         logrus.FieldLogger
}

// API serves connections. It is safe for concurrent use.
type API struct {
	cfg   Config
	lists web.Lists[projections.ConnectionList]
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg: cfg, lists: web.NewLists[projections.ConnectionList](cfg.CursorKey, "connections-cursor")}, nil
}

// Operations returns the operations on connections. Decisions "Roles" and 50.
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: listConnections, Serve: a.list},
		{Operation: saveConnection, Serve: a.save},
		{Operation: deleteConnection, Serve: a.remove},
		{Operation: testConnection, Serve: a.test},
		{Operation: rotateSigningSecret, Serve: a.rotate},
		{Operation: retireSigningSecret, Serve: a.retire},
	}
}

// named returns the id of the connection in the query.
func named(c access.Call) (string, error) {
	id, ok := c.One("id")
	if !ok {
		return "", domain.Errorf(domain.Invalid, "id_ambiguous", "The parameter id is given twice, with different values")
	}
	if id == "" {
		return "", connection.CheckID(id)
	}
	if connection.CheckID(id) != nil {
		return "", connection.NotFound(id) // no connection has an invalid id
	}
	return id, nil
}

type saved struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
	// Secret is a new secret that signs webhooks; only this answer shows it.
	Secret    string `json:"secret,omitempty"`
	Timestamp string `json:"timestamp"`
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, id, secret string, at eventstore.Position) error {
	web.Await(r.Context(), a.cfg.Projected, at)
	return web.Write(w, http.StatusOK, saved{Success: true, ID: id, Secret: secret, Timestamp: web.Stamp(a.cfg.Now())})
}

// save serves POST /connections.
func (a *API) save(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body := map[string]any{}
	if err := web.ReadObject(w, r, maxBody, &body); err != nil {
		return err
	}
	id, _ := connection.AsText(body["id"])
	if err := connection.CheckID(id); err != nil {
		return err
	}
	name, _ := connection.AsText(body["type"])
	kind, err := connection.ParseKind(name)
	if err != nil {
		return err
	}
	delete(body, "id")
	delete(body, "type")
	done, err := a.cfg.Save.Handle(r.Context(), connections.SaveConnection{Account: c.Account, ID: id, Kind: kind, Settings: body})
	if err != nil {
		return err
	}
	return a.answer(w, r, id, done.SigningSecret, done.Position)
}

// remove serves DELETE /connections.
func (a *API) remove(w http.ResponseWriter, r *http.Request, c access.Call) error {
	id, err := named(c)
	if err != nil {
		return err
	}
	at, err := a.cfg.Delete.Handle(r.Context(), connections.DeleteConnection{Account: c.Account, ID: id})
	if err != nil {
		return err
	}
	return a.answer(w, r, id, "", at)
}

// rotate serves POST /connections/secret: it adds a new signing secret, and the previous secret stays valid.
func (a *API) rotate(w http.ResponseWriter, r *http.Request, c access.Call) error {
	return a.renew(w, r, c, false)
}

// retire serves DELETE /connections/secret: it removes the previous signing secret.
func (a *API) retire(w http.ResponseWriter, r *http.Request, c access.Call) error {
	return a.renew(w, r, c, true)
}

func (a *API) renew(w http.ResponseWriter, r *http.Request, c access.Call, retire bool) error {
	id, err := named(c)
	if err != nil {
		return err
	}
	done, err := a.cfg.Save.Rotate(r.Context(), connections.RotateSigningSecret{Account: c.Account, ID: id, Retire: retire})
	if err != nil {
		return err
	}
	return a.answer(w, r, id, done.SigningSecret, done.Position)
}

type tested struct {
	Success    bool   `json:"success"` // the request succeeded
	ID         string `json:"id"`
	Status     string `json:"status"` // ok: the connection works; error: the connection does not work
	HTTPStatus *int   `json:"http_status"`
	Message    string `json:"message"`
	DurationMS int64  `json:"duration_ms"`
	Timestamp  string `json:"timestamp"`
}

// test serves POST /connections/test. A connection that does not work is a result, not a failed request.
func (a *API) test(w http.ResponseWriter, r *http.Request, c access.Call) error {
	id, err := named(c)
	if err != nil {
		return err
	}
	done, err := a.cfg.Test.Handle(r.Context(), connections.TestConnection{Account: c.Account, ID: id})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, done.Position)
	answer := tested{
		Success: true, ID: id, Status: statusOf(done.Success), Message: done.Message, DurationMS: done.Duration.Milliseconds(),
		Timestamp: web.Stamp(a.cfg.Now()),
	}
	if done.HTTPStatus > 0 {
		answer.HTTPStatus = &done.HTTPStatus
	}
	return web.Write(w, http.StatusOK, answer)
}

func statusOf(success bool) string {
	if success {
		return "ok"
	}
	return "error"
}

// Package deliveries serves the delivery log of an account to its managers: the destinations of its movies, and the
// requests and answers of tries, as far as they are stored. The log shows only scheme and host of an address, and of the
// headers only the content type. Decision 76. The package also serves inboxes, which are addresses for trying webhooks.
// Decision 83.
package deliveries

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// mostTries is the maximum number of tries of a movie in an answer: the newest tries.
const mostTries = 100

// Lister lists the destinations of an account's movies.
type Lister interface {
	List(ctx context.Context, list projections.DeliveryList) ([]projections.Delivery, bool, error)
}

// Histories returns the events of a movie. projections.Movies implements it.
type Histories interface {
	History(ctx context.Context, account domain.AccountID, project domain.ProjectID) ([]projections.HistoryEntry, bool, error)
}

// Exchanges returns the request and the answer of a try. deliveries.Exchanges implements it.
type Exchanges interface {
	Read(ctx context.Context, try deliveries.Try) (deliveries.Exchange, error)
}

// Config is what an API needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Deliveries Lister
	History    Histories
	Exchanges  Exchanges
	Inboxes    Inboxes
	CursorKey  []byte           // key that signs cursors of lists: at least 16 bytes, the same in all processes of an installation
	Now        func() time.Time // the clock; nil: time.Now
	Log        logrus.FieldLogger
}

// API serves the delivery log. It is safe for concurrent use.
type API struct {
	cfg   Config
	lists web.Lists[projections.DeliveryList]
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg: cfg, lists: web.NewLists[projections.DeliveryList](cfg.CursorKey, "deliveries-cursor")}, nil
}

// Operations returns the operations on the delivery log.
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: listDeliveries, Serve: a.list},
		{Operation: showDeliveries, Serve: a.tries},
		{Operation: listInboxes, Serve: a.listInboxes},
		{Operation: openInbox, Serve: a.openInbox},
		{Operation: showInbox, Serve: a.showInbox},
		{Operation: deleteInbox, Serve: a.deleteInbox},
	}
}

// delivered is one destination of a movie, as GET /deliveries returns it: in its state after the last try.
type delivered struct {
	Project    string `json:"project"`
	Index      int    `json:"index"`
	Type       string `json:"type"`
	ID         string `json:"id"`
	Status     string `json:"status"`
	Final      bool   `json:"final"`
	HTTPStatus int    `json:"http_status"`
	Message    string `json:"message"`
	Attempts   int64  `json:"attempts"`
	DurationMS int64  `json:"duration_ms"`
	FirstAt    string `json:"first_at"`
	At         string `json:"at"`
}

type listed struct {
	Success    bool        `json:"success"`
	Count      int         `json:"count"`
	Limit      int         `json:"limit"`
	HasNext    bool        `json:"has_next"`
	NextToken  *string     `json:"next_token"`
	Deliveries []delivered `json:"deliveries"`
	Timestamp  string      `json:"timestamp"`
}

// list serves GET /deliveries.
func (a *API) list(w http.ResponseWriter, r *http.Request, c access.Call) error {
	asked, err := a.parse(c)
	if err != nil {
		return err
	}
	found, more, err := a.cfg.Deliveries.List(r.Context(), asked)
	if err != nil {
		return err
	}
	answer := listed{Success: true, Count: len(found), Limit: asked.Limit, HasNext: more, Deliveries: make([]delivered, len(found)),
		Timestamp: web.Stamp(a.cfg.Now())}
	for i, d := range found {
		answer.Deliveries[i] = delivered{
			Project: d.Project, Index: d.Index, Type: d.Kind, ID: d.Connection, Status: d.Status, Final: d.Final, HTTPStatus: d.HTTPStatus,
			Message: d.Message, Attempts: d.Tries, DurationMS: d.DurationMS, FirstAt: web.Stamp(d.FirstAt), At: web.Stamp(d.At),
		}
	}
	if more {
		last := found[len(found)-1].Cursor()
		asked.After = &last
		if answer.NextToken, err = a.lists.Next(asked); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// parse reads the parameters of GET /deliveries. A cursor contains the limit of its list; a request that has both the cursor and
// a limit must repeat that limit. Decision 14.
func (a *API) parse(c access.Call) (projections.DeliveryList, error) {
	asked := projections.DeliveryList{Account: c.Account}
	var err error
	if asked.Limit, err = web.ParseLimit(c.Query); err != nil {
		return asked, err
	}
	token, ok := c.One("next_token")
	switch {
	case !ok:
		return asked, web.ErrCursor
	case token != "":
		return a.lists.Resume(token, asked)
	case asked.Limit == 0:
		asked.Limit = web.MaxPage
	}
	return asked, nil
}

// tried is one try. The fields of the exchange are null when no exchange of the try is kept.
type tried struct {
	Index       int     `json:"index"`
	Run         int     `json:"run"`
	Try         int     `json:"try"`
	Type        string  `json:"type"`
	ID          string  `json:"id"`
	Status      string  `json:"status"`
	HTTPStatus  int     `json:"http_status"`
	Message     string  `json:"message"`
	DurationMS  int64   `json:"duration_ms"`
	At          string  `json:"at"`
	Address     *string `json:"address"`
	StartedAt   *string `json:"started_at"`
	ContentType *string `json:"content_type"`
	Sent        *string `json:"sent"`
	SentSize    *int    `json:"sent_size"`
	Answer      *string `json:"answer"`
}

type shown struct {
	Success   bool             `json:"success"`
	Project   domain.ProjectID `json:"project"`
	Count     int              `json:"count"`
	Tries     []tried          `json:"tries"`
	Timestamp string           `json:"timestamp"`
}

// tries serves GET /deliveries/{project}: the newest tries of a movie, the newest first.
func (a *API) tries(w http.ResponseWriter, r *http.Request, c access.Call) error {
	project := domain.ProjectID(mux.Vars(r)["project"])
	entries, ok, err := a.cfg.History.History(r.Context(), c.Account, project)
	if err != nil {
		return err
	}
	if !ok {
		return domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", project)
	}
	answer := shown{Success: true, Project: project, Tries: []tried{}, Timestamp: web.Stamp(a.cfg.Now())}
	for i := len(entries) - 1; i >= 0 && len(answer.Tries) < mostTries; i-- {
		d := entries[i].Delivery
		if d == nil || d.Index == nil || d.Try == 0 {
			continue
		}
		one, err := a.tell(r.Context(), c.Account, project, entries[i])
		if err != nil {
			return err
		}
		answer.Tries = append(answer.Tries, one)
	}
	answer.Count = len(answer.Tries)
	return web.Write(w, http.StatusOK, answer)
}

func (a *API) tell(
	ctx context.Context, account domain.AccountID, project domain.ProjectID, e projections.HistoryEntry,
) (tried, error) {
	d := e.Delivery
	one := tried{
		Index: *d.Index, Run: d.Run, Try: d.Try, Type: d.Type, ID: d.ID, Status: d.Result, HTTPStatus: d.HTTPStatus, Message: e.Message,
		DurationMS: d.DurationMS, At: web.Stamp(e.At),
	}
	kept, err := a.cfg.Exchanges.Read(ctx, deliveries.Try{
		Account: account, Project: project, Destination: one.Index, Run: d.Run, Number: d.Try,
	})
	switch {
	case errors.Is(err, deliveries.ErrNoExchange):
		return one, nil
	case err != nil:
		return one, err
	}
	started := web.Stamp(kept.StartedAt)
	one.Address, one.StartedAt = &kept.Address, &started
	if kept.ContentType == "" { // without a content type the request was not a webhook: it has sent the movie's file
		return one, nil
	}
	sent, answer := text(kept.Sent), text(kept.Answer)
	one.ContentType, one.Sent, one.SentSize, one.Answer = &kept.ContentType, &sent, &kept.SentSize, &answer
	return one, nil
}

// text returns bytes as valid UTF-8 text. Bytes that are not valid are replaced, also a character that was cut off at the
// end.
func text(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

package deliveries

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
)

// Inboxes are the commands and queries of inboxes. deliveries.Inboxes implements them.
type Inboxes interface {
	Open(ctx context.Context, account domain.AccountID) (deliveries.Inbox, error)
	List(ctx context.Context, account domain.AccountID) ([]deliveries.Inbox, error)
	Read(ctx context.Context, account domain.AccountID, id connection.InboxID) (deliveries.Inbox, []deliveries.Letter, error)
	Delete(ctx context.Context, account domain.AccountID, id connection.InboxID) error
}

// The declarations of the operations on inboxes.
var (
	listInboxes = operation.Operation{
		Method: http.MethodGet, Path: "/v2/inboxes", ID: "listInboxes", Tag: "Deliveries", Role: key.Manager,
		Summary: "The open inboxes",
		Text:    "At most 20, the newest first.",
		Answers: operation.OK("The inboxes.", operation.A[inboxes]()),
	}
	openInbox = operation.Operation{
		Method: http.MethodPost, Path: "/v2/inboxes", ID: "openInbox", Tag: "Deliveries", Role: key.Manager,
		Summary: "Open an inbox for trying webhooks",
		Text: "The answer has an address that a movie or a saved connection may name as its endpoint for an hour. What the account " +
			"sends there is signed as configured and handed over inside the service: nothing is dialled, and nobody else can send to " +
			"it. A 21st inbox takes the place of the oldest.",
		Answers: operation.OK("Opened.", operation.A[inboxOpened]()),
	}
	showInbox = operation.Operation{
		Method: http.MethodGet, Path: "/v2/inboxes/{inbox}", ID: "showInbox", Tag: "Deliveries", Role: key.Manager,
		Summary:    "What was sent to an inbox",
		Text:       "The newest 10 bodies, the newest first, with the headers that a receiver checks the signature with.",
		Parameters: []operation.Parameter{operation.InPath("inbox", "Id of the inbox.")},
		Answers:    operation.OK("The inbox and its letters.", operation.A[inboxRead]()),
		Refusals:   noInbox,
	}
	deleteInbox = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/inboxes/{inbox}", ID: "deleteInbox", Tag: "Deliveries", Role: key.Manager,
		Summary:    "Delete an inbox and what was sent to it",
		Text:       "What is sent to its address later is not delivered.",
		Parameters: []operation.Parameter{operation.InPath("inbox", "Id of the inbox.")},
		Answers:    operation.OK("Deleted.", operation.A[inboxDeleted]()),
		Refusals:   noInbox,
	}

	noInbox = []operation.Refusal{operation.On(404, "The account has no such inbox, or its hour is over.", "inbox_not_found")}
)

type inboxShown struct {
	ID        connection.InboxID `json:"id"`
	Address   string             `json:"address"`
	Letters   int                `json:"letters"`
	OpenedAt  string             `json:"opened_at"`
	ExpiresAt string             `json:"expires_at"`
}

func showOf(i deliveries.Inbox) inboxShown {
	return inboxShown{ID: i.ID, Address: i.ID.Address(), Letters: i.Letters, OpenedAt: web.Stamp(i.OpenedAt),
		ExpiresAt: web.Stamp(i.EndsAt())}
}

type inboxes struct {
	Success   bool         `json:"success"`
	Count     int          `json:"count"`
	Inboxes   []inboxShown `json:"inboxes"`
	Timestamp string       `json:"timestamp"`
}

// listInboxes serves GET /inboxes.
func (a *API) listInboxes(w http.ResponseWriter, r *http.Request, c access.Call) error {
	open, err := a.cfg.Inboxes.List(r.Context(), c.Account)
	if err != nil {
		return err
	}
	answer := inboxes{Success: true, Count: len(open), Inboxes: make([]inboxShown, len(open)), Timestamp: web.Stamp(a.cfg.Now())}
	for i, one := range open {
		answer.Inboxes[i] = showOf(one)
	}
	return web.Write(w, http.StatusOK, answer)
}

type inboxOpened struct {
	Success   bool       `json:"success"`
	Inbox     inboxShown `json:"inbox"`
	Timestamp string     `json:"timestamp"`
}

// openInbox serves POST /inboxes.
func (a *API) openInbox(w http.ResponseWriter, r *http.Request, c access.Call) error {
	opened, err := a.cfg.Inboxes.Open(r.Context(), c.Account)
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, inboxOpened{Success: true, Inbox: showOf(opened), Timestamp: web.Stamp(a.cfg.Now())})
}

type letter struct {
	ReceivedAt string            `json:"received_at"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	Size       int               `json:"size"`
}

type inboxRead struct {
	Success   bool       `json:"success"`
	Inbox     inboxShown `json:"inbox"`
	Letters   []letter   `json:"letters"`
	Timestamp string     `json:"timestamp"`
}

// showInbox serves GET /inboxes/{inbox}.
func (a *API) showInbox(w http.ResponseWriter, r *http.Request, c access.Call) error {
	found, letters, err := a.cfg.Inboxes.Read(r.Context(), c.Account, inboxIn(r))
	if err != nil {
		return err
	}
	answer := inboxRead{Success: true, Inbox: showOf(found), Letters: make([]letter, len(letters)),
		Timestamp: web.Stamp(a.cfg.Now())}
	for i, l := range letters {
		answer.Letters[i] = letter{ReceivedAt: web.Stamp(l.At), Headers: l.Headers, Body: text(l.Body), Size: l.Size}
	}
	return web.Write(w, http.StatusOK, answer)
}

type inboxDeleted struct {
	Success   bool               `json:"success"`
	ID        connection.InboxID `json:"id"`
	Timestamp string             `json:"timestamp"`
}

// deleteInbox serves DELETE /inboxes/{inbox}.
func (a *API) deleteInbox(w http.ResponseWriter, r *http.Request, c access.Call) error {
	id := inboxIn(r)
	if err := a.cfg.Inboxes.Delete(r.Context(), c.Account, id); err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, inboxDeleted{Success: true, ID: id, Timestamp: web.Stamp(a.cfg.Now())})
}

func inboxIn(r *http.Request) connection.InboxID { return connection.InboxID(mux.Vars(r)["inbox"]) }

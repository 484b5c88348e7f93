// Package delivery sends a closed movie to its destinations: webhooks, which are called again after a failure, and servers,
// storages and mailboxes that take the movie's file.
package delivery

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/claims"
	"moviola/handlers/background/submitted"
)

// Handler is a handler of commands of the type C that returns a result of the type R.
type Handler[C, R any] interface {
	Handle(ctx context.Context, cmd C) (R, error)
}

// Commands are the commands of deliveries. They return commands.ErrNothingToDo when nothing is left to do, or when the claim is
// lost. All are required.
type Commands struct {
	StartDelivery   Handler[deliveries.StartDelivery, deliveries.DeliveryClaim]
	RecordDelivery  Handler[deliveries.RecordDelivery, eventstore.Position]
	ReleaseDelivery Handler[deliveries.ReleaseDelivery, eventstore.Position]
	FinishDelivery  Handler[deliveries.FinishDelivery, eventstore.Position]
	// CountRecipients is called before an e-mail is sent. It refuses with the *domain.Error that becomes the destination's
	// message.
	CountRecipients Handler[deliveries.CountRecipients, eventstore.Position]
	// RecordConnectionTest stores the host key of an SFTP server that was connected to for the first time.
	RecordConnectionTest Handler[connections.RecordConnectionTest, eventstore.Position]
}

// Visible waits until the read models of this process include the log up to a position.
type Visible interface {
	WaitFor(ctx context.Context, at eventstore.Position) error
}

// WebhookCall is one try at a webhook, WebhookResult its result.
type (
	WebhookCall   = deliveries.WebhookCall
	WebhookResult = deliveries.WebhookResult
)

// WebhookFunc makes one try at a webhook. It waits for an answer up to the limit in the spec. When
// ctx ends first, it returns an error.
type WebhookFunc func(ctx context.Context, call WebhookCall) (WebhookResult, error)

// Connections opens saved connections. For a connection that the account does not have, the error is a *domain.Error of kind
// NotFound.
type Connections interface {
	Open(ctx context.Context, account domain.AccountID, id string) (connections.OpenedConnection, error)
}

// Exchanges stores the request and the answer of a try. deliveries.Exchanges implements it.
type Exchanges interface {
	Keep(ctx context.Context, try deliveries.Try, what deliveries.Exchange) error
}

// Tracer makes spans of tries. Many goroutines call its method, which must not block.
type Tracer interface {
	// Tried makes a span of a try at a destination that has just ended; host has no path.
	Tried(ctx context.Context, try movie.DeliveryAttempted, host string)
}

// Roads are the functions by which deliveries reach their destinations.
type Roads struct {
	Webhook WebhookFunc
	// Connections are the saved connections that destinations name by id.
	Connections Connections
	// Senders send files to destinations other than webhooks, by kind.
	Senders map[connection.Kind]deliveries.Sender
	// Exchanges stores the requests and answers of tries. nil: they are not stored.
	Exchanges Exchanges
	// Visible waits for the read models before the first try.
	Visible Visible
}

// Limits are the limits of deliveries. All are required.
type Limits struct {
	Movie   time.Duration // time limit for all destinations of a movie together. Decision 33
	PerHost int           // maximum number of deliveries to one host that this process makes at the same time
	Release time.Duration // time limit for releasing claims during shutdown
}

// Config is what New needs. All fields are required, those of Roads too, except Roads.Exchanges.
type Config struct {
	Roads
	Commands  Commands
	Log       *eventstore.Log
	Files     commands.Files
	Documents submitted.Reader
	Watch     *claims.Watch
	Board     *claims.Board
	Tracer    Tracer
	PublicURL string        // prefix of the addresses of rendered files: scheme and host
	Tokens    result.Tokens // derives the tokens in the addresses of rendered files
	Limits    Limits
	Worker    string // identifies this start of this process in its claims
	Now       func() time.Time
}

// Deliverer sends closed movies to their destinations. It is safe for concurrent use.
type Deliverer struct {
	config Config
	limits Limits
	hosts  *hosts
}

// New returns the deliverer of a process.
func New(config Config) *Deliverer {
	return &Deliverer{config: config, limits: config.Limits, hosts: newHosts(config.Limits.PerHost)}
}

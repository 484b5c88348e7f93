package processors

import (
	"context"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/projections"
)

// Queue hands out the work list: a topic is a kind of work, a message one projections.Task as JSON, and the concurrency of a
// kind is bounded by it. A message whose context ends with commands.ErrGiveWay as its cause asks for its slot: the work is to be
// handed back at once; with commands.ErrShare, at the next place at which nothing is lost. adapters/workqueue is one.
type Queue interface {
	message.Subscriber
	// Stop ends the handing out at once, and waits until nothing is in work any more, or returns ctx's error.
	Stop(ctx context.Context) error
}

// Handler carries out one kind of command and answers with R.
type Handler[C, R any] interface {
	Handle(ctx context.Context, cmd C) (R, error)
}

// Doer carries out one kind of command that has no answer.
type Doer[C any] interface {
	Handle(ctx context.Context, cmd C) error
}

// Cache finds the movie of an account that was made under a cache key and whose file is still there. What it says may be old.
type Cache interface {
	Cached(ctx context.Context, account domain.AccountID, key string) (projections.Movie, bool, error)
}

// Commands are the decisions that the processors ask for. Every one answers commands.ErrNothingToDo when the state asks for
// nothing, or the claim it speaks for is lost. All are required.
type Commands struct {
	StartRender       Handler[commands.StartRender, commands.RenderClaim]
	ReleaseRender     Handler[commands.ReleaseRender, eventstore.Position]
	FinishRender      Handler[commands.FinishRender, eventstore.Position]
	TimeOutRender     Handler[commands.TimeOutRender, eventstore.Position]
	AbandonSubmission Doer[commands.AbandonSubmission]
	SettleMovie       Doer[commands.SettleMovie]
	// PlanRender refuses with the *domain.Error that becomes the movie's message.
	PlanRender Doer[commands.PlanRender]
	ExpireFile Handler[commands.ExpireFile, eventstore.Position]
	// SweepTemplate removes what is stored of a deleted template.
	SweepTemplate Doer[templates.SweepTemplate]
	// CompleteBatch submits the movies of a batch, or winds it down.
	CompleteBatch Doer[commands.CompleteBatch]

	StartDelivery   Handler[deliveries.StartDelivery, deliveries.DeliveryClaim]
	RecordDelivery  Handler[deliveries.RecordDelivery, eventstore.Position]
	ReleaseDelivery Handler[deliveries.ReleaseDelivery, eventstore.Position]
	FinishDelivery  Handler[deliveries.FinishDelivery, eventstore.Position]
	// CountRecipients comes before an e-mail is sent. It refuses with the *domain.Error that becomes the destination's message.
	CountRecipients Handler[deliveries.CountRecipients, eventstore.Position]
	// RecordConnectionTest remembers the host key of an SFTP server that was met for the first time.
	RecordConnectionTest Handler[connections.RecordConnectionTest, eventstore.Position]
}

// Presence is the board on which a worker shows that it lives.
type Presence interface {
	// Beat writes the row of a claim and counts its Beat up. The row of a later attempt is left alone.
	Beat(ctx context.Context, row projections.Presence) error
	// Remove takes the row of a claim down, unless it is another claim's by now.
	Remove(ctx context.Context, work string, attempt int) error
}

// Trouble is the board on which a worker says what it could not do.
type Trouble interface {
	// Failed notes another failure of a piece of work and returns what is known of its trouble.
	Failed(ctx context.Context, item projections.WorkItem, message string) (projections.Trouble, error)
	// Clear takes a trouble down; none is no error.
	Clear(ctx context.Context, work string) error
}

// Visible waits until the read models of this process show the log up to a position.
type Visible interface {
	WaitFor(ctx context.Context, at eventstore.Position) error
}

// WebhookCall is one try at a webhook, WebhookResult how it ended.
type (
	WebhookCall   = deliveries.WebhookCall
	WebhookResult = deliveries.WebhookResult
)

// WebhookFunc makes one try. It waits no longer for an answer than the spec allows; when ctx ends before the try does, it returns
// an error.
type WebhookFunc func(ctx context.Context, call WebhookCall) (WebhookResult, error)

// Connections opens the saved connections of accounts. One that an account does not have is a *domain.Error of kind NotFound.
type Connections interface {
	Open(ctx context.Context, account domain.AccountID, id string) (connections.OpenedConnection, error)
}

// Limits are the times the processors keep to. Zero fields take the value named.
type Limits struct {
	Render   time.Duration // after the first start a render times out. Spec: Limits. 15 minutes
	Beat     time.Duration // between two signs of life. Design §6. 2 s
	Delivery time.Duration // sending time of all destinations of a movie. Decision 33. 5 minutes
	PerHost  int           // deliveries to one host at the same time, by this process. 8
	Release  time.Duration // for handing claims back while shutting down. 5 s
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&l.Render, 15 * time.Minute}, {&l.Beat, 2 * time.Second}, {&l.Delivery, 5 * time.Minute}, {&l.Release, 5 * time.Second}} {
		if *d.value <= 0 {
			*d.value = d.standard
		}
	}
	if l.PerHost <= 0 {
		l.PerHost = 8
	}
	return l
}

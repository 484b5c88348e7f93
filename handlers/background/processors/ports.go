package processors

import (
	"context"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/delivery"
	"moviola/projections"
)

// Queue delivers the work list. A topic is a kind of work, a message is one projections.Task as JSON, and the queue limits
// the concurrency of each kind. When the context of a message ends with commands.ErrGiveWay or commands.ErrAlone as its
// cause, the work must be released at once; with commands.ErrShare as its cause, at the next point where no work is lost.
// adapters/workqueue implements it.
type Queue interface {
	message.Subscriber
	// Stop stops delivering at once, and waits until no work is running any more. When ctx ends
	// first, it returns the error of ctx.
	Stop(ctx context.Context) error
}

// Handler is a handler of commands of the type C that returns a result of the type R.
type Handler[C, R any] interface {
	Handle(ctx context.Context, cmd C) (R, error)
}

// Doer is a handler of commands of the type C that returns no result.
type Doer[C any] interface {
	Handle(ctx context.Context, cmd C) error
}

// Renderer renders movies. A *domain.Error is the movie's own fault (its text is shown to the client and the render is not
// retried); other errors may be transient, and the render is retried.
type Renderer interface {
	Render(ctx context.Context, job commands.RenderJob) (commands.Rendered, error)
	// Finished returns the number of a movie's windows (parts of the movie, each stored as soon as it is encoded) that earlier
	// attempts on this host have made; 0 when that number is unknown.
	Finished(project domain.ProjectID) int
}

// Outputs makes outputs of finished movies other than their MP4. In its result, the keys of files are paths on the local disk. An
// output that cannot be made has status error and the reason. An error is returned only when ctx has ended.
type Outputs interface {
	Make(ctx context.Context, job commands.OutputJob) ([]movie.Output, error)
}

// Preparer prepares one item of a preload batch: it downloads, generates or draws an asset, or has a text spoken.
type Preparer interface {
	// Prepare returns the asset on the local disk. A *domain.Error is the item's own fault, and its text is for the client; other
	// errors may be transient. It is safe for concurrent use.
	Prepare(ctx context.Context, job commands.PrepareJob) (commands.Prepared, error)
}

// SourceFetcher copies the source files of movies and preload items to a storage that every renderer of the installation
// can read. A *domain.Error is a fault of the movie or item, and its text is shown to the client; other errors may be
// transient. Decision 54.
type SourceFetcher interface {
	FetchSources(ctx context.Context, job commands.FetchJob) error
	FetchItem(ctx context.Context, job commands.PrepareJob, fetch commands.Fetch) error
}

// Cache finds, among the movies of an account, one that has a given cache key and whose file still exists. Its answer may be
// outdated.
type Cache interface {
	Cached(ctx context.Context, account domain.AccountID, key string) (projections.Movie, bool, error)
}

// Commands are the commands that the processors call. They return commands.ErrNothingToDo when nothing is left to do, or
// when the claim is lost. A process needs those of its kinds of work; FinishBatch may be nil.
type Commands struct {
	StartRender       Handler[commands.StartRender, commands.RenderClaim]
	ReleaseRender     Handler[commands.ReleaseRender, eventstore.Position]
	FinishRender      Handler[commands.FinishRender, eventstore.Position]
	TimeOutRender     Handler[commands.TimeOutRender, eventstore.Position]
	AbandonSubmission Doer[commands.AbandonSubmission]
	SettleMovie       Doer[commands.SettleMovie]
	// PlanRender changes the hold to the movie's exact price, or refuses the movie, because of the account's plan or credits,
	// with the *domain.Error that becomes the movie's message.
	PlanRender Doer[commands.PlanRender]
	ExpireFile Handler[commands.ExpireFile, eventstore.Position]
	// SweepTemplate removes the files of a deleted template.
	SweepTemplate Doer[templates.SweepTemplate]
	// CompleteBatch submits the movies of a batch, or winds the batch down.
	CompleteBatch Doer[commands.CompleteBatch]
	// FinishBatch records that all movies of a batch have ended. nil: the end of batches is neither recorded nor announced.
	FinishBatch Handler[commands.FinishBatch, commands.FinishedBatch]

	// Delivery are the commands of deliveries.
	Delivery delivery.Commands
}

// Trouble is the trouble board: the table of work items that have failed, in which workers record each failure.
type Trouble interface {
	// Failed records one more failure of a work item, and returns the item's row on the trouble board.
	Failed(ctx context.Context, item projections.WorkItem, message string) (projections.Trouble, error)
	// Clear removes the row of a work item from the trouble board. A missing row is no error.
	Clear(ctx context.Context, work string) error
}

// Limits are the limits of the processors. A zero field means the default that its comment gives.
type Limits struct {
	Render   time.Duration // time from the first start of a render to its timeout. Spec: Limits. Default: 15 minutes
	Beat     time.Duration // time between two writes of a claim's row on the presence board. Design §6. Default: 2 s
	Delivery time.Duration // time limit for all destinations of a movie together. Decision 33. Default: 5 minutes
	PerHost  int           // maximum number of deliveries to one host that this process makes at the same time. Default: 8
	Release  time.Duration // time limit for releasing claims during shutdown. Default: 5 s
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

// Package processors does the work of the work list: it fetches the sources of movies, renders, settles, delivers, times
// out, abandons and expires movies, and does the work on accounts, batches, preloads, templates and media libraries. A
// Watermill router calls, for each kind of work, the processor that does it.
//
// A message is only a hint. Every processor calls a command, which folds the stream and decides. When nothing is left to
// do, that is no error. So messages may be repeated, late or in any order. This package contains no business rules, and no
// state that another process would need: claims are events, progress is on the presence board.
package processors

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/claims"
	"moviola/handlers/background/delivery"
	"moviola/handlers/background/submitted"
	"moviola/projections"
)

// Config is what New needs. Some fields are required only for some kinds of work.
type Config struct {
	Queue Queue
	// Kinds are the kinds of work that this process does, according to its roles. Design §2.
	Kinds    []string
	Commands Commands
	Log      *eventstore.Log // log that is read for movies, and for events that end a claim
	Renderer Renderer
	Encoder  movie.Encoder // this renderer's encoder, as its claims name it
	Outputs  Outputs       // makes the outputs other than the MP4; nil: movies have only their MP4
	Fetcher  SourceFetcher
	Fetches  Fetches
	Cache    Cache
	Files    commands.Files
	Library  MediaCompleter
	Preloads Preloads
	Confirm  Confirmer // records uploads that were sent to the storage directly
	Presence claims.Presence
	Trouble  Trouble
	Accounts Accounts
	Delivery delivery.Roads
	// News sends live events to saved webhooks. nil: no live events are sent.
	News News
	// PublicURL is the base of the addresses of rendered files: scheme and host, no slash at the end. Decision 8.
	PublicURL string
	Tokens    result.Tokens // derives the tokens in the addresses of rendered files
	Limits    Limits
	// Worker identifies this start of this process in its claims. Default: a random name.
	Worker string
	// Observer observes all work. Default: none.
	Observer Observer
	// Tracer makes spans of work. Default: none.
	Tracer Tracer
	Now    func() time.Time   // the clock; default: time.Now
	Logger logrus.FieldLogger // logger of the processors; required
}

func (c Config) validate() error {
	var problems []error
	for name, missing := range map[string]bool{
		"queue": c.Queue == nil, "kinds": len(c.Kinds) == 0, "log": c.Log == nil, "logger": c.Logger == nil,
		"files": c.Files == nil, "presence": c.Presence == nil, "trouble": c.Trouble == nil,
		"renderer": c.Renderer == nil && slices.Contains(c.Kinds, projections.WorkRender),
		"fetcher":  (c.Fetcher == nil || c.Fetches == nil) && slices.Contains(c.Kinds, projections.WorkFetch),
		"library": c.Library == nil && (slices.Contains(c.Kinds, projections.WorkMove) ||
			slices.Contains(c.Kinds, projections.WorkMedia)),
		"preparer":    !c.Preloads.complete() && slices.Contains(c.Kinds, projections.WorkPreload),
		"confirmer":   c.Confirm == nil && slices.Contains(c.Kinds, projections.WorkConfirm),
		"cache":       c.Cache == nil && slices.Contains(c.Kinds, projections.WorkRender),
		"webhook":     c.Delivery.Webhook == nil && slices.Contains(c.Kinds, projections.WorkDeliver),
		"connections": c.Delivery.Connections == nil && slices.Contains(c.Kinds, projections.WorkDeliver),
		"waiting":     c.Delivery.Visible == nil && slices.Contains(c.Kinds, projections.WorkDeliver),
	} {
		if missing {
			problems = append(problems, errors.New("no "+name))
		}
	}
	if kinds := slices.Sorted(slices.Values(c.Kinds)); len(slices.Compact(kinds)) < len(c.Kinds) {
		problems = append(problems, errors.New("a kind of work is named twice"))
	}
	return errors.Join(problems...)
}

// errDraining is the cause for which work is cancelled when the process ends.
var errDraining = errors.New("the process is shutting down")

// Processors does the work of one process. Run and Drain are called once each.
type Processors struct {
	config Config
	limits Limits
	log    logrus.FieldLogger
	router *message.Router
	watch  *claims.Watch
	failed failures
	board  *claims.Board
	// documents reads the JSON of movies, for renders and deliveries.
	documents submitted.Reader
	deliverer *delivery.Deliverer

	work context.Context // context of all work; it ends in a drain, when the work is done or the drain has run out of time
	kill context.CancelCauseFunc
}

// New returns the processors of a process, without starting them.
func New(config Config) (*Processors, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("processors: %w", err)
	}
	if config.Worker == "" {
		config.Worker = "worker-" + randomHex(8)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.Tracer == nil {
		config.Tracer = untraced{}
	}
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: closeTimeout}, bridge{config.Logger})
	if err != nil {
		return nil, fmt.Errorf("processors: %w", err)
	}
	if config.News == nil {
		config.News = unheard{}
	}
	p := &Processors{
		config: config, limits: config.Limits.withDefaults(), log: config.Logger.WithField("worker", config.Worker),
		router: router, watch: claims.NewWatch(config.Log, config.Logger),
	}
	p.board = &claims.Board{Board: config.Presence, Worker: config.Worker, Beat: p.limits.Beat, Log: p.log}
	p.documents = submitted.Reader{Files: config.Files, Log: config.Log}
	p.deliverer = delivery.New(delivery.Config{
		Roads: config.Delivery, Commands: config.Commands.Delivery, Log: config.Log, Files: config.Files, Documents: p.documents,
		Watch: p.watch, Board: p.board, Tracer: config.Tracer, PublicURL: config.PublicURL, Tokens: config.Tokens,
		Limits: delivery.Limits{Movie: p.limits.Delivery, PerHost: p.limits.PerHost, Release: p.limits.Release},
		Worker: config.Worker, Now: config.Now,
	})
	p.work, p.kill = context.WithCancelCause(context.Background())
	router.AddMiddleware(p.underOwnContext, middleware.CorrelationID)
	for _, kind := range config.Kinds {
		if err := p.register(kind); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// closeTimeout is how long cancelled work may take to end. Work takes that long only when its code
// ignores its context.
const closeTimeout = 30 * time.Second

// processor does one kind of work within a time limit.
type processor struct {
	do      func(context.Context, projections.Task) error
	timeout time.Duration
}

// byKind returns the processor of each kind of work.
func (p *Processors) byKind() map[string]processor {
	// aCommand is the time limit of short work, which calls one command or two. When it takes longer, a store is usually
	// unavailable, and a later retry by the work queue is the better way to wait.
	const aCommand = time.Minute
	// aRemoval is the time limit of a removal. The next run continues an interrupted removal.
	const aRemoval = time.Hour
	// aBatch is the time limit for submitting the movies of a batch, up to a thousand. The next run submits the movies that are
	// left.
	const aBatch = 10 * time.Minute
	// aPreparation is the time limit of the preparation of an item. It is long, because downloads, providers and encoders have
	// shorter limits of their own.
	const aPreparation = time.Hour
	return map[string]processor{
		projections.WorkComplete: {p.completeOpening, aCommand},
		projections.WorkZero:     {p.purgeAtZero, aCommand},
		projections.WorkPurge:    {p.clearPurged, aRemoval},
		projections.WorkClose:    {p.closeAccount, aRemoval},

		projections.WorkFetch:   {p.fetch, aPreparation},
		projections.WorkRender:  {p.render, 2*p.limits.Render + 5*time.Minute},
		projections.WorkDeliver: {p.deliver, time.Hour},
		projections.WorkSettle:  {p.settle, aCommand},
		projections.WorkTimeout: {p.timeOut, aCommand},
		projections.WorkStop:    {p.timeOut, aCommand},
		projections.WorkAbandon: {p.abandon, aCommand},
		projections.WorkExpire:  {p.expire, aCommand},
		projections.WorkSweep:   {p.sweep, aCommand},
		projections.WorkBatch:   {p.completeBatch, aBatch},
		projections.WorkMove:    {p.completeMove, aCommand},
		projections.WorkMedia:   {p.expireMedia, aCommand},
		projections.WorkPreload: {p.preload, aPreparation},
		projections.WorkConfirm: {p.confirmUpload, aCommand},
	}
}

// deliver sends a closed movie to its destinations.
func (p *Processors) deliver(ctx context.Context, task projections.Task) error {
	return p.deliverer.Deliver(ctx, task, p.logOf(task))
}

// register adds the handler of one kind of work.
func (p *Processors) register(kind string) error {
	processor, known := p.byKind()[kind]
	if !known {
		return fmt.Errorf("processors: unknown kind of work %q", kind)
	}
	p.router.AddConsumerHandler(kind, kind, p.config.Queue, func(msg *message.Message) error {
		var task projections.Task
		if err := json.Unmarshal(msg.Payload, &task); err != nil {
			return fmt.Errorf("read the task of message %s: %w", msg.UUID, err)
		}
		_, err := middleware.Recoverer(func(msg *message.Message) ([]*message.Message, error) {
			return nil, p.observed(msg.Context(), task, processor.do)
		})(msg)
		return p.end(task, err)
	}).AddMiddleware(middleware.Timeout(processor.timeout))
	return nil
}

// underOwnContext gives each work item a context of its own: see claims.Own.
func (p *Processors) underOwnContext(next message.HandlerFunc) message.HandlerFunc {
	return func(msg *message.Message) ([]*message.Message, error) {
		work, stop := claims.Own(p.work, msg.Context())
		defer stop()
		msg.SetContext(eventstore.WithTrace(work, middleware.MessageCorrelationID(msg), msg.UUID))
		return next(msg)
	}
}

// logOf returns a logger whose lines name what a task is about: the movie or the preload item, its account, and the request
// that caused it.
func (p *Processors) logOf(task projections.Task) logrus.FieldLogger {
	fields := logrus.Fields{"account": task.Account, "request": task.Correlation}
	if _, _, item := projections.ItemOfFetch(task.ID); item {
		fields["preload"] = task.Subject
	} else {
		fields["project"] = task.Subject
	}
	return p.log.WithFields(fields)
}

// end converts the errors of normal ends of work to nil. It returns any other error with the id of the task. It also
// records that error on the trouble board, unless note leaves it out, as it does with transient errors.
func (p *Processors) end(task projections.Task, err error) error {
	if err == nil || settled(err) {
		p.succeeded(task)
		return nil
	}
	p.note(task, err)
	return fmt.Errorf("%s: %w", task.ID, err)
}

// settled reports whether an error is a normal end of work: the work had been done already, or its
// claim was released or lost.
func settled(err error) bool {
	for _, normal := range []error{
		commands.ErrNothingToDo, commands.ErrGiveWay, commands.ErrShare, commands.ErrAlone, commands.ErrOutOfMemory, claims.ErrLost,
		errDraining,
	} {
		if errors.Is(err, normal) {
			return true
		}
	}
	return false
}

// Run works until the processors are drained. When ctx ends first, work is cancelled and claims are released.
func (p *Processors) Run(ctx context.Context) error {
	cut := context.AfterFunc(ctx, func() {
		if err := p.Drain(ctx); err != nil {
			p.log.WithError(err).Error("drain failed; claims lapse, and other workers take the work")
		}
	})
	defer cut()
	// The log is followed from its present end, so that no event about work that starts later is missed.
	from, err := p.watch.End(p.work)
	if err != nil {
		return nil // the processors were drained while they waited for the store
	}
	watching, stopWatching := context.WithCancel(context.Background())
	var watched sync.WaitGroup
	watched.Go(func() { p.watch.Run(watching, from) })
	defer watched.Wait()
	defer stopWatching()
	if err := p.router.Run(context.WithoutCancel(ctx)); err != nil && p.work.Err() == nil {
		return fmt.Errorf("run the processors: %w", err)
	}
	return nil
}

// Drain takes no new work, and waits for running work until ctx ends. Then it cancels the work that is still running,
// which releases its claims, and waits up to closeTimeout for its end. An error means that some work goes on, because it
// ignores its context. Run returns after a Drain, whether it had an error or not. Design §10: the order of shutting down.
func (p *Processors) Drain(ctx context.Context) error {
	err := p.config.Queue.Stop(ctx)
	p.kill(errDraining) // errDraining tells Run that the end of the work is intended
	if err != nil {
		longer, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		err = p.config.Queue.Stop(longer)
	}
	p.config.News.Close(ctx)
	if !p.router.IsRunning() {
		return errors.Join(err, p.config.Queue.Close())
	}
	return errors.Join(err, p.router.Close())
}

// randomHex returns n random bytes in hex.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // rand.Read never returns an error
	return hex.EncodeToString(b)
}

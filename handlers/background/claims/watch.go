package claims

import (
	"context"
	"errors"
	"sync"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// Watch follows the streams of all movies by one subscription. It ends the work on a movie when the claim of that work has ended.
type Watch struct {
	log    *eventstore.Log
	logger logrus.FieldLogger

	mu     sync.Mutex
	guards map[string]map[*Guard]struct{} // Guards that watch a movie, by the name of the movie's stream
}

// NewWatch returns a watch of the movies in a log, without starting it.
func NewWatch(log *eventstore.Log, logger logrus.FieldLogger) *Watch {
	return &Watch{log: log, logger: logger, guards: make(map[string]map[*Guard]struct{})}
}

// Run reads the events of movies from the log until ctx ends, beginning after the position in the parameter after. It shows
// each event to the Guards that watch its movie. A Guard does not need the events before its call of Open: the claim is
// made after that call, and the command that makes it has read all earlier events of the movie.
func (w *Watch) Run(ctx context.Context, after eventstore.Position) {
	filter := eventstore.Filter{Categories: []string{movie.StreamCategory}}
	_ = eventstore.Follow(ctx, w.log.Store(), after, filter, func(n eventstore.Notice) error {
		if n.Event != nil {
			w.saw(*n.Event)
		}
		return nil
	}, eventstore.OnDrop(func(err error) { w.logger.WithError(err).Warn("subscription to the log ended; it is opened again") }))
}

// End returns the position of the log's last event, with retries until the store is available.
func (w *Watch) End(ctx context.Context) (eventstore.Position, error) {
	for pause := NewPause(); ; {
		var failed error
		for recorded, err := range w.log.Store().ReadAll(ctx, eventstore.Backwards, eventstore.Position{}) {
			if err == nil {
				return recorded.Position, nil
			}
			failed = err
		}
		if failed == nil {
			return eventstore.Position{}, nil
		}
		if err := pause.Wait(ctx); err != nil {
			return eventstore.Position{}, err
		}
	}
}

func (w *Watch) saw(recorded eventstore.Recorded) {
	w.mu.Lock()
	defer w.mu.Unlock()
	watched := w.guards[recorded.Stream]
	if len(watched) == 0 {
		return
	}
	event, _, err := w.log.Codec().Decode(recorded)
	if err != nil {
		w.logger.WithError(err).WithField("stream", recorded.Stream).Error("event cannot be read and is skipped")
		return
	}
	for s := range watched {
		s.saw(event)
	}
}

// Guard watches the events of one movie for one worker. It ends the worker's work when an event ends the worker's claim on
// the movie.
type Guard struct {
	watch  *Watch
	stream string
	kind   claimKind

	mu     sync.Mutex
	events []domain.Event // events seen before the claim was known
	claim  *claim
}

// ErrLost is the cause for which work is cancelled when its claim has ended.
var ErrLost = errors.New("the claim is lost")

// claim describes the claim that a Guard watches: the number of the attempt (of a delivery: the run) and the worker that
// holds the claim. stop ends the context of the work under the claim.
type claim struct {
	attempt int
	worker  string
	stop    context.CancelCauseFunc
}

// claimKind is a function that reports whether an event ends the claim of a worker on an attempt. There is one for each
// kind of work on movies.
type claimKind func(event domain.Event, attempt int, worker string) bool

// EndsRender reports whether an event ends the claim of a worker on a render attempt. These events do: the start of a later
// attempt, the cancellation of the movie, and an outcome that another attempt or another worker has recorded. Design §6.
func EndsRender(event domain.Event, attempt int, worker string) bool {
	switch e := event.(type) {
	case movie.RenderStarted:
		return e.Attempt > attempt
	case movie.RenderFinished:
		return e.Attempt != attempt || e.Worker != worker
	case movie.Cancelled:
		return true
	default:
		return false
	}
}

// EndsFetch reports whether an event ends the claim of a worker on an attempt at fetching a movie's sources. These events
// do: the start of a later attempt, an end of the fetch that another attempt or another worker has recorded, the start of a
// render, the cancellation of the movie, and an outcome that another worker has recorded.
func EndsFetch(event domain.Event, attempt int, worker string) bool {
	switch e := event.(type) {
	case movie.SourcesFetchStarted:
		return e.Attempt > attempt
	case movie.SourcesFetched:
		return e.Attempt != attempt || e.Worker != worker
	case movie.RenderStarted, movie.Cancelled:
		return true
	case movie.RenderFinished:
		return e.Worker != worker
	default:
		return false
	}
}

// EndsDelivery reports whether an event ends the claim on a delivery run. Only the start of a later run of the same movie
// does.
func EndsDelivery(event domain.Event, run int, _ string) bool {
	started, ok := event.(movie.DeliveryStarted)
	return ok && started.Run > run
}

// Open starts to watch a movie. It is called before the claim is made, so that no event after the claim is missed.
func (w *Watch) Open(project domain.ProjectID, kind claimKind) *Guard {
	s := &Guard{watch: w, stream: movie.Stream(project), kind: kind}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.guards[s.stream] == nil {
		w.guards[s.stream] = make(map[*Guard]struct{})
	}
	w.guards[s.stream][s] = struct{}{}
	return s
}

// Close stops watching the movie. The context that Claimed has returned does not end by this.
func (s *Guard) Close() {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	delete(s.watch.guards[s.stream], s)
	if len(s.watch.guards[s.stream]) == 0 {
		delete(s.watch.guards, s.stream)
	}
}

// Claimed returns the context of the work under a claim. When the log shows that the claim has ended, the context ends with
// the cause ErrLost.
func (s *Guard) Claimed(ctx context.Context, attempt int, worker string) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.claim = &claim{attempt: attempt, worker: worker, stop: stop}
	early := s.events
	s.events = nil
	s.mu.Unlock()
	for _, event := range early {
		s.saw(event)
	}
	return ctx, func() { stop(context.Canceled) }
}

func (s *Guard) saw(event domain.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.claim == nil:
		s.events = append(s.events, event)
	case s.kind(event, s.claim.attempt, s.claim.worker):
		s.claim.stop(ErrLost)
	}
}

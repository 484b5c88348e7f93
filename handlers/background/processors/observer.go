package processors

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"moviola/commands"
	"moviola/domain/movie"
	"moviola/handlers/background/delivery"
	"moviola/projections"
)

// Observer observes the processors. Many goroutines call its methods, which must not block.
type Observer interface {
	// Working records that a work item of a kind was started. It returns the function that records the item's result.
	Working(kind string) (ended func(result string))
	// Rendered records the measures of a render attempt. It is called just before the attempt's
	// outcome is recorded.
	Rendered(Measures)
}

// Tracer makes spans of work. Many goroutines call its methods, which must not block.
type Tracer interface {
	// Work begins the span of a work item. It returns the context of the work, and the function that ends the span with a result.
	Work(ctx context.Context, task projections.Task) (within context.Context, ended func(result string))
	// Stage makes a span of a render's stage that has just ended.
	Stage(ctx context.Context, stage string, took time.Duration)
	delivery.Tracer
}

// The results of a work item, as Observer and Tracer get them.
const (
	resultOK         = "ok"
	resultNothing    = "nothing"     // nothing was left to do, or the claim was lost
	resultHandedBack = "handed_back" // released or lost: this or another process continues the work, now or later
	ResultFailed     = "failed"      // the work will be retried
)

// resultOf returns the result of a work item from its error.
func resultOf(err error) string {
	switch {
	case err == nil:
		return resultOK
	case errors.Is(err, commands.ErrNothingToDo):
		return resultNothing
	case settled(err):
		return resultHandedBack
	default:
		return ResultFailed
	}
}

// observed runs a work item and tells observer and tracer its result; a panic is a failure.
func (p *Processors) observed(
	ctx context.Context, task projections.Task, do func(context.Context, projections.Task) error,
) error {
	ended, result := p.config.Observer.Working(task.Kind), ResultFailed
	defer func() { ended(result) }()
	ctx, spanEnded := p.config.Tracer.Work(ctx, task)
	defer func() { spanEnded(result) }()
	err := do(ctx, task)
	result = resultOf(err)
	return err
}

// stageStore is the stage of storing the finished files. Only spans show it.
const stageStore = "store"

// staged runs a stage and makes a span of it.
func (p *Processors) staged(ctx context.Context, stage string, do func() error) error {
	began := p.config.Now()
	err := do()
	p.config.Tracer.Stage(ctx, stage, p.config.Now().Sub(began))
	return err
}

// Measures tell how a render attempt used its time.
type Measures struct {
	Took   time.Duration            // time from the claim to the outcome
	Length time.Duration            // length of the movie; 0: the movie was not laid out
	Stages map[string]time.Duration // time of each stage, added up over all windows, which are rendered in parallel
	// Encoded is the number of frames that were encoded, Cached the number of frames that were
	// reused.
	Encoded, Cached int64
}

// spent converts the measures for the outcome's event.
func (m Measures) spent() *movie.Spent {
	spent := &movie.Spent{TookMS: m.Took.Milliseconds(), StagesMS: make(map[string]int64, len(m.Stages)), Encoded: m.Encoded,
		Cached: m.Cached}
	for stage, took := range m.Stages {
		spent.StagesMS[stage] = took.Milliseconds()
	}
	return spent
}

type measuresKey struct{}

// MeasuresOf returns the measures of the attempt whose outcome is being recorded in this context, and false in every other
// context.
func MeasuresOf(ctx context.Context) (Measures, bool) {
	m, ok := ctx.Value(measuresKey{}).(Measures)
	return m, ok
}

// measuring collects the Measures of a render attempt: how the attempt uses its time.
type measuring struct {
	began time.Time
	now   func() time.Time

	mu  sync.Mutex
	sum Measures
}

func newMeasuring(now func() time.Time) *measuring {
	return &measuring{began: now(), now: now, sum: Measures{Stages: map[string]time.Duration{}}}
}

func (m *measuring) addStage(name string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Stages[name] += took
}

func (m *measuring) frames(encoded, cached int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Encoded += encoded
	m.sum.Cached += cached
}

// taken returns the measures collected so far.
func (m *measuring) taken() Measures {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.sum
	taken.Took, taken.Stages = m.now().Sub(m.began), maps.Clone(m.sum.Stages)
	return taken
}

// unobserved is an Observer that does nothing.
type unobserved struct{}

func (unobserved) Working(string) func(string) { return func(string) {} }
func (unobserved) Rendered(Measures)           {}

// untraced is a Tracer that does nothing.
type untraced struct{}

func (untraced) Work(ctx context.Context, _ projections.Task) (context.Context, func(string)) {
	return ctx, func(string) {}
}
func (untraced) Stage(context.Context, string, time.Duration)           {}
func (untraced) Tried(context.Context, movie.DeliveryAttempted, string) {}

package processors

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"moviola/commands"
	"moviola/domain/movie"
)

// Observer is told what the processors do. Its methods are called by many goroutines and must not block.
type Observer interface {
	// Working notes that a piece of work of a kind has begun, and returns what notes how it ended.
	Working(kind string) (ended func(result string))
	// Rendered is told of an attempt at a movie that is about to be recorded as its outcome.
	Rendered(Measures)
}

// The results of work.
const (
	resultOK         = "ok"
	resultNothing    = "nothing"     // it was done already
	resultHandedBack = "handed_back" // it goes on later, or elsewhere
	resultFailed     = "failed"      // it is tried again
)

// resultOf is what came of a piece of work.
func resultOf(err error) string {
	switch {
	case err == nil:
		return resultOK
	case errors.Is(err, commands.ErrNothingToDo):
		return resultNothing
	case settled(err):
		return resultHandedBack
	default:
		return resultFailed
	}
}

// observed does a piece of work, and tells the observer how it ended; a panic is a failure.
func (p *Processors) observed(kind string, do func() error) error {
	ended, result := p.config.Observer.Working(kind), resultFailed
	defer func() { ended(result) }()
	err := do()
	result = resultOf(err)
	return err
}

// Measures tell where the time of an attempt at a movie went.
type Measures struct {
	Took   time.Duration            // from the claim to the outcome
	Length time.Duration            // of the movie; 0: it was not laid out
	Stages map[string]time.Duration // windows of a movie are made side by side: the times of a stage add up
	// Encoded and Cached are frames that were made now, and frames that were found.
	Encoded, Cached int64
}

// spent is what the outcome's event tells of the measures.
func (m Measures) spent() *movie.Spent {
	spent := &movie.Spent{TookMS: m.Took.Milliseconds(), StagesMS: make(map[string]int64, len(m.Stages)), Encoded: m.Encoded,
		Cached: m.Cached}
	for stage, took := range m.Stages {
		spent.StagesMS[stage] = took.Milliseconds()
	}
	return spent
}

type measuresKey struct{}

// MeasuresOf are the measures of the attempt whose outcome a context records, and false for every other context.
func MeasuresOf(ctx context.Context) (Measures, bool) {
	m, ok := ctx.Value(measuresKey{}).(Measures)
	return m, ok
}

// measuring gathers the measures of an attempt.
type measuring struct {
	began time.Time
	now   func() time.Time

	mu  sync.Mutex
	sum Measures
}

func newMeasuring(now func() time.Time) *measuring {
	return &measuring{began: now(), now: now, sum: Measures{Stages: map[string]time.Duration{}}}
}

func (m *measuring) stage(name string, took time.Duration) {
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

// taken is what has been measured so far.
func (m *measuring) taken() Measures {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.sum
	taken.Took, taken.Stages = m.now().Sub(m.began), maps.Clone(m.sum.Stages)
	return taken
}

// unobserved is the observer where there is none.
type unobserved struct{}

func (unobserved) Working(string) func(string) { return func(string) {} }
func (unobserved) Rendered(Measures)           {}

package operators

import (
	"context"
	"sync"
	"time"

	"moviola/eventstore"
	"moviola/handlers/http/admin"
)

// Rebuilding rebuilds read models. projections.Reader implements it.
type Rebuilding interface {
	Rebuild(ctx context.Context, progress func(eventstore.Position), names ...string) error
}

// Rebuilder rebuilds read models in the background, one rebuild at a time. It is safe for concurrent use.
type Rebuilder struct {
	models Rebuilding
	head   func(context.Context) (eventstore.Position, error)
	now    func() time.Time
	ctx    context.Context // context of every rebuild; Close ends it
	cancel context.CancelFunc

	running sync.WaitGroup
	mu      sync.Mutex
	last    admin.Rebuild
}

// NewRebuilder returns a Rebuilder, which must be closed. head returns the end of the log.
func NewRebuilder(models Rebuilding, head func(context.Context) (eventstore.Position, error), now func() time.Time) *Rebuilder {
	r := &Rebuilder{models: models, head: head, now: now}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Start implements admin.Rebuilds.
func (r *Rebuilder) Start(names []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.Running || r.ctx.Err() != nil {
		return false
	}
	r.last = admin.Rebuild{Running: true, Models: names, StartedAt: r.now()}
	r.running.Go(func() { r.run(names) })
	return true
}

func (r *Rebuilder) run(names []string) {
	end, err := r.head(r.ctx)
	if err == nil {
		err = r.models.Rebuild(r.ctx, func(at eventstore.Position) {
			r.note(func(last *admin.Rebuild) { last.Percent = min(100, 100*float64(at.Commit)/float64(max(end.Commit, 1))) })
		}, names...)
	}
	r.note(func(last *admin.Rebuild) {
		last.Running, last.EndedAt = false, r.now()
		if err != nil {
			last.Message = err.Error()
			return
		}
		last.Percent = 100
	})
}

func (r *Rebuilder) note(change func(*admin.Rebuild)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.last)
}

// Last implements admin.Rebuilds.
func (r *Rebuilder) Last() admin.Rebuild {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Close cancels a running rebuild, and waits for its end. The read models that were in use stay in use.
func (r *Rebuilder) Close() {
	r.cancel()
	r.running.Wait()
}

package assets

import (
	"context"
	"sync"

	"moviola/commands"
)

// flights lets callers that want the same thing at once share one piece of work. It goes on while anybody waits for
// it.
type flights struct {
	mu  sync.Mutex
	all map[string]*flight
}

type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	asset   commands.Asset
	err     error
}

// do returns what work returns, running it unless somebody else already does.
func (f *flights) do(ctx context.Context, key string, work func(context.Context) (commands.Asset, error)) (commands.Asset, error) {
	running := f.join(ctx, key, work)
	select {
	case <-running.done:
		f.leave(key, running)
		return running.asset, running.err
	case <-ctx.Done():
		f.leave(key, running)
		return commands.Asset{}, context.Cause(ctx)
	}
}

func (f *flights) join(ctx context.Context, key string, work func(context.Context) (commands.Asset, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if running, ok := f.all[key]; ok {
		running.waiting++
		return running
	}
	workCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	started := &flight{done: make(chan struct{}), cancel: cancel, waiting: 1}
	if f.all == nil {
		f.all = map[string]*flight{}
	}
	f.all[key] = started
	go func() {
		defer close(started.done)
		defer cancel()
		started.asset, started.err = work(workCtx)
		f.forget(key, started)
	}()
	return started
}

// leave gives up one place; the last one to leave ends the work.
func (f *flights) leave(key string, running *flight) {
	f.mu.Lock()
	running.waiting--
	abandoned := running.waiting == 0
	if abandoned && f.all[key] == running {
		// Who comes now must not join work that is about to be stopped.
		delete(f.all, key)
	}
	f.mu.Unlock()
	if abandoned {
		running.cancel()
	}
}

func (f *flights) forget(key string, ended *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all[key] == ended {
		delete(f.all, key)
	}
}

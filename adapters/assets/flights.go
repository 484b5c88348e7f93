package assets

import (
	"context"
	"errors"
	"sync"

	"moviola/commands"
)

// maxAlone is the largest number of downloads in a process that continue without a waiting caller.
const maxAlone = 32

// flights lets concurrent callers with the same key share one piece of work. The work continues while a caller waits. It
// usually continues, too, when the last caller has left because it gave its slot to another account: that caller is
// expected to come back. At most maxAlone pieces of work continue in this way.
type flights struct {
	mu    sync.Mutex
	all   map[string]*flight
	alone int // number of flights (running pieces of work) for which no caller waits
}

// flight is a running piece of work, with the number of callers that wait for it.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	alone   bool // no caller waits, but the work continues, because a caller will ask for the result again
	asset   commands.Asset
	err     error
}

// do returns the result of work. It runs work unless another caller with the same key does already.
func (f *flights) do(
	ctx context.Context, key string, work func(context.Context) (commands.Asset, error),
) (commands.Asset, error) {
	running := f.join(ctx, key, work)
	select {
	case <-running.done:
		f.leave(key, running, false)
		return running.asset, running.err
	case <-ctx.Done():
		cause := context.Cause(ctx)
		f.leave(key, running, errors.Is(cause, commands.ErrGiveWay) || errors.Is(cause, commands.ErrShare))
		return commands.Asset{}, context.Cause(ctx)
	}
}

func (f *flights) join(ctx context.Context, key string, work func(context.Context) (commands.Asset, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if running, ok := f.all[key]; ok {
		running.waiting++
		f.together(running)
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

// leave removes a caller from a running piece of work. When its last caller leaves, the work is cancelled. But if comesBack
// is true, the caller is expected to ask for the result again. Then the work continues, unless maxAlone other pieces of
// work already continue without a caller.
func (f *flights) leave(key string, running *flight, comesBack bool) {
	f.mu.Lock()
	running.waiting--
	abandoned := running.waiting == 0
	if abandoned && comesBack && f.all[key] == running && f.alone < maxAlone {
		running.alone = true
		f.alone++
		abandoned = false
	}
	if abandoned && f.all[key] == running {
		// New callers must not join work that is being cancelled.
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
	f.together(ended)
	if f.all[key] == ended {
		delete(f.all, key)
	}
}

// together stops counting the parameter running as work for which no caller waits: a caller has joined the work, or the
// work has ended. f.mu must be locked.
func (f *flights) together(running *flight) {
	if running.alone {
		running.alone = false
		f.alone--
	}
}

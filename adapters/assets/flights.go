package assets

import (
	"context"
	"errors"
	"sync"

	"moviola/commands"
)

// maxAlone is how many downloads of a process, at most, go on while nobody waits for them.
const maxAlone = 32

// flights lets callers that want the same thing at once share one piece of work. It goes on while anybody waits for
// it, and after that when the last one has only given its slot to others: it will ask again.
type flights struct {
	mu    sync.Mutex
	all   map[string]*flight
	alone int // of all, those that nobody waits for
}

type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	alone   bool // nobody waits for it, and it goes on
	asset   commands.Asset
	err     error
}

// do returns what work returns, running it unless somebody else already does.
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

// leave gives up one place; the last one to leave ends the work, unless it comes back and there is room.
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
	f.together(ended)
	if f.all[key] == ended {
		delete(f.all, key)
	}
}

// together counts a flight off that went on by itself. f.mu must be held.
func (f *flights) together(running *flight) {
	if running.alone {
		running.alone = false
		f.alone--
	}
}

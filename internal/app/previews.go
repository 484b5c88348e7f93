package app

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"moviola/commands/previews"
)

// previewer opens what draws previews: the renderer of this process, or one of its own where it has none, at the first preview.
type previewer struct {
	service *service

	mu  sync.Mutex
	own *Renderer // nil: not opened
}

// newPreviews wires previews of movies.
func (s *service) newPreviews(read previews.Reader) *previews.Handler {
	s.previewer = &previewer{service: s}
	cores := s.cfg.Cores
	if cores <= 0 {
		cores = runtime.NumCPU()
	}
	return previews.New(previews.Config{Drawer: s.previewer.open, Reader: read, Now: time.Now, Places: max(1, cores/2)})
}

// open returns the engine. A process that cannot draw says so.
func (p *previewer) open(ctx context.Context) (previews.Drawer, error) {
	s := p.service
	if s.renderer != nil {
		return s.renderer.Engine, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own == nil {
		log := s.log.WithField("part", "previews")
		opened, err := NewRenderer(context.WithoutCancel(ctx), s.cfg, s.workFolder(), s.fileServer(log), s.sharedSources(), s.stores.Files, s.savedProvider(), s.metrics, log)
		if err != nil {
			return nil, fmt.Errorf("open a renderer for previews: %w: %w", previews.ErrNoDrawer, err)
		}
		p.own = opened
	}
	return p.own.Engine, nil
}

// close closes the renderer that was opened for previews.
func (p *previewer) close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own == nil {
		return nil
	}
	return p.own.Close(ctx)
}

package resources

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"moviola/commands/previews"
	"moviola/internal/app/rendering"
)

// previewer opens the renderer that draws previews: that of this process or, without the role renderer, one of its own at the
// first preview.
type previewer struct {
	resources *Resources

	mu  sync.Mutex
	own *rendering.Renderer // the renderer opened for previews; nil: none has been opened
}

// newPreviews wires previews of movies.
func (s *Resources) newPreviews(read previews.Reader) *previews.Handler {
	s.previewer = &previewer{resources: s}
	cores := s.Config.Cores
	if cores <= 0 {
		cores = runtime.NumCPU()
	}
	return previews.New(previews.Config{Drawer: s.previewer.open, Reader: read, Now: time.Now, Places: max(1, cores/2)})
}

// open returns the engine. Its error says why this process cannot draw.
func (p *previewer) open(ctx context.Context) (previews.Drawer, error) {
	s := p.resources
	if s.Renderer != nil {
		return s.Renderer.Engine, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own == nil {
		log := s.Logger.WithField("part", "previews")
		opened, err := rendering.NewRenderer(context.WithoutCancel(ctx), s.Config, s.WorkFolder(), s.FileServer(log),
			s.SharedSources(), s.Stores.Files, s.SavedProvider(), s.Watched(), log)
		if err != nil {
			return nil, fmt.Errorf("open a renderer for previews: %w: %w", previews.ErrNoDrawer, err)
		}
		p.own = opened
	}
	return p.own.Engine, nil
}

// close closes the renderer that previews have opened.
func (p *previewer) close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own == nil {
		return nil
	}
	return p.own.Close(ctx)
}

package render

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

const (
	// defaultPagesTime is how long all pages of a movie together may take in browsers. Decision 72.
	defaultPagesTime = 10 * time.Minute
	// pagesTimeKept is how long it is remembered what the pages of a movie have taken, from the last of them on: no movie has
	// more turns after it.
	pagesTimeKept = 20 * time.Minute
)

// errPagesTime ends the page with which the time of a movie's pages is over.
var errPagesTime = errors.New("the time of the movie's pages is over")

// pagesTimes are what the pages of movies have taken in this process, over all turns of each. It is safe for concurrent use.
type pagesTimes struct {
	mu  sync.Mutex
	all map[domain.ProjectID]*pagesTime
}

// of is the time of a movie.
func (p *pagesTimes) of(project domain.ProjectID, limit time.Duration) *pagesTime {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for other, t := range p.all {
		if t.idle(now) > pagesTimeKept {
			delete(p.all, other)
		}
	}
	if p.all == nil {
		p.all = map[domain.ProjectID]*pagesTime{}
	}
	if p.all[project] == nil {
		p.all[project] = &pagesTime{limit: limit, last: now}
	}
	return p.all[project]
}

// pagesTime is what the pages of one movie have taken. It is safe for concurrent use.
type pagesTime struct {
	limit time.Duration

	mu    sync.Mutex
	spent time.Duration
	last  time.Time // that something was spent
}

func (t *pagesTime) idle(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Sub(t.last)
}

func (t *pagesTime) left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.limit - t.spent
}

func (t *pagesTime) spend(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent, t.last = t.spent+d, time.Now()
}

// bounded is load within the time of the movie's pages, which counts from when the page has its browser.
func (t *pagesTime) bounded(l timeline.Layer, load func(context.Context) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		var mu sync.Mutex // guards those below
		var begun time.Time
		var end *time.Timer
		stop := func() {
			mu.Lock()
			defer mu.Unlock()
			if end != nil {
				end.Stop()
				t.spend(time.Since(begun))
				end = nil
			}
		}
		shown, err := load(commands.OnPageTurn(ctx, func() {
			stop() // the browser before has died
			mu.Lock()
			defer mu.Unlock()
			begun = time.Now()
			end = time.AfterFunc(t.left(), func() { cancel(errPagesTime) })
		}))
		stop()
		if err != nil && errors.Is(context.Cause(ctx), errPagesTime) {
			return nil, t.over(l)
		}
		return shown, err
	}
}

// over names the page with which the time was over.
func (t *pagesTime) over(l timeline.Layer) error {
	page := "its html"
	if l.Page.Source != "" {
		page = fmt.Sprintf("the page '%.200s'", l.Page.Source)
	}
	return domain.Errorf(domain.Invalid, "html_too_slow", "The pages of the movie have taken %s together, as long as they "+
		"may, and %s is not done. "+
		"Use fewer pages, or faster ones.", inWords(t.limit), page)
}

// inWords is a time for people: 10 minutes, 30s.
func inWords(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}

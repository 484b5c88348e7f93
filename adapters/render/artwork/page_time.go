package artwork

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
	// DefaultPagesTime is the time limit for all pages of a movie together, in browsers. Decision 72.
	DefaultPagesTime = 10 * time.Minute
	// pagesTimeKept is how long the time spent on a movie's pages is remembered after time was last added to it. By then no further
	// attempt at the movie is to be expected.
	pagesTimeKept = 20 * time.Minute
)

// errPagesTime cancels the page during which the time limit of the movie's pages is reached.
var errPagesTime = errors.New("the time of the movie's pages is over")

// PagesTimes holds, for each movie, the time that this process has spent on the movie's pages, in all attempts together. It
// is safe for concurrent use.
type PagesTimes struct {
	mu  sync.Mutex
	all map[domain.ProjectID]*pagesTime
}

// Of returns the record of the time spent on a movie's pages.
func (p *PagesTimes) Of(project domain.ProjectID, limit time.Duration) *pagesTime {
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

// pagesTime is the time spent on the pages of one movie. It is safe for concurrent use.
type pagesTime struct {
	limit time.Duration

	mu    sync.Mutex
	spent time.Duration
	last  time.Time // when time was last added to the record
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

// bounded returns a function that calls load, and cancels it when the time limit of the movie's pages is reached. Time is counted
// from the moment the page has a browser.
func (t *pagesTime) bounded(l timeline.Layer, load func(context.Context) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		var mu sync.Mutex // guards the variables below
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
			// When the browser of the page has died, the page gets another one. The time with the first one is then added
			// to the record, and counting begins anew.
			stop()
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

// over returns the error of the page during which the time limit was reached.
func (t *pagesTime) over(l timeline.Layer) error {
	page := "its html"
	if l.Page.Source != "" {
		page = fmt.Sprintf("the page '%.200s'", l.Page.Source)
	}
	return domain.Errorf(domain.Invalid, "html_too_slow", "The pages of the movie have taken %s together, as long as they "+
		"may, and %s is not done. "+
		"Use fewer pages, or faster ones.", inWords(t.limit), page)
}

// inWords formats a duration for messages: 10 minutes, 30s.
func inWords(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}

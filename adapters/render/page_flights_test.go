package render_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"sync"
	"testing"
	"time"

	"moviola/adapters/render"
	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/preload"
	"moviola/domain/timeline"
)

// hanging are pages whose servers do not answer before answer is called.
type hanging struct {
	squares
	mu      sync.Mutex
	waiting []chan struct{}
	ended   chan error // gets the context's error of each page that was given up; nil: nobody looks
	begun   chan struct{}
}

func (h *hanging) wait(ctx context.Context) error {
	answered := make(chan struct{})
	h.mu.Lock()
	h.waiting = append(h.waiting, answered)
	h.mu.Unlock()
	if h.begun != nil {
		h.begun <- struct{}{}
	}
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		if h.ended != nil {
			h.ended <- ctx.Err()
		}
		return context.Cause(ctx)
	}
}

// answer lets all pages that wait be loaded.
func (h *hanging) answer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.waiting {
		close(w)
	}
	h.waiting = nil
}

func (h *hanging) Still(ctx context.Context, p timeline.Page, w, hh int) (*image.NRGBA, error) {
	if err := h.wait(ctx); err != nil {
		return nil, err
	}
	return h.squares.Still(ctx, p, w, hh)
}

func (h *hanging) Frames(ctx context.Context, p timeline.Page, w, hh int, r timeline.Rate, n int64, yield func(int64, *image.NRGBA) error) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	return h.squares.Frames(ctx, p, w, hh, r, n, yield)
}

func hangingBench(t *testing.T) (*bench, *hanging) {
	t.Helper()
	b, pages := newBench(t), &hanging{}
	engine, err := render.New(render.Config{Dir: b.dir, Tools: b.media.tools, Fetcher: b.media, Text: b.words, Cores: 2, Log: quiet(), Pages: pages})
	if err != nil {
		t.Fatal(err)
	}
	b.Engine = engine
	return b, pages
}

// TestEngine_Render_SharesWhilePagesLoad: a movie whose pages hang gives its slot up when it is asked for, the pages go on meanwhile, and the next
// turns take what they have come to: each is loaded once, may it be taken from a cache or not, move or stand.
func TestEngine_Render_SharesWhilePagesLoad(t *testing.T) {
	t.Parallel()
	b, pages := hangingBench(t)
	job := b.job(object{"width": 128, "height": 72, "fps": 10, "scenes": []object{{"duration": 1, "elements": []object{
		{"type": "html", "src": "https://x.test/a"},
		{"type": "html", "src": "https://x.test/b", "cache": false},
		{"type": "html", "html": "<img src=https://x.test/c.png>"},
		{"type": "html", "src": "https://x.test/d", "capture": object{"duration": 1}},
	}}}})
	asked := make(chan struct{})
	close(asked)
	job.Share = asked
	turns := 0
	for {
		out, err := b.Render(t.Context(), job)
		if err == nil {
			out.Close()
			break
		}
		if !errors.Is(err, commands.ErrGiveWay) {
			t.Fatal(err)
		}
		if turns++; turns > 8 {
			t.Fatal("the movie never ends")
		}
		pages.answer()
		job.Attempt++
	}
	if turns == 0 {
		t.Error("the slot was never given up")
	}
	if stills, films := pages.stills.Load(), pages.films.Load(); stills != 3 || films != 1 {
		t.Errorf("%d stills and %d films were drawn, want 3 and 1", stills, films)
	}
}

// A page that its render was waiting for is given up with the render.
func TestEngine_Render_EndsItsPages(t *testing.T) {
	t.Parallel()
	b, pages := hangingBench(t)
	pages.ended, pages.begun = make(chan error, 1), make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-pages.begun
		cancel()
	}()
	doc := object{"width": 128, "height": 72, "fps": 10, "scenes": []object{
		{"duration": 1, "elements": []object{{"type": "html", "src": "https://x.test/a"}}},
	}}
	if _, err := b.Render(ctx, b.job(doc)); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if err := <-pages.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the page ended with %v", err)
	}
}

// TestEngine_Prepare_SharesWhilePagesLoad: a preload item whose page hangs gives its slot up when it is asked for; the page goes on, and the item's
// next turn takes what it has come to.
func TestEngine_Prepare_SharesWhilePagesLoad(t *testing.T) {
	t.Parallel()
	b, pages := hangingBench(t)
	pages.begun = make(chan struct{}, 1)
	job := commands.PrepareJob{Account: "a", Batch: "b", Attempt: 1, Now: time.Unix(1_800_000_000, 0), Item: preload.Wanted{
		Item: preload.Item{ID: "i", Type: preload.HTML}, Properties: object{"type": "html", "src": "https://x.test/a", "width": 64.0, "height": 64.0},
	}}
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-pages.begun
		cancel(commands.ErrShare)
	}()
	if _, err := b.Prepare(ctx, job); !errors.Is(err, commands.ErrShare) && !errors.Is(err, context.Canceled) {
		t.Fatalf("it ended with %v", err)
	}
	pages.answer()
	job.Attempt++
	made, err := b.Prepare(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	made.Close()
	if n := pages.stills.Load(); n != 1 {
		t.Errorf("the page was drawn %d times", n)
	}
}

// TestEngine_Render_SharesWhilePreloadsLoad: a movie whose preload has a page that hangs gives its slot up when it is asked for, and what is prepared
// beside it is finished.
func TestEngine_Render_SharesWhilePreloadsLoad(t *testing.T) {
	t.Parallel()
	b, pages := hangingBench(t)
	job := b.job(object{
		"width": 128, "height": 72, "fps": 10, "preload": []object{{"id": "p", "type": "html", "src": "https://x.test/a", "width": 64, "height": 64}},
		"scenes": []object{{"duration": 1}},
	})
	asked := make(chan struct{})
	close(asked)
	job.Share, job.Now = asked, time.Unix(1_800_000_000, 0)
	if _, err := b.Render(t.Context(), job); !errors.Is(err, commands.ErrGiveWay) {
		t.Fatalf("it ended with %v", err)
	}
	pages.answer()
	job.Share, job.Attempt = nil, 2
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	if n := pages.stills.Load(); n != 1 {
		t.Errorf("the page was drawn %d times", n)
	}
}

// slowPages are hanging pages that have a browser at once.
type slowPages struct{ *hanging }

func (s slowPages) Still(ctx context.Context, p timeline.Page, w, h int) (*image.NRGBA, error) {
	commands.PageTurn(ctx)
	return s.hanging.Still(ctx, p, w, h)
}

// TestEngine_Render_BoundsItsPages: all pages of a movie together have a time, over all its turns, that ends the movie with an error which names the
// page; what they wait for a browser does not count. Decision 72.
func TestEngine_Render_BoundsItsPages(t *testing.T) {
	t.Parallel()
	b, pages := newBench(t), &hanging{begun: make(chan struct{}, 10)}
	engineOf := func(pages artwork.Pages, limit time.Duration) *render.Engine {
		t.Helper()
		e, err := render.New(render.Config{Dir: b.dir, Tools: b.media.tools, Fetcher: b.media, Text: b.words, Cores: 2, Log: quiet(), Pages: pages, PagesTime: limit})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	var elements []object
	for i := range 3 {
		elements = append(elements, object{"type": "html", "src": fmt.Sprintf("https://x.test/%d", i)})
	}
	job := b.job(object{"width": 128, "height": 72, "fps": 10, "scenes": []object{{"duration": 1, "elements": elements}}})
	e := engineOf(slowPages{pages}, 10*time.Millisecond)
	for range 2 { // nor has it any time left in its next turn
		_, err := e.Render(t.Context(), job)
		var refusal *domain.Error
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "have taken 10ms together, as long as they may, and the page 'https://x.test/") {
			t.Fatalf("it ended with %v", err)
		}
		job.Attempt++
	}
	b.project = "another"
	waiting := b.job(object{"width": 128, "height": 72, "fps": 10, "scenes": []object{{"duration": 1, "elements": elements[:1]}}})
	for len(pages.begun) > 0 {
		<-pages.begun
	}
	go func() {
		<-pages.begun
		pages.answer()
	}()
	out, err := engineOf(pages, time.Nanosecond).Render(t.Context(), waiting)
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
}

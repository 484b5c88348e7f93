package browser

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain/timeline"
	"moviola/internal/jail"
)

// DefaultPath is where Debian's package chromium-headless-shell has its program.
const DefaultPath = "/usr/lib/chromium/chromium-headless-shell"

// Config is the configuration of a Pool. Dial must be set.
type Config struct {
	Path string // path of chromium-headless-shell; empty: DefaultPath
	// Dial makes every connection of every page, to host:port over "tcp". It must refuse addresses that pages must not reach.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Jail starts the browsers in a sandbox. Nil: Chromium is confined by its own sandbox only, if that works here.
	Jail *jail.Jail
	// Dir is for Chromium's files if it has no folder in memory; it must be accessible to everybody. Empty: the system's
	// temporary folder.
	Dir      string
	Browsers int           // largest number of running browsers, each with one page at a time; 0: 2
	Pages    int           // number of pages after which a browser is replaced; 0: 200
	Idle     time.Duration // how long an unused browser is kept; 0: a minute
	// Limit is the time limit of a page from the loading of its content to its picture or to the end of its first second
	// of frames, and again for each further second of frames. The type budget says which time is not counted. 0: 30 s.
	Limit    time.Duration
	MemoryMB int // memory limit of a browser with its page, in MB; 0: 1500
	PageMB   int // megabytes that a page may load and send; 0: 64
	// Fonts returns fonts for a page that are not installed. Nil: none.
	Fonts func(Page) []Font
	Log   logrus.FieldLogger
}

const defaultMemoryMB = 1500

// Pool draws pages. It is safe for concurrent use.
type Pool struct {
	cfg   Config
	turns chan struct{} // one value for each browser in use; its capacity is the largest number of browsers
	done  chan struct{} // closed by Close

	mu      sync.Mutex
	idle    []*browser
	running map[*browser]bool
	level   int  // index in levels: the one at which the first browser has started; until then, the first to try
	known   bool // a browser has started at the level in the field level
	closed  bool

	uninvited atomic.Int64 // number of requests that browsers made on their own
}

// New returns a pool. Browsers are started on demand, so none need be installed.
func New(cfg Config) (*Pool, error) {
	if cfg.Dial == nil {
		return nil, errors.New("the browser pool needs a way to dial")
	}
	setDefault(&cfg.Path, DefaultPath)
	setDefault(&cfg.Dir, os.TempDir())
	setDefault(&cfg.Browsers, 2)
	setDefault(&cfg.Pages, 200)
	setDefault(&cfg.Idle, time.Minute)
	setDefault(&cfg.Limit, 30*time.Second)
	setDefault(&cfg.MemoryMB, defaultMemoryMB)
	setDefault(&cfg.PageMB, 64)
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	return &Pool{cfg: cfg, turns: make(chan struct{}, cfg.Browsers), done: make(chan struct{}), running: map[*browser]bool{}}, nil
}

func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

// Still loads a page and returns a picture of it. The picture is taken when the page, its fonts and its images have been
// loaded, or after maxSettle, and when page.Wait and page.Finished are satisfied after that. It has page.Width ×
// page.Height pixels, which are transparent where the page has no background.
//
// A *domain.Error says what is wrong with the page, or that no browser is installed. Other errors have other causes, such
// as this machine or the end of ctx.
func (p *Pool) Still(ctx context.Context, page Page) (*image.NRGBA, error) {
	var picture *image.NRGBA
	err := p.show(ctx, page, func(ctx context.Context, t *tab) error {
		var err error
		picture, err = t.shoot(ctx)
		return err
	})
	return picture, err
}

// Frames loads a page and passes n frames of it to yield. Frame 0 shows the page at the moment when Still would take its
// picture; frame i shows it i ÷ rate seconds later, rounded to 0.1 ms. When a frame is equal to the one before it, yield
// gets the same *image.NRGBA again, so yield must not change the frames. If yield returns an error, Frames ends and
// returns an error that usually wraps it. In all else Frames is like Still.
func (p *Pool) Frames(
	ctx context.Context, page Page, rate timeline.Rate, n int64, yield func(i int64, frame *image.NRGBA) error,
) error {
	if rate.Num <= 0 || rate.Den <= 0 || n <= 0 {
		return fmt.Errorf("capture of %d frames at %d/%d per second", n, rate.Num, rate.Den)
	}
	return p.show(ctx, page, func(ctx context.Context, t *tab) error {
		return t.film(ctx, rate, n, yield)
	})
}

// show loads a page in a browser and calls draw.
func (p *Pool) show(ctx context.Context, page Page, draw func(context.Context, *tab) error) error {
	page, err := page.check()
	if err != nil {
		return err
	}
	if p.cfg.Fonts != nil {
		page.fonts = p.cfg.Fonts(page)
	}
	err = p.try(ctx, page, draw)
	if errors.Is(err, errLost) { // the page is not to blame: its content was not loaded yet
		err = p.try(ctx, page, draw)
	}
	return err
}

func (p *Pool) try(ctx context.Context, page Page, draw func(context.Context, *tab) error) error {
	b, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	commands.PageTurn(ctx)
	healthy := false
	defer func() { p.release(b, healthy) }()
	budget, stop := withBudget(ctx, p.cfg.Limit, nil)
	defer stop()
	err = b.show(budget, page, draw)
	// A browser that has just died may still count as healthy in b.healthy, so err and budget are looked at, too.
	healthy = !errors.Is(err, errLost) && !errors.Is(err, context.DeadlineExceeded) && b.healthy() && budget.Err() == nil
	if err != nil && !healthy {
		return b.explain(budget, err)
	}
	return err
}

// acquire waits for a turn and returns a running browser.
func (p *Pool) acquire(ctx context.Context) (*browser, error) {
	select {
	case p.turns <- struct{}{}:
	case <-p.done:
		return nil, errClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	b, err := p.ready(ctx)
	if err != nil {
		<-p.turns
	}
	return b, err
}

// ready returns an unused browser, or a new one.
func (p *Pool) ready(ctx context.Context) (*browser, error) {
	if p.isClosed() {
		return nil, errClosed
	}
	for b := p.waiting(); b != nil; b = p.waiting() {
		if b.retire.Stop() && b.healthy() {
			return b, nil
		}
		b.close()
	}
	return p.start(ctx)
}

var errClosed = errors.New("the browser pool is closed")

func (p *Pool) isClosed() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// waiting returns the most recently used of the unused browsers; nil: there is none.
func (p *Pool) waiting() *browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	b := p.idle[last]
	p.idle = p.idle[:last]
	return b
}

// release keeps a browser for the next page, or ends it.
func (p *Pool) release(b *browser, healthy bool) {
	defer func() { <-p.turns }()
	b.pages++
	p.mu.Lock()
	keep := healthy && b.pages < p.cfg.Pages && !p.closed
	if keep {
		b.retire = time.AfterFunc(p.cfg.Idle, func() { p.drop(b) })
		p.idle = append(p.idle, b)
	}
	p.mu.Unlock()
	if !keep {
		b.close()
	}
}

// drop ends a browser that was unused for too long.
func (p *Pool) drop(b *browser) {
	p.mu.Lock()
	for i, other := range p.idle {
		if other == b {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			break
		}
	}
	p.mu.Unlock()
	b.close()
}

// Close ends all browsers. Pages that are being drawn may finish until ctx ends; new ones are refused.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	if first {
		close(p.done)
	}
	for _, b := range idle {
		b.retire.Stop()
		b.close()
	}
	for range cap(p.turns) {
		select {
		case p.turns <- struct{}{}:
			defer func() { <-p.turns }()
		case <-ctx.Done():
			return p.abandon(ctx)
		}
	}
	return nil
}

// abandon ends the browsers whose pages have not finished in time.
func (p *Pool) abandon(ctx context.Context) error {
	p.mu.Lock()
	var left []*browser
	for b := range p.running {
		left = append(left, b)
	}
	p.mu.Unlock()
	for _, b := range left {
		b.end(errClosed) // so that its page is not blamed
		b.close()
	}
	return fmt.Errorf("close browser pool: %w", context.Cause(ctx))
}

// track keeps the browser b in p.running until b is closed.
func (p *Pool) track(b *browser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[b] = true
	b.onClose = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.running, b)
	}
}

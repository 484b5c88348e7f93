package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"moviola/commands"
	"moviola/domain"
)

// startTime is the time limit for starting a browser, and for opening an empty page in it. On a machine that is busy with
// something else a start has taken 24 seconds.
const startTime = time.Minute

var (
	errMemory  = errors.New("the page needs too much memory")
	errCrashed = errors.New("the page has crashed")
	errLost    = errors.New("the browser has died before its page was there")
)

// browser is a running Chromium with its egress proxy. It shows one page at a time.
type browser struct {
	process *process
	conn    *conn
	egress  *egress
	quiet   *http.Server // refuses requests that the browser makes on its own
	pageMB  int
	limit   time.Duration // time limit of a page
	pages   int           // number of pages shown so far
	retire  *time.Timer   // ends the browser when it has waited too long for a page
	onClose func()
	closing sync.Once
	served  sync.WaitGroup
	watched chan struct{} // channel that close closes, which ends the watching of memory

	mu    sync.Mutex
	tab   *tab  // the current page; nil: there is none
	cause error // why the browser had to be killed; nil: the method end was not called
}

// start starts a browser at the best level of confinement that works here.
func (p *Pool) start(ctx context.Context) (*browser, error) {
	if _, err := os.Stat(p.cfg.Path); err != nil {
		return nil, missing(p.cfg.Path)
	}
	p.mu.Lock()
	first, known := p.level, p.known
	p.mu.Unlock()
	var errs []error
	for i := first; i < len(levels); i++ {
		if levels[i].jailed && p.cfg.Jail.Off() {
			continue
		}
		if err := p.cfg.Jail.Refuses(levels[i].spaces); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", levels[i].name, err))
			continue
		}
		b, err := p.startAt(ctx, levels[i])
		if err == nil {
			p.settle(i, errs)
			return b, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if p.isClosed() { // Close may have ended the browser that was starting
			return nil, errClosed
		}
		errs = append(errs, fmt.Errorf("%s: %w", levels[i].name, err))
		// Two failures do not show that this machine refuses the level of confinement: a time-out, and a failure at a level
		// at which a browser has started before (known). After these, no less strict level is tried.
		if known || errors.Is(err, context.DeadlineExceeded) {
			break
		}
	}
	return nil, fmt.Errorf("start browser: %w", errors.Join(errs...))
}

// codeMissing is the code of the error that says that no browser is installed.
const codeMissing = "browser_missing"

func missing(path string) error {
	return domain.Errorf(domain.Internal, codeMissing,
		"Web pages cannot be drawn on this server: headless Chromium is not installed. Install the package "+
			"chromium-headless-shell (expected at %s)", path)
}

// settle remembers the level of confinement at which the browser has started, and logs it once.
func (p *Pool) settle(level int, errs []error) {
	p.mu.Lock()
	known := p.known
	if !known {
		p.level, p.known = level, true
	}
	p.mu.Unlock()
	if known {
		return
	}
	log := p.cfg.Log.WithField("confinement", levels[level].name)
	if len(errs) > 0 {
		log.WithError(errors.Join(errs...)).Warn("browser runs without some or all layers of its sandbox; see `moviola doctor`")
		return
	}
	log.Info("browser runs in a sandbox")
}

func (p *Pool) startAt(ctx context.Context, l level) (*browser, error) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	running, err := launch(ctx, p.cfg, l)
	if err != nil {
		return nil, err
	}
	b := &browser{process: running, pageMB: p.cfg.PageMB, limit: p.cfg.Limit, watched: make(chan struct{})}
	b.egress = newEgress(running.ports[0], p.cfg.Dial)
	b.refuse(running.ports[1], p)
	b.conn = newConn(running.in, running.out, b.handle)
	p.track(b)
	if err := b.greet(ctx); err != nil {
		b.close()
		return nil, fmt.Errorf("%w: %s", err, running.notes)
	}
	b.served.Add(1)
	go func() {
		defer b.served.Done()
		watchMemory(running.pid, int64(p.cfg.MemoryMB)<<20, b.watched, func() { b.end(errMemory) })
	}()
	return b, nil
}

// greet waits until the browser answers.
func (b *browser) greet(ctx context.Context) error {
	if err := b.conn.call(ctx, "", "Browser.getVersion", nil, nil); err != nil {
		return err
	}
	return b.conn.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil)
}

// refuse serves the port for requests that belong to no page, and refuses them.
func (b *browser) refuse(port net.Listener, p *Pool) {
	b.quiet = &http.Server{ReadHeaderTimeout: headerTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.cfg.Log.WithField("host", r.Host).Debug("request of the browser that belongs to no page refused")
		p.uninvited.Add(1)
		hangUp(w)
	})}
	b.served.Add(1)
	go func() {
		defer b.served.Done()
		_ = b.quiet.Serve(port) // Serve returns after the browser was closed
	}()
}

// handle receives every event of the browser, on the goroutine that reads its pipe.
func (b *browser) handle(e event) {
	b.mu.Lock()
	t := b.tab
	b.mu.Unlock()
	if t == nil {
		return
	}
	switch {
	case e.Session == t.session && e.Session != "":
		t.handle(e)
	case e.Method == "Target.targetCreated":
		b.dismiss(e, t)
	case e.Method == "Target.targetCrashed":
		b.end(errCrashed)
	}
}

// dismiss closes the browser windows that a page opens.
func (b *browser) dismiss(e event, t *tab) {
	var created struct {
		TargetInfo struct {
			TargetID string `json:"targetId"`
			Type     string
			OpenerID string `json:"openerId"`
		}
	}
	if err := json.Unmarshal(e.Params, &created); err != nil {
		return
	}
	if info := created.TargetInfo; info.OpenerID != "" && info.TargetID != t.target {
		b.conn.tell("", "Target.closeTarget", map[string]any{"targetId": info.TargetID})
	}
}

// show loads a page into a new profile, calls draw, and removes page and profile.
// Decision 98: the page's time is counted from the moment when the loading of its content begins.
func (b *browser) show(budget *budget, page Page, draw func(context.Context, *tab) error) error {
	ctx, stop := context.WithCancel(budget)
	defer stop()
	traffic := b.egress.admit(ctx, int64(b.pageMB)<<20)
	defer b.egress.shut()
	if page.sealed {
		b.egress.shut()
	}
	opening, opened := context.WithTimeout(ctx, startTime)
	t, err := b.open(opening, page, traffic)
	opened()
	if errors.Is(err, errPipe) {
		return errLost
	}
	if err != nil {
		return err
	}
	if page.work > 0 {
		done := make(chan struct{})
		defer close(done)
		b.served.Add(1)
		go func() {
			defer b.served.Done()
			watchWork(b.process.pid, page.work, done, func() { b.end(errWork) })
		}()
	}
	budget.begin()
	serving, served := context.WithCancel(ctx)
	var fonts sync.WaitGroup
	fonts.Go(func() { t.serveFonts(serving) })
	err = t.load(ctx)
	if err == nil {
		err = draw(ctx, t)
	}
	served()
	fonts.Wait()
	b.discard(ctx, t)
	if closed := (*protocolError)(nil); errors.As(err, &closed) && closed.Code == noSession {
		return fault("The page closed itself")
	}
	return err
}

// noSession is the error code for a call to a page that has ended.
const noSession = -32001

// end kills the browser for a cause: what its page does, or the close of the pool.
func (b *browser) end(cause error) {
	b.mu.Lock()
	if b.cause == nil {
		b.cause = cause
	}
	b.mu.Unlock()
	b.process.signal()
}

// healthy reports whether the browser can show another page.
func (b *browser) healthy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.process.ended:
		return false
	case <-b.conn.done:
		return false
	default:
		return b.cause == nil
	}
}

// explain returns the error of a page whose browser cannot be used again. If the page is to blame, the error says why the
// page could not be drawn. If Pool.Close has ended the browser, the error is errClosed. If the browser crashed, and the
// kernel says that memory ran out, the error is commands.ErrOutOfMemory. Any other error is returned unchanged.
func (b *browser) explain(budget context.Context, err error) error {
	b.mu.Lock()
	cause := b.cause
	b.mu.Unlock()
	var spent *spentError
	switch {
	case errors.As(err, new(*domain.Error)):
		return err
	case errors.Is(cause, errClosed):
		return errClosed
	case errors.Is(cause, errMemory):
		return crash("The page needs too much memory")
	case errors.Is(cause, errWork):
		return fault("The page takes more than %g s of processor time to draw: make it simpler, or use a PNG of it",
			drawingWork.Seconds())
	case errors.Is(cause, errCrashed), cause == nil && errors.Is(err, errPipe):
		if b.process.starved() { // Decision 56: the kernel says that memory ran out, so the page is not blamed for the crash
			return fmt.Errorf("%w: that of the group of a page's browser was used up", commands.ErrOutOfMemory)
		}
		return crash("The page crashed: it needs too much memory, or does something the browser cannot do")
	case errors.As(context.Cause(budget), &spent):
		return fault("The page did not finish within %s: it may contain an endless loop, or be too large", spent.limit)
	}
	return err
}

// close kills the browser and all processes that it has started.
func (b *browser) close() {
	b.closing.Do(func() {
		close(b.watched)
		b.process.kill()
		<-b.conn.done
		b.egress.close()
		_ = b.quiet.Close()
		b.served.Wait()
		if b.onClose != nil {
			b.onClose()
		}
	})
}

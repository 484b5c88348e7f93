package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"net/url"
	"strings"
	"sync"
	"time"

	"moviola/domain/timeline"
	"moviola/third_party/tailwindcss"
)

// tab is a page in a browser.
type tab struct {
	conn    *conn
	page    Page
	traffic *traffic
	profile string // id of the page's browser context
	target  string
	session string
	clock   clock
	// patience is how long, in real time and in all, the page's clock may be stopped to wait for the network: half of the
	// page's time limit.
	patience time.Duration

	expired chan struct{} // receives a value when the granted virtual time has passed
	fonts   []Font
	wanted  chan fontRequest

	mu     sync.Mutex
	status int // HTTP status of the page itself; 0: none yet
}

// open makes a profile with an empty page of the right size.
func (b *browser) open(ctx context.Context, page Page, traffic *traffic) (*tab, error) {
	t := &tab{conn: b.conn, page: page, traffic: traffic, patience: b.limit / 2, expired: make(chan struct{}, 1),
		fonts: page.fonts, wanted: make(chan fontRequest, maxFontRequests)}
	var profile struct {
		BrowserContextID string `json:"browserContextId"`
	}
	err := b.conn.call(ctx, "", "Target.createBrowserContext", map[string]any{
		"disposeOnDetach": true, "proxyServer": fmt.Sprintf("http://127.0.0.1:%d", b.process.portNumbers()[0]),
		"proxyBypassList": "<-loopback>",
	}, &profile)
	if err != nil {
		return nil, fmt.Errorf("make profile: %w", err)
	}
	t.profile = profile.BrowserContextID
	var created struct {
		TargetID string `json:"targetId"`
	}
	err = b.conn.call(ctx, "", "Target.createTarget", map[string]any{
		"url": "about:blank", "width": pixels(page.Width, page), "height": pixels(page.Height, page), "browserContextId": t.profile,
		"enableBeginFrameControl": true,
	}, &created)
	if err != nil {
		return nil, fmt.Errorf("make page: %w", err)
	}
	t.target = created.TargetID
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	err = b.conn.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": t.target, "flatten": true}, &attached)
	if err != nil {
		return nil, fmt.Errorf("attach to page: %w", err)
	}
	t.session = attached.SessionID
	b.mu.Lock()
	b.tab = t
	b.mu.Unlock()
	return t, t.prepare(ctx)
}

// pixels is the number of drawn pixels of a side of the page.
func pixels(side int, page Page) int { return int(math.Round(float64(side) * page.DPI)) }

// prepare sets up the view, and forbids what the page must not do.
func (t *tab) prepare(ctx context.Context) error {
	clear := map[string]any{"color": map[string]any{"r": 0, "g": 0, "b": 0, "a": 0}}
	err := t.conn.call(ctx, "", "Browser.setDownloadBehavior",
		map[string]any{"behavior": "deny", "browserContextId": t.profile}, nil)
	if err != nil {
		return fmt.Errorf("deny downloads: %w", err)
	}
	steps := []struct {
		method string
		params map[string]any
	}{
		{"Page.enable", nil},
		{"Emulation.setDeviceMetricsOverride", map[string]any{
			"width": t.page.Width, "height": t.page.Height, "deviceScaleFactor": t.page.DPI, "mobile": false,
			// Without these two fields the page knows of the pixel ratio but is not drawn with it.
			"scale": t.page.DPI, "dontSetVisibleSize": true,
		}},
		{"Emulation.setDefaultBackgroundColorOverride", clear},
		{"Page.setInterceptFileChooserDialog", map[string]any{"enabled": true}},
	}
	if t.page.HTML == "" {
		steps = append(steps, struct {
			method string
			params map[string]any
		}{"Network.enable", nil})
	}
	for _, s := range steps {
		if err := t.call(ctx, s.method, s.params, nil); err != nil {
			return fmt.Errorf("prepare page: %w", err)
		}
	}
	if err := t.offerFonts(ctx); err != nil {
		return err
	}
	return t.startClock(ctx)
}

// discard closes the page and its profile. If that fails the browser is ended.
func (b *browser) discard(ctx context.Context, t *tab) {
	b.mu.Lock()
	b.tab = nil
	b.mu.Unlock()
	if !b.healthy() || ctx.Err() != nil {
		return // the browser is being ended anyway
	}
	ctx, stop := context.WithTimeout(ctx, discardTime)
	defer stop()
	err := b.conn.call(ctx, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": t.profile}, nil)
	if err != nil {
		b.end(errStuck)
	}
}

const discardTime = 5 * time.Second

var errStuck = errors.New("the page could not be closed")

func (t *tab) call(ctx context.Context, method string, params, result any) error {
	return t.conn.call(ctx, t.session, method, params, result)
}

// handle receives the events of the page, on the goroutine that reads the browser's pipe.
func (t *tab) handle(e event) {
	switch e.Method {
	case "Emulation.virtualTimeBudgetExpired":
		select {
		case t.expired <- struct{}{}:
		default:
		}
	case "Page.javascriptDialogOpening":
		t.conn.tell(t.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false})
	case "Network.responseReceived":
		t.responded(e)
	case "Fetch.requestPaused":
		t.asksForFont(e)
	}
}

// responded records the HTTP status of the page itself.
func (t *tab) responded(e event) {
	var received struct {
		Type     string
		FrameID  string `json:"frameId"`
		Response struct{ Status int }
	}
	if err := json.Unmarshal(e.Params, &received); err != nil || received.Type != "Document" || received.FrameID != t.target {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status = received.Response.Status
}

// load loads the page's content, waits until it is complete (see settle), and then as the page's Wait and Finished say.
func (t *tab) load(ctx context.Context) error {
	var err error
	if t.page.HTML != "" {
		err = t.call(ctx, "Page.setDocumentContent", map[string]any{"frameId": t.target, "html": t.page.document()}, nil)
	} else {
		err = t.navigate(ctx)
	}
	if err != nil {
		return err
	}
	if err := t.settle(ctx); err != nil {
		return err
	}
	if t.page.HTML == "" {
		if err := t.applySettings(ctx); err != nil {
			return err
		}
	}
	if err := t.pass(ctx, t.page.Wait); err != nil || !t.page.Finished {
		return err
	}
	return t.finish(ctx)
}

// navigate goes to the page's address.
func (t *tab) navigate(ctx context.Context) error {
	var went struct {
		ErrorText string `json:"errorText"`
	}
	if err := t.call(ctx, "Page.navigate", map[string]any{"url": t.page.URL}, &went); err != nil {
		var refused *protocolError
		if errors.As(err, &refused) && strings.Contains(refused.Message, "invalid URL") {
			return fault("The page at %s cannot be loaded: its address is not valid; check the host name and that the port "+
				"is between 1 and 65535", origin(t.page.URL))
		}
		return err
	}
	if went.ErrorText == "" {
		return nil
	}
	return fault("The page at %s cannot be loaded: %s", origin(t.page.URL), t.reason(went.ErrorText))
}

// reason says why a page could not be loaded: in the guard's words if the guard has refused it, otherwise in the browser's.
func (t *tab) reason(text string) string {
	u, err := url.Parse(t.page.URL)
	if err != nil {
		return text
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	var spoken interface{ Reason() string }
	if errors.As(t.traffic.refusal(u.Hostname()+":"+port), &spoken) {
		return spoken.Reason()
	}
	return text
}

// applySettings adds the element's styles, and Tailwind CSS if it is wanted, to a page that was loaded from an address. It
// returns an error if the page was answered with an HTTP status of 400 or more.
func (t *tab) applySettings(ctx context.Context) error {
	t.mu.Lock()
	status := t.status
	t.mu.Unlock()
	if status >= 400 {
		return fault("The page at %s answered with status %d", origin(t.page.URL), status)
	}
	script := ""
	if css := t.page.css(); css != "" {
		quoted, err := json.Marshal(css)
		if err != nil {
			return fmt.Errorf("quote style: %w", err)
		}
		script += "{const s=document.createElement('style');s.textContent=" + string(quoted) + ";document.head.append(s)};"
	}
	if t.page.Tailwind {
		script += tailwindcss.Script
	}
	if script == "" {
		return nil
	}
	if err := t.evaluate(ctx, script, nil); err != nil {
		return err
	}
	return t.settle(ctx)
}

// complete is a script that yields true when the page with its images and scripts is loaded, and the fonts that its texts
// use, too.
const complete = `(() => {
	const root = document.documentElement;
	if (root) root.getBoundingClientRect();
	return document.readyState === 'complete' && (!document.fonts || document.fonts.status === 'loaded');
})()`

// settle lets the page load, for at most maxSettle. As little virtual time as possible passes, so that animations begin
// afterwards.
func (t *tab) settle(ctx context.Context) error {
	step, ready := time.Millisecond, 0
	for passed := time.Duration(0); passed < maxSettle && ready < 2; passed += step {
		if passed > slowSettle {
			step = slowSettle
		}
		// Lazily loading pictures, observers and callbacks wait for a frame.
		if err := t.step(ctx, step); err != nil {
			return err
		}
		var done bool
		if err := t.evaluate(ctx, complete, &done); err != nil {
			return err
		}
		if ready++; !done {
			ready = 0
		}
	}
	return nil
}

const (
	slowSettle = 20 * time.Millisecond
	maxSettle  = 5 * time.Second // virtual time after which a page that is not complete is taken as it is
	waitStep   = 50 * time.Millisecond
	maxFinish  = 5 * time.Second // largest virtual time for which finish waits until animations have ended
)

// pass advances virtual time by wait. It draws a frame every waitStep, so that content moves.
func (t *tab) pass(ctx context.Context, wait time.Duration) error {
	for wait > 0 {
		step := min(wait, waitStep)
		if err := t.step(ctx, step); err != nil {
			return err
		}
		wait -= step
	}
	return nil
}

// remaining is a script that yields the number of milliseconds of the page's time until the last finite animation that
// runs in it ends; 0: none runs. Animations that are driven by scrolling, and those in its iframes, do not count.
// For an animation that runs backwards the number may be wrong.
const remaining = `(() => {
	let longest = 0;
	for (const a of document.getAnimations()) {
		const end = a.effect && a.effect.getComputedTiming().endTime;
		const left = (end - (a.currentTime || 0)) / Math.abs(a.playbackRate);
		if (a.playState === 'running' && Number.isFinite(left) && left > longest) longest = left;
	}
	return +longest || 0;
})()`

// finish advances virtual time until no finite animation runs, at most by maxFinish. A page learns of an animation's end
// with the next frame, and may begin another one then.
func (t *tab) finish(ctx context.Context) error {
	ran := false // an animation ran at the previous check
	for left := maxFinish; left > 0; {
		var more float64
		if err := t.evaluate(ctx, remaining, &more); err != nil {
			return err
		}
		runs := more > 0
		if !runs && !ran {
			return nil
		}
		step := min(left, time.Duration(min(more, milliseconds(maxFinish))*float64(time.Millisecond))+time.Millisecond)
		if err := t.pass(ctx, step); err != nil {
			return err
		}
		left -= step
		ran = runs
	}
	return nil
}

// step draws a frame that is not captured, and advances virtual time.
func (t *tab) step(ctx context.Context, step time.Duration) error {
	if err := t.tick(ctx); err != nil {
		return err
	}
	return t.advance(ctx, step)
}

// shoot returns a picture of the page at the current time.
func (t *tab) shoot(ctx context.Context) (*image.NRGBA, error) {
	data, err := t.draw(ctx)
	if err != nil {
		return nil, err
	}
	return decode(data, t.page.Width, t.page.Height)
}

// film passes n frames to yield, from the current time on.
func (t *tab) film(ctx context.Context, rate timeline.Rate, n int64, yield func(int64, *image.NRGBA) error) error {
	reel := newReel(t.page.Width, t.page.Height, yield)
	start := t.clock.elapsed
	err := func() error {
		for i := range n {
			due := start + (time.Duration(i * rate.Den * int64(time.Second) / rate.Num)).Round(grid)
			if err := t.advance(ctx, due-t.clock.elapsed); err != nil {
				return err
			}
			data, err := t.draw(ctx)
			if err != nil {
				return err
			}
			resume := pause(ctx, second(i+1, rate) > second(i, rate))
			err = reel.add(ctx, i, data)
			resume()
			if err != nil {
				return err
			}
		}
		return nil
	}()
	return errors.Join(err, reel.close())
}

// second is the second of the film that contains a frame.
func second(i int64, rate timeline.Rate) int64 { return i * rate.Den / rate.Num }

package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// clock is the virtual time of a page.
type clock struct {
	base    float64       // time on the browser's time line when the clock was started, in milliseconds
	elapsed time.Duration // virtual time granted to the page since the clock was started
	last    time.Duration // time of the last frame; two frames must not have the same time
	// patience is how much longer, in real time, the page's clock may be stopped to wait for the network; 0: no longer.
	patience time.Duration
}

// grid is the resolution of times. Chromium gives pages times of this resolution, and rounds times in between at random.
const grid = 100 * time.Microsecond

const (
	frameGap = grid        // virtual time added when a second frame is drawn at the same time
	interval = 1000.0 / 60 // time between frames, as the browser is told, in milliseconds
)

// How long, in real time, frames are drawn until Chromium returns a picture of one, and the pauses between them: the first
// one, and the longest one. Until the longest is reached, each pause is twice as long as the one before.
const (
	redrawTime         = 10 * time.Second
	redrawPause        = time.Millisecond
	longestRedrawPause = 100 * time.Millisecond
)

// startClock stops the page's clock at its start time. advance then moves it.
func (t *tab) startClock(ctx context.Context) error {
	var started struct {
		Base float64 `json:"virtualTimeTicksBase"`
	}
	err := t.call(ctx, "Emulation.setVirtualTimePolicy", map[string]any{
		"policy": "pause", "initialVirtualTime": float64(t.page.Now.UnixMilli()) / 1000,
	}, &started)
	if err != nil {
		return fmt.Errorf("stop time: %w", err)
	}
	t.clock = clock{base: started.Base, last: -frameGap, patience: t.patience}
	return t.align(ctx)
}

// align moves the page's clock to the next multiple of grid. From there the field elapsed counts virtual time, beginning
// at 0. Then align opens a new empty page, and waits until the browser draws that page (see awake).
func (t *tab) align(ctx context.Context) error {
	base := time.Duration(math.Round(t.clock.base*1000)) * time.Microsecond
	start := base.Truncate(grid) + grid
	if err := t.advance(ctx, start-base); err != nil {
		return err
	}
	t.clock.base, t.clock.elapsed = milliseconds(start), 0
	// The current empty page was created before the clock was stopped, at a moment that differs from page to page. Pages
	// measure time from their creation, so a new one is needed.
	if err := t.call(ctx, "Page.navigate", map[string]any{"url": "about:blank"}, nil); err != nil {
		return fmt.Errorf("begin page: %w", err)
	}
	return t.awake(ctx)
}

const (
	wakingTime   = 10 * time.Millisecond // virtual time that passes before the page's content begins to load
	wakingFrames = 50
)

// awake waits until the page draws frames on request, for at most wakingFrames frames: frames are lost while the browser's
// processes connect, and how many depends, among other things, on how busy the machine is. Then it advances the page's
// clock to wakingTime.
func (t *tab) awake(ctx context.Context) error {
	var drawn bool
	if err := t.evaluate(ctx, "requestAnimationFrame(() => { globalThis.drawn = true })", nil); err != nil {
		return err
	}
	for i := 0; i < wakingFrames && !drawn; i++ {
		if err := t.tick(ctx); err != nil {
			return err
		}
		if err := t.evaluate(ctx, "globalThis.drawn === true && delete globalThis.drawn", &drawn); err != nil {
			return err
		}
	}
	return t.advance(ctx, wakingTime-t.clock.elapsed)
}

// evaluate runs a script in the page. Its value is decoded into value unless that is nil.
func (t *tab) evaluate(ctx context.Context, script string, value any) error {
	var answer struct {
		Result struct{ Value json.RawMessage }
	}
	err := t.call(ctx, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &answer)
	if err != nil {
		return fmt.Errorf("run script in page: %w", err)
	}
	if value == nil || answer.Result.Value == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result.Value, value); err != nil {
		return fmt.Errorf("read value of script: %w", err)
	}
	return nil
}

// advance moves the page's clock forward; the parameter by is how far. While the page loads something, its clock stands
// still. When all calls of advance for a page have together taken as much real time as tab.patience, the clock runs even
// while the page loads (see hurry).
func (t *tab) advance(ctx context.Context, by time.Duration) error {
	if by <= 0 {
		return nil
	}
	t.clock.elapsed += by
	policy := "pauseIfNetworkFetchesPending"
	if t.clock.patience == 0 {
		policy = "advance"
	}
	if err := t.grant(ctx, policy, by); err != nil {
		return err
	}
	began := time.Now()
	timer := time.NewTimer(t.clock.patience)
	defer timer.Stop()
	for {
		select {
		case <-t.expired:
			if t.clock.patience > 0 {
				t.clock.patience = max(1, t.clock.patience-time.Since(began))
			}
			return nil
		case <-timer.C:
			if t.clock.patience == 0 {
				continue
			}
			t.clock.patience = 0
			if passed, err := t.hurry(ctx); passed || err != nil {
				return err
			}
		case <-t.conn.done:
			return t.conn.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// hurry lets the page's clock run although the page loads something, up to the end of the time that was granted last. Time
// that is granted anew does not replace it: the clock would stop at the end of either. passed reports whether the granted
// time had passed already. The clock is stopped while hurry finds that out, because it would not stop any more after that
// time.
func (t *tab) hurry(ctx context.Context) (passed bool, err error) {
	if err := t.setPolicy(ctx, map[string]any{"policy": "pause"}); err != nil {
		return false, err
	}
	select {
	case <-t.expired:
		return true, nil
	default:
	}
	return false, t.setPolicy(ctx, map[string]any{"policy": "advance", "maxVirtualTimeTaskStarvationCount": starvation})
}

// starvation is the largest number of tasks that a page may do without its clock going on.
const starvation = 100_000

func (t *tab) grant(ctx context.Context, policy string, by time.Duration) error {
	return t.setPolicy(ctx, map[string]any{
		"policy": policy, "budget": milliseconds(by), "maxVirtualTimeTaskStarvationCount": starvation,
	})
}

func (t *tab) setPolicy(ctx context.Context, policy map[string]any) error {
	if err := t.call(ctx, "Emulation.setVirtualTimePolicy", policy, nil); err != nil {
		return fmt.Errorf("advance time: %w", err)
	}
	return nil
}

// milliseconds converts a duration for Chromium. Chromium drops fractions of a microsecond, so a little is added against rounding
// down.
func milliseconds(d time.Duration) float64 {
	return float64(d)/float64(time.Millisecond) + 0.0001
}

// tick draws a frame that is not captured: animations, callbacks and layout run.
func (t *tab) tick(ctx context.Context) error {
	_, err := t.frame(ctx, map[string]any{"noDisplayUpdates": true})
	return err
}

// draw returns a PNG of the page. It draws frames (see the method frame) until Chromium returns a picture of one, and
// fails after redrawTime without a picture: on a busy machine Chromium's processes may miss frames.
func (t *tab) draw(ctx context.Context) ([]byte, error) {
	screenshot := map[string]any{"screenshot": map[string]any{"format": "png", "optimizeForSpeed": true}}
	pause, began := redrawPause, time.Now()
	for {
		data, err := t.frame(ctx, screenshot)
		if err != nil || len(data) > 0 {
			return data, err
		}
		if time.Since(began) > redrawTime {
			return nil, errors.New("the browser draws nothing")
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		pause = min(2*pause, longestRedrawPause)
	}
}

// frame draws a frame at the current time, or frameGap after the last frame if that is later. It returns the PNG if params
// ask for one; nil: they do not, or Chromium has returned none.
func (t *tab) frame(ctx context.Context, params map[string]any) ([]byte, error) {
	t.clock.last = max(t.clock.elapsed, t.clock.last+frameGap)
	call := map[string]any{
		"frameTimeTicks": t.clock.base + milliseconds(t.clock.last), "interval": interval,
	}
	for name, value := range params {
		call[name] = value
	}
	answer, err := t.conn.exchange(ctx, t.session, "HeadlessExperimental.beginFrame", call)
	if err != nil {
		return nil, fmt.Errorf("draw frame: %w", err)
	}
	return answer.picture, nil
}

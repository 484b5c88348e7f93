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
	base    float64       // of the browser's time line, in milliseconds
	elapsed time.Duration // granted since then
	last    time.Duration // of the last frame; frames must not share their time
	// patience is how long time waits for the network; 0: no more.
	patience time.Duration
}

// grid is what moments are rounded to. Chromium shows pages their time in this grain, and rounds what lies between at random.
const grid = 100 * time.Microsecond

const (
	patience  = 15 * time.Second // for answers of the network, all together
	frameGap  = grid             // between two frames at the same moment
	interval  = 1000.0 / 60      // what the browser is told about the time between frames, in milliseconds
	redrawing = 5                // how many frames may be drawn until the first one comes with a picture
)

// startClock stops the page's time at the moment it is to begin at, until advance lets it pass.
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

// align makes the page's time begin on the grid, in an empty page that is drawn.
func (t *tab) align(ctx context.Context) error {
	base := time.Duration(math.Round(t.clock.base*1000)) * time.Microsecond
	start := base.Truncate(grid) + grid
	if err := t.advance(ctx, start-base); err != nil {
		return err
	}
	t.clock.base, t.clock.elapsed = milliseconds(start), 0
	// The empty page there is has begun while time was still real, by a little that is never the same. Pages measure from their
	// beginning, so there must be another.
	if err := t.call(ctx, "Page.navigate", map[string]any{"url": "about:blank"}, nil); err != nil {
		return fmt.Errorf("begin page: %w", err)
	}
	return t.awake(ctx)
}

const (
	wakingTime   = 10 * time.Millisecond // of the page, before its content is there
	wakingFrames = 50
)

// awake waits until the page is drawn when it is asked to be: the first frames get lost while the browser's processes are still
// being connected, how many depends on how busy the machine is.
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

// evaluate runs a script in the page. Unless value is nil its value is decoded into it.
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

// advance lets time pass. While the page loads something, time stands; it stops waiting for a network that never falls silent.
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
			if err := t.grant(ctx, "advance", by); err != nil {
				return err
			}
		case <-t.conn.done:
			return t.conn.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (t *tab) grant(ctx context.Context, policy string, by time.Duration) error {
	err := t.call(ctx, "Emulation.setVirtualTimePolicy", map[string]any{
		"policy": policy, "budget": milliseconds(by), "maxVirtualTimeTaskStarvationCount": 100_000,
	}, nil)
	if err != nil {
		return fmt.Errorf("advance time: %w", err)
	}
	return nil
}

// milliseconds is a duration as Chromium reads it. It cuts what is smaller than a microsecond, so a little is added lest the
// binary fraction lose one.
func milliseconds(d time.Duration) float64 {
	return float64(d)/float64(time.Millisecond) + 0.0001
}

// tick draws a frame that is not shown: animations, callbacks and layout take place.
func (t *tab) tick(ctx context.Context) error {
	_, err := t.frame(ctx, map[string]any{"noDisplayUpdates": true})
	return err
}

// draw returns the page as PNG. It is nil when nothing has changed since the last picture.
func (t *tab) draw(ctx context.Context) ([]byte, error) {
	screenshot := map[string]any{"screenshot": map[string]any{"format": "png", "optimizeForSpeed": true}}
	for range redrawing {
		data, err := t.frame(ctx, screenshot)
		if err != nil || len(data) > 0 {
			return data, err
		}
	}
	return nil, errors.New("the browser draws nothing")
}

// frame makes the page draw a frame at the present moment.
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
	var drawn struct {
		HasDamage bool `json:"hasDamage"`
	}
	if err := json.Unmarshal(answer.result, &drawn); err != nil {
		return nil, fmt.Errorf("draw frame: %w", err)
	}
	return answer.picture, nil
}

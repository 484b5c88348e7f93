package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/domain/timeline"
)

// clocks shows the time since the page's first frame as the colours of three boxes, red × 256 + green in milliseconds: of the
// callbacks' own argument, of performance.now and of Date; a fourth box moves by animation, 100 pixels a second.
const clocks = `<style>
body { margin: 0 }
div { position: absolute; width: 20px; height: 20px; top: 0 }
#move { top: 40px; width: 2px; height: 2px; background: black; animation: move 10s linear }
@keyframes move { from { left: 0 } to { left: 1000px } }
</style>
<div id=a style="left:0"></div><div id=b style="left:20px"></div><div id=c style="left:40px"></div><div id=move></div>
<script>
let first;
function show(box, ms) {
	ms = Math.round(ms);
	box.style.background = 'rgb(' + (ms >> 8) + ',' + (ms & 255) + ',0)';
}
function frame(t) {
	first ??= [t, performance.now(), Date.now()];
	show(a, t - first[0]); show(b, performance.now() - first[1]); show(c, Date.now() - first[2]);
	requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
</script>`

// capture returns the frames of a page.
func capture(t testing.TB, pool *browser.Pool, page browser.Page, rate timeline.Rate, n int64) []*image.NRGBA {
	t.Helper()
	frames, err := started(func() (frames []*image.NRGBA, _ error) {
		err := pool.Frames(t.Context(), page, rate, n, func(i int64, frame *image.NRGBA) error {
			if i != int64(len(frames)) {
				return fmt.Errorf("frame %d after %d", i, len(frames))
			}
			frames = append(frames, frame)
			return nil
		})
		return frames, err
	})
	if err != nil {
		t.Fatalf("Frames: %v", err)
	}
	if int64(len(frames)) != n {
		t.Fatalf("%d frames, want %d", len(frames), n)
	}
	return frames
}

// millis reads a box of clocks.
func millis(frame *image.NRGBA, x int) int {
	c := frame.NRGBAAt(x, 10)
	return int(c.R)<<8 + int(c.G)
}

// moved is where the fourth box of clocks is.
func moved(frame *image.NRGBA) int {
	for x := range frame.Bounds().Dx() {
		if frame.NRGBAAt(x, 41).A == 255 {
			return x
		}
	}
	return -1
}

func TestFrames_TimePassesExactly(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	for _, rate := range []timeline.Rate{{Num: 30, Den: 1}, {Num: 30000, Den: 1001}, {Num: 10, Den: 3}} {
		n := rate.Num/rate.Den + 2
		frames := capture(t, pool, browser.Page{HTML: clocks, Width: 400, Height: 60}, rate, n)
		for i, frame := range frames {
			want := int(float64(int64(i)*rate.Den*1000)/float64(rate.Num) + 0.5)
			for name, x := range map[string]int{"callback": 10, "performance.now": 30, "Date": 50} {
				passed := millis(frame, x) - millis(frames[0], x)
				if passed < want-1 || passed > want+1 {
					t.Errorf("%d/%d: %s of frame %d is at %d ms, want %d", rate.Num, rate.Den, name, i, passed, want)
				}
			}
			if at, want := moved(frame)-moved(frames[0]), want/10; at < want-1 || at > want+1 {
				t.Errorf("%d/%d: animation of frame %d is at %d px, want %d", rate.Num, rate.Den, i, at, want)
			}
		}
		if first := millis(frames[0], 10); first > 20 {
			t.Errorf("%d/%d: the first frame is %d ms after the page's first", rate.Num, rate.Den, first)
		}
	}
}

func TestFrames_OneSecondIsOneSecond(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	frames := capture(t, pool, browser.Page{HTML: clocks, Width: 400, Height: 60}, timeline.Rate{Num: 25, Den: 1}, 26)
	for _, x := range []int{10, 30, 50} {
		if passed := millis(frames[25], x) - millis(frames[0], x); passed != 1000 {
			t.Errorf("the clock at %d went on by %d ms from frame 0 to frame 25, want 1000", x, passed)
		}
	}
	if passed := moved(frames[25]) - moved(frames[0]); passed != 100 {
		t.Errorf("the animation went on by %d px, want 100", passed)
	}
}

// restless moves in every way a page has by itself.
const restless = `<style>@keyframes spin { to { transform: rotate(360deg) } }
div { width: 80px; height: 80px; margin: 40px; background: linear-gradient(red, blue); animation: spin 1s linear infinite }
</style><div></div><canvas width=200 height=60></canvas>
<script>
const c = document.querySelector('canvas').getContext('2d');
setInterval(() => { c.fillStyle = 'hsl(' + Math.random() * 360 + ' 90% 50%)'; c.fillRect(Math.random() * 200, Math.random() * 60, 20, 20) }, 40);
document.querySelector('div').animate([{ opacity: 1 }, { opacity: 0.2 }], { duration: 700, iterations: Infinity });
</script>`

// TestFrames_ASlowNetworkKeepsTime: a page's clock goes on as fast as its frames after the patience with its network has ended.
func TestFrames_ASlowNetworkKeepsTime(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{Limit: 6 * time.Second, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	page := browser.Page{Width: 100, Height: 60, HTML: clocks + `<script>setTimeout(() => fetch("http://slow.example/"), 330)</script>`}
	frames := capture(t, pool, page, timeline.Rate{Num: 10, Den: 1}, 12)
	for i, frame := range frames {
		for _, x := range []int{10, 30, 50} {
			if passed := millis(frame, x) - millis(frames[0], x); passed < 100*i-1 || passed > 100*i+1 {
				t.Errorf("the clock at %d went on by %d ms to frame %d, want %d", x, passed, i, 100*i)
			}
		}
	}
}

func TestFrames_AreTheSameAgain(t *testing.T) {
	t.Parallel()
	page := browser.Page{HTML: restless, Width: 240, Height: 240, Wait: 300 * time.Millisecond}
	rate := timeline.Rate{Num: 25, Den: 1}
	first := capture(t, open(t, browser.Config{}), page, rate, 30)
	pool := open(t, browser.Config{})
	for round := range 2 { // in a browser that is new, and in one that is not
		again := capture(t, pool, page, rate, 30)
		for i := range first {
			if !bytes.Equal(first[i].Pix, again[i].Pix) {
				t.Errorf("round %d: frame %d differs", round, i)
			}
		}
	}
	for i := 1; i < len(first); i++ {
		if bytes.Equal(first[i-1].Pix, first[i].Pix) {
			t.Errorf("frame %d is the same as the one before", i)
		}
	}
}

func TestFrames_WhatDoesNotMoveIsOnePicture(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	page := browser.Page{HTML: `<h1>still</h1>`, Width: 200, Height: 80}
	frames := capture(t, pool, page, timeline.Rate{Num: 25, Den: 1}, 10)
	for i, frame := range frames {
		if frame != frames[0] {
			t.Errorf("frame %d is a picture of its own", i)
		}
	}
	if !bytes.Equal(frames[0].Pix, still(t, pool, page).Pix) {
		t.Error("the first frame is not the still")
	}
}

func TestFrames_EndsWhenNobodyTakesThem(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	full := errors.New("disk full")
	taken := 0
	page := browser.Page{HTML: clocks, Width: 400, Height: 60}
	still(t, pool, page) // the browser has come up
	err := pool.Frames(t.Context(), page, timeline.Rate{Num: 25, Den: 1}, 1000, func(i int64, _ *image.NRGBA) error {
		taken++
		if i == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("error is %v, want that of yield", err)
	}
	if taken != 4 {
		t.Errorf("yield was called %d times, want 4", taken)
	}
	if got := at(still(t, pool, page), 390, 10); got != "0,0,0,0" {
		t.Errorf("the next page is %s there", got)
	}
}

func TestFrames_RefusesNoFrames(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	for _, rate := range []timeline.Rate{{}, {Num: 25}, {Num: -1, Den: 1}} {
		if err := pool.Frames(t.Context(), browser.Page{HTML: "x", Width: 9, Height: 9}, rate, 1, nil); err == nil {
			t.Errorf("rate %v was taken", rate)
		}
	}
	if err := pool.Frames(t.Context(), browser.Page{HTML: "x", Width: 9, Height: 9}, timeline.Rate{Num: 25, Den: 1}, 0, nil); err == nil {
		t.Error("0 frames were taken")
	}
}

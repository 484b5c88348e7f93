package browser_test

import (
	"errors"
	"image"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

// pageLimit is the time of a page in these tests.
const pageLimit = 5 * time.Second

// hangs are pages that do not want to end. Some are drawn all the same.
var hangs = map[string]string{
	"endless loop":           `<script>for(;;);</script>`,
	"endless loop later":     `<script>setTimeout(() => { for(;;); }, 0)</script>`,
	"endless microtasks":     `<script>(function f(){ Promise.resolve().then(f) })()</script>`,
	"endless timers":         `<script>(function f(){ setTimeout(f, 0) })()</script>`,
	"endless frames":         `<script>(function f(){ for (let i = 0; i < 99; i++) requestAnimationFrame(() => 0); requestAnimationFrame(f) })()</script>`,
	"endless dialogs":        `<script>for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) }</script>`,
	"leaving":                `<script>onbeforeunload = e => { e.preventDefault(); return 'stay' }; location = 'about:blank'</script>`,
	"print":                  `<script>print(); print()</script>`,
	"reloading":              `<script>location.reload()</script>`,
	"refreshing":             `<meta http-equiv=refresh content="0;url=about:blank">`,
	"popups":                 `<script>for (let i = 0; i < 50; i++) { open('about:blank', 'w' + i); open('data:text/html,x', '_blank') }</script>`,
	"downloads":              `<a id=a download=x href="data:application/octet-stream,xxxx"></a><script>for (let i = 0; i < 20; i++) a.click()</script>`,
	"ten million nodes":      `<body><script>for (let i = 0; i < 1e7; i++) document.body.appendChild(document.createElement('p')).textContent = i</script>`,
	"deep tree":              `<script>let e = document.documentElement; for (let i = 0; i < 1e5; i++) e = e.appendChild(document.createElement('div'))</script>`,
	"large arrays":           `<script>const all = []; for (;;) all.push(new Uint8Array(1 << 28).fill(7))</script>`,
	"four gigabytes":         `<script>new Uint8Array(4 * 2 ** 30).fill(1)</script>`,
	"large strings":          `<script>let s = 'x'; for (;;) s += s + Math.random()</script>`,
	"large canvas":           `<script>const all = []; for (let i = 0; i < 200; i++) { const c = document.createElement('canvas'); c.width = c.height = 8000; c.getContext('2d').fillRect(0, 0, 8000, 8000); all.push(c) }</script>`,
	"large page":             `<div style="width:100000px;height:100000px;background:linear-gradient(red,blue);filter:blur(50px)"></div>`,
	"filters":                `<div style="width:3000px;height:3000px;filter:blur(200px) blur(200px) blur(200px);backdrop-filter:blur(100px)">x</div>`,
	"workers":                `<script>const u = URL.createObjectURL(new Blob(['for(;;);'])); for (let i = 0; i < 40; i++) new Worker(u)</script>`,
	"shaders":                `<canvas id=c></canvas><script>const g = c.getContext('webgl'); if (g) { const s = g.createShader(g.FRAGMENT_SHADER); g.shaderSource(s, 'void main(){float x=0.;for(int i=0;i<100000000;i++)x+=sin(float(i));gl_FragColor=vec4(x);}'); g.compileShader(s) }</script>`,
	"styles":                 `<body><style>* :has(* * *) ~ * * { color: red }</style><script>let h = ''; for (let i = 0; i < 2e5; i++) h += '<i><b>x</b></i>'; document.body.innerHTML = h</script>`,
	"pattern":                `<script>/^(a+)+$/.test('a'.repeat(40) + 'b')</script>`,
	"permissions":            `<script>navigator.geolocation.getCurrentPosition(() => 0); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({video: true}); navigator.mediaDevices?.getDisplayMedia?.()</script>`,
	"clipboard":              `<script>navigator.clipboard?.readText(); document.execCommand('paste')</script>`,
	"broken documents":       strings.Repeat("<table><tr><svg><math><style>", 20_000),
	"two megabytes":          "<p>" + strings.Repeat("x ", 1<<20),
	"bytes that are no text": "<p>\xff\xfe\x00\x80</p><script>\xf0</script>",
	"crash":                  `<script>location = 'chrome://crash'</script>`,
	"hang by address":        `<script>location = 'chrome://hang'</script>`,
	"file dialog":            `<input type=file id=f><script>f.click(); f.showPicker?.()</script>`,
	"full screen":            `<script>document.documentElement.requestFullscreen(); document.documentElement.requestPointerLock()</script>`,
	"debugger":               `<script>debugger; for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100))</script>`,
	"close":                  `<script>window.close(); self.close()</script>`,
	"shared memory":          `<script>const all = []; try { for (;;) all.push(new WebAssembly.Memory({initial: 1000, maximum: 65536})) } catch { }</script>`,
}

// grace is what a machine that has much else to do may add to the time of a page, and the start of a browser. What hangs would hang for ever.
const grace = 2 * patience

// Reliability §5 H2: every page ends within its time, and the next one is drawn.
func TestHostile_NoPageOutlivesItsTime(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{Browsers: 1, Limit: pageLimit, MemoryMB: 700})
	for i, name := range slices.Sorted(maps.Keys(hangs)) {
		if os.Getenv("MOVIOLA_TEST_LONG") == "" && i%3 != 0 {
			continue // most of them need the whole time of a page
		}
		html := hangs[name]
		began := time.Now()
		_, err := tryStill(t, pool, browser.Page{HTML: html, Width: 300, Height: 200, Wait: time.Second})
		if took := time.Since(began); took > pageLimit+grace {
			t.Errorf("%s: took %v", name, took)
		} else {
			t.Logf("%s: %v, %v", name, took.Round(time.Millisecond), err)
		}
		if err != nil && !errors.As(err, new(*domain.Error)) {
			t.Errorf("%s: error is not one for the user: %v", name, err)
		}
		picture := next(t, pool)
		if got := at(picture, 10, 10) + " " + at(picture, 80, 80); got != "200,30,60,255 0,0,0,0" {
			t.Errorf("after %s the next page is %s", name, got)
		}
	}
}

// next draws a page after a hostile one. Its time is short too, and a busy machine may need more than that again and again.
func next(t *testing.T, pool *browser.Pool) *image.NRGBA {
	t.Helper()
	page := browser.Page{HTML: box, Width: 100, Height: 100}
	for began := time.Now(); time.Since(began) < 5*patience; {
		picture, err := pool.Still(t.Context(), page)
		if err == nil {
			return picture
		}
		t.Logf("the next page: %v", err)
	}
	return still(t, pool, page)
}

func TestHostile_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{Browsers: 1, MemoryMB: 350})
	_, err := tryStill(t, pool, browser.Page{Width: 100, Height: 100, HTML: `<script>
	const all = []; for (let i = 0; i < 200; i++) try { all.push(new Uint8Array(1 << 22).fill(7)) } catch { }
	for (;;) all.forEach(a => a[0]++)</script>`})
	if err == nil || err.Error() != "The page needs too much memory" {
		t.Errorf("error is %v", err)
	}
	still(t, pool, browser.Page{HTML: box, Width: 100, Height: 100})
}

// What a film's taker needs is not the page's time.
func TestHostile_SlowTakersAreWaitedFor(t *testing.T) {
	t.Parallel()
	const limit = 15 * time.Second
	pool := open(t, browser.Config{Browsers: 1, Limit: limit})
	page := browser.Page{HTML: clocks, Width: 100, Height: 60}
	next(t, pool) // the browser has come up
	err := pool.Frames(t.Context(), page, timeline.Rate{Num: 25, Den: 1}, 4, func(int64, *image.NRGBA) error {
		<-time.After(limit / 3) // four frames take longer than the limit
		return nil
	})
	if err != nil {
		t.Errorf("Frames: %v", err)
	}
	pool = open(t, browser.Config{Browsers: 1, Limit: 3 * time.Second})
	next(t, pool)
	stuck := `<script>let n = 0; requestAnimationFrame(function f(t) { if (t > 200) for (;;); requestAnimationFrame(f) })</script>`
	err = pool.Frames(t.Context(), browser.Page{HTML: stuck, Width: 100, Height: 60}, timeline.Rate{Num: 25, Den: 1}, 50,
		func(int64, *image.NRGBA) error { return nil })
	if !errors.As(err, new(*domain.Error)) {
		t.Errorf("a film that gets stuck: %v", err)
	}
}

// TestHostile_MemoryOfTheGroup: a browser that the kernel has ended because its control group's memory was used up is evidence that memory was
// missing; one that has crashed without is the page's doing, and so is a page that the watch on memory has ended.
func TestHostile_MemoryOfTheGroup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cause, err error
		killed     bool
		evidence   bool
	}{
		{browser.ErrCrashed, browser.ErrPipe, true, true},
		{nil, browser.ErrPipe, true, true},
		{browser.ErrCrashed, browser.ErrPipe, false, false},
		{nil, browser.ErrPipe, false, false},
		{browser.ErrMemory, browser.ErrPipe, true, false},
	} {
		err := browser.Explain(t.Context(), tt.cause, tt.err, tt.killed)
		var refusal *domain.Error
		if errors.Is(err, commands.ErrOutOfMemory) != tt.evidence || errors.As(err, &refusal) == tt.evidence {
			t.Errorf("cause %v, killed %v: %v", tt.cause, tt.killed, err)
		}
	}
}

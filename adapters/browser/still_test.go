//go:build !race

package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/domain"
	"moviola/domain/timeline"
)

func TestStill_DrawsOverNothing(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	half := `<style>body{margin:0}</style><div style="width:50px;height:50px;background:rgba(0,0,255,0.5)"></div>`
	tests := []struct{ name, html, inside, outside string }{
		{"a fragment", box, "200,30,60,255", "0,0,0,0"},
		{"a document", "<!doctype html><html><head><title>x</title></head><body>" + box + "</body></html>", "200,30,60,255", "0,0,0,0"},
		{"half clear", half, "0,0,255,128", "0,0,0,0"},
		{"a background", `<body style="background:#fff">`, "255,255,255,255", "255,255,255,255"},
	}
	for _, tt := range tests {
		picture := still(t, pool, browser.Page{HTML: tt.html, Width: 200, Height: 100})
		if got := at(picture, 10, 10); got != tt.inside {
			t.Errorf("%s: inside it is %s, want %s", tt.name, got, tt.inside)
		}
		if got := at(picture, 150, 90); got != tt.outside {
			t.Errorf("%s: outside it is %s, want %s", tt.name, got, tt.outside)
		}
	}
}

func TestStill_IsAsLargeAsAsked(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	frame := `<style>html,body{margin:0;height:100%}div{box-sizing:border-box;width:100vw;height:100vh;border:1px solid lime}</style><div></div>`
	for _, size := range []image.Point{{1, 1}, {7, 3}, {641, 359}, {50, 2000}, {1920, 1080}, {3840, 2160}} {
		picture := still(t, pool, browser.Page{HTML: frame, Width: size.X, Height: size.Y})
		for _, corner := range []image.Point{{0, 0}, {size.X - 1, 0}, {0, size.Y - 1}, {size.X - 1, size.Y - 1}} {
			if got := at(picture, corner.X, corner.Y); got != "0,255,0,255" {
				t.Errorf("%v: corner %v is %s", size, corner, got)
			}
		}
	}
}

func TestStill_IsTheSameAgain(t *testing.T) {
	t.Parallel()
	page := browser.Page{HTML: restless, Width: 300, Height: 300, Wait: time.Second}
	first := still(t, open(t, browser.Config{}), page)
	pool := open(t, browser.Config{})
	for range 3 {
		if again := still(t, pool, page); !bytes.Equal(first.Pix, again.Pix) {
			t.Error("the picture differs")
		}
	}
}

func TestStill_TailwindNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	var dialled atomic.Int64
	pool := open(t, browser.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		dialled.Add(1)
		return nil, errors.New("no network")
	}})
	picture := still(t, pool, browser.Page{HTML: tailwind, Width: 100, Height: 150, Tailwind: true})
	if got := at(picture, 32, 32); got != "251,44,54,255" { // red-500 of Tailwind 4: oklch(63.7% 0.237 25.331)
		t.Errorf("bg-red-500 is %s", got)
	}
	if got := at(picture, 1, 1); got != "0,0,0,0" {
		t.Errorf("the corner of rounded-full is %s", got)
	}
	if got := at(picture, 10, 90); got != "18,52,86,255" {
		t.Errorf("a colour of the page's own theme is %s", got)
	}
	plain := still(t, pool, browser.Page{HTML: tailwind, Width: 100, Height: 150})
	if got := at(plain, 32, 32); got != "0,0,0,0" {
		t.Errorf("without Tailwind the box is %s", got)
	}
	if n := dialled.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

func TestStill_Waits(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	late := `<style>body{margin:0}div{width:50px;height:50px;background:rgb(1,2,3)}</style><div></div>
<script>setTimeout(() => document.querySelector('div').style.background = 'rgb(200,30,60)', 1900)</script>`
	for wait, want := range map[time.Duration]string{0: "1,2,3,255", time.Second: "1,2,3,255", 2 * time.Second: "200,30,60,255"} {
		if got := at(still(t, pool, browser.Page{HTML: late, Width: 60, Height: 60, Wait: wait}), 10, 10); got != want {
			t.Errorf("after %v the box is %s, want %s", wait, got, want)
		}
	}
	const hour = time.Hour
	began := time.Now()
	still(t, pool, browser.Page{HTML: box, Width: 60, Height: 60, Wait: hour})
	if took := time.Since(began); took >= hour/2 {
		t.Errorf("waiting an hour of the page's time took %v", took)
	}
}

// TestStill_Finished: the picture is taken when finite animations have ended, those that follow the first ones too, after 5 s at most.
func TestStill_Finished(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	page := func(animation, script string) string {
		return `<style>body{margin:0}@keyframes in{from{opacity:0}to{opacity:1}}@keyframes blink{50%{opacity:1}}
div{width:50px;height:50px;background:rgb(200,30,60);animation:` + animation + `}</style><div></div><script>` + script + `</script>`
	}
	const there, gone = "200,30,60,255", "0,0,0,0"
	after := `document.querySelector('div').onanimationend = e => e.target.animate([{opacity: 0}, {opacity: 0.2}], {duration: 400, fill: 'forwards'})`
	for _, tt := range []struct {
		name, html string
		want       string
		early      string // what is seen where the wait decides
	}{
		{"an entrance", page("in 1s both", ""), there, gone},
		{"one that begins late", page("in 500ms 2s both", ""), there, gone},
		{"several times", page("in 300ms 4 both", ""), there, ""},
		{"a transition", `<style>body{margin:0}div{width:50px;height:50px;background:rgb(200,30,60);opacity:0;transition:opacity 800ms}</style><div></div>
<script>requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector('div').style.opacity = 1))</script>`, there, ""},
		{"one after another", page("in 300ms both", after), "200,30,60,51", ""},
		{"for ever", page("blink 1s infinite; opacity:0", ""), "", ""},
		{"paused", page("in 1s both paused", ""), gone, gone},
		{"longer than five seconds", page("in 500s steps(2, jump-none) both", ""), gone, gone},
		{"none", box, there, there},
		{"a page that lies", page("in 1s both", "document.getAnimations = () => [{effect: {getComputedTiming: () => ({endTime: 1n << 70n})}}]"), "", ""},
	} {
		got, err := tryStill(t, pool, browser.Page{HTML: tt.html, Width: 60, Height: 60, Finished: true})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if seen := at(got, 10, 10); tt.want != "" && seen != tt.want {
			t.Errorf("%s: the box is %s, want %s", tt.name, seen, tt.want)
		}
		if seen := at(still(t, pool, browser.Page{HTML: tt.html, Width: 60, Height: 60}), 10, 10); tt.early != "" && seen != tt.early {
			t.Errorf("%s: at once the box is %s, want %s", tt.name, seen, tt.early)
		}
	}
}

func TestStill_DrawsLargerForDPI(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	ratio := `<style>body{margin:0}div{width:40px;height:20px;background:rgb(200,30,60)}</style><div></div>
<script>document.querySelector('div').style.marginTop = devicePixelRatio * 20 + 'px'</script>`
	for _, tt := range []struct {
		dpi   float64
		shift int
	}{{0, 20}, {0.5, 20}, {1, 20}, {1.5, 30}, {2, 40}, {3, 60}, {4, 80}, {300, 80}} {
		picture := still(t, pool, browser.Page{HTML: ratio, Width: 100, Height: 100, DPI: tt.dpi})
		if got := at(picture, 10, tt.shift-1); got != "0,0,0,0" {
			t.Errorf("dpi %v: above the box it is %s", tt.dpi, got)
		}
		if got := at(picture, 10, tt.shift); got != "200,30,60,255" {
			t.Errorf("dpi %v: the box begins with %s", tt.dpi, got)
		}
		if got := at(picture, 39, tt.shift+19); got != "200,30,60,255" {
			t.Errorf("dpi %v: the box ends with %s", tt.dpi, got)
		}
	}
}

// What is drawn larger and made smaller again has steps where one pixel is either there or not.
func TestStill_DrawsFinerForDPI(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	line := `<style>body{margin:0}</style><svg width="90" height="60"><path d="M0 0L90 60" stroke="#fff" shape-rendering="crispEdges"/></svg>`
	steps := func(dpi float64) (n int) {
		picture := still(t, pool, browser.Page{HTML: line, Width: 90, Height: 60, DPI: dpi})
		for i := 3; i < len(picture.Pix); i += 4 {
			if a := picture.Pix[i]; a > 0 && a < 255 {
				n++
			}
		}
		return n
	}
	if n := steps(1); n != 0 {
		t.Errorf("a line without smooth edges has %d steps", n)
	}
	if n := steps(3); n < 50 {
		t.Errorf("drawn three times as large, the line has %d steps", n)
	}
}

func TestStill_StylesTheBody(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	style := []timeline.Setting{
		{Name: "margin", Value: "0"}, {Name: "background-color", Value: "rgb(9, 8, 7)"}, {Name: "color", Value: "</style><script>"},
	}
	for _, text := range []string{"x", "<html><head></head><body>x", "<!-- a --><!DOCTYPE html><!-- b --><html lang=en><head>"} {
		picture := still(t, pool, browser.Page{HTML: text, Width: 50, Height: 50, Style: style})
		if got := at(picture, 40, 40); got != "9,8,7,255" {
			t.Errorf("%q: the body is %s", text, got)
		}
	}
}

func TestStill_FontsAreThere(t *testing.T) {
	t.Parallel()
	font, err := os.ReadFile("/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf")
	if err != nil {
		t.Fatalf("the tests need the Roboto fonts (fonts-roboto): %v", err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write(font)
	}))
	t.Cleanup(server.Close)
	pool := open(t, browser.Config{})
	words := func(family string) *image.NRGBA {
		return still(t, pool, browser.Page{Width: 300, Height: 60, HTML: fmt.Sprintf(`<style>
@font-face { font-family: Fetched; src: url(%s/roboto.ttf) }
p { font: 24px %s }</style><p>WiWiWiWi 你好 🎬</p>`, server.URL, family)})
	}
	roboto, serif, fetched := words("Roboto"), words("serif"), words("Fetched")
	// A fetched font is not hinted as one of the system is, so the edges differ a little.
	same, other := difference(fetched, roboto), difference(fetched, serif)
	if same > 2 || other < 4*same || other < 4 {
		t.Errorf("the fetched font differs from the same one of the system by %.1f, from another by %.1f", same, other)
	}
}

// difference is the mean difference of the alpha of two pictures.
func difference(a, b *image.NRGBA) float64 {
	sum := 0
	for i := 3; i < len(a.Pix); i += 4 {
		sum += max(int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return float64(sum) / float64(len(a.Pix)/4)
}

func TestStill_ShowsPagesOfTheNetwork(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<body style="margin:0"><img src="/box.svg"><div class="w-4 h-4 bg-black"></div>`)
	})
	mux.HandleFunc("GET /box.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="rgb(200,30,60)"/></svg>`)
	})
	mux.HandleFunc("GET /moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/page", http.StatusFound) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	pool := open(t, browser.Config{})
	for _, path := range []string{"/page", "/moved"} {
		page := browser.Page{URL: server.URL + path, Width: 100, Height: 100, Tailwind: true,
			Style: []timeline.Setting{{Name: "background", Value: "rgb(7,7,7)"}}}
		picture := still(t, pool, page)
		if got := at(picture, 10, 10); got != "200,30,60,255" {
			t.Errorf("%s: the picture in it is %s", path, got)
		}
		if got := at(picture, 90, 90); got != "7,7,7,255" {
			t.Errorf("%s: the body is %s", path, got)
		}
	}
}

func TestStill_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	pool := open(t, browser.Config{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == strings.TrimPrefix(server.URL, "http://") {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		return nil, refused{}
	}})
	tests := []struct {
		page browser.Page
		want string
	}{
		{browser.Page{Width: 9, Height: 9}, "The page has neither html nor src"},
		{browser.Page{HTML: "x", Width: 0, Height: 9}, "The page is 0 × 9 pixels: width and height must be between 1 and 3840"},
		{browser.Page{URL: "file:///etc/passwd", Width: 9, Height: 9}, "src must be an http or https address"},
		{browser.Page{URL: "chrome://version", Width: 9, Height: 9}, "src must be an http or https address"},
		{browser.Page{URL: server.URL + "/secret?key=1", Width: 9, Height: 9}, "The page at " + server.URL + " answered with status 404"},
		{browser.Page{URL: "http://page.example:99999/", Width: 9, Height: 9}, "The page at http://page.example:99999 cannot be loaded: its address is not valid; " +
			"check the host name and that the port is between 1 and 65535"},
		{browser.Page{URL: "http://256.1.1.1/", Width: 9, Height: 9}, "The page at http://256.1.1.1 cannot be loaded: its address is not valid; " +
			"check the host name and that the port is between 1 and 65535"},
		{browser.Page{URL: "http://10.0.0.1/secret", Width: 9, Height: 9}, "The page at http://10.0.0.1 cannot be loaded: the host is not a public address"},
		{browser.Page{URL: "https://intern.example/secret", Width: 9, Height: 9}, "The page at https://intern.example cannot be loaded: the host is not a public address"},
	}
	for _, tt := range tests {
		_, err := tryStill(t, pool, tt.page)
		var fault *domain.Error
		if !errors.As(err, &fault) || fault.Kind != domain.Invalid {
			t.Errorf("%+v: error is %v, want one for the user", tt.page, err)
			continue
		}
		if fault.Message != tt.want {
			t.Errorf("message is %q, want %q", fault.Message, tt.want)
		}
	}
}

// refused is how the guard says no.
type refused struct{}

func (refused) Error() string  { return "http://10.0.0.1: the host is not a public address" }
func (refused) Reason() string { return "the host is not a public address" }

func TestStill_WithoutChromiumSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{Path: "/nonexistent/chromium"})
	_, err := pool.Still(t.Context(), browser.Page{HTML: "x", Width: 9, Height: 9})
	if err == nil || !strings.Contains(err.Error(), "chromium-headless-shell") || !strings.Contains(err.Error(), "/nonexistent/chromium") {
		t.Errorf("error is %v", err)
	}
}

//go:build !race

package browser_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"moviola/adapters/browser"
	"moviola/domain"
	"moviola/domain/timeline"
)

// half is a drawing that is red on its left, and clear on its right.
const half = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="10" height="10" fill="rgb(200,30,60)"/></svg>`

// whole is a view of a drawing of 20 × 10 pixels that fills w × h.
func whole(w, h int) timeline.DrawingView {
	return timeline.DrawingView{W: w, H: h, ScaleX: float64(w) / 20, ScaleY: float64(h) / 10, Width: 20, Height: 10}
}

// drawSVG draws a drawing when the browser has come up.
func drawSVG(t *testing.T, pool *browser.Pool, svg string, view timeline.DrawingView) (*image.NRGBA, error) {
	t.Helper()
	return started(func() (*image.NRGBA, error) { return pool.Drawing(t.Context(), []byte(svg), view) })
}

func TestDrawing(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	img, err := drawSVG(t, pool, half, whole(1000, 500))
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[int]string{0: "200,30,60,255", 499: "200,30,60,255", 500: "0,0,0,0", 999: "0,0,0,0"} { // as sharp as the size asks for
		if got := at(img, x, 250); got != want {
			t.Errorf("at %d it is %s, want %s", x, got, want)
		}
	}
	stretched, err := drawSVG(t, pool, half, whole(100, 300)) // as other pictures are, whatever it says of its shape
	if err != nil || at(stretched, 49, 299) != "200,30,60,255" || at(stretched, 51, 299) != "0,0,0,0" {
		t.Errorf("stretched: %v", err)
	}
	part := whole(1000, 500)
	part.W, part.H, part.X, part.Y = 20, 20, -490, -100
	img, err = drawSVG(t, pool, half, part)
	if err != nil || at(img, 9, 0) != "200,30,60,255" || at(img, 10, 0) != "0,0,0,0" {
		t.Errorf("a part of it: %v", err)
	}
}

// drawings are SVG files that try to do more than to be seen. Those that can be drawn show red at their left all the same.
func drawings(web, file string) map[string]string {
	svg := func(inside string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 20 10">` + inside +
			`<rect width="10" height="10" fill="rgb(200,30,60)"/></svg>`
	}
	return map[string]string{
		"script":              svg(`<script>fetch("` + web + `");document.documentElement.innerHTML=""</script>`),
		"script by address":   svg(`<script href="` + web + `"/><script xlink:href="data:text/javascript,document.documentElement.remove()"/>`),
		"handler":             strings.Replace(svg(`<image href="x:" onerror="document.documentElement.remove()"/>`), "<svg ", `<svg onload="document.documentElement.remove()" `, 1),
		"image of a host":     svg(`<image href="` + web + `" width="20" height="10"/><image xlink:href="` + web + `" width="20" height="10"/>`),
		"image of a file":     svg(`<image href="` + file + `" width="20" height="10"/>`),
		"use of another file": svg(`<use href="` + web + `#a"/><use xlink:href="` + file + `#a"/>`),
		"page inside":         svg(`<foreignObject width="20" height="10"><iframe xmlns="http://www.w3.org/1999/xhtml" src="` + web + `"></iframe></foreignObject>`),
		"page in a page":      svg(`<foreignObject width="20" height="10"><body xmlns="http://www.w3.org/1999/xhtml"><img src="` + web + `"/><object data="` + file + `"></object></body></foreignObject>`),
		"styles of a host":    svg(`<style>@import url("` + web + `"); @font-face{font-family:x;src:url("` + web + `")} text{font-family:x;fill:url("` + web + `#a")}</style><text y="5">x</text>`),
		"style sheet":         `<?xml-stylesheet href="` + web + `"?>` + svg(""),
		"entity of a file":    `<!DOCTYPE svg [<!ENTITY a SYSTEM "` + file + `">]>` + svg(`<text>&a;</text>`),
		"type of a host":      `<!DOCTYPE svg SYSTEM "` + web + `">` + svg(""),
		"endless animation":   svg(`<circle r="1"><animate attributeName="r" values="1;2" dur="0.1s" repeatCount="indefinite"/></circle><style>circle{animation:a .1s infinite}@keyframes a{to{r:5px}}</style>`),
		"huge view":           strings.Replace(svg(""), `"0 0 20 10"`, `"0 0 1e9 5e8"`, 1),
	}
}

// dear are drawings that cost much: entities and uses that grow to a billion, and filters without end. Some cannot be read at all.
func dear() map[string]string {
	var laughs, circles strings.Builder
	laughs.WriteString(`<!DOCTYPE svg [<!ENTITY a0 "ha">`)
	for i := range 9 {
		fmt.Fprintf(&laughs, `<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
		fmt.Fprintf(&circles, `<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#a%d"/>`, i), 10))
	}
	open := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">`
	return map[string]string{
		"laughs":  laughs.String() + `]>` + open + `<text>&a9;</text></svg>`,
		"circles": open + `<circle id="a0" r="3"/>` + circles.String() + `</svg>`,
		"noise": open + `<filter id="f" x="-9" y="-9" width="99" height="99"><feTurbulence numOctaves="999" baseFrequency=".9"/>` +
			strings.Repeat(`<feGaussianBlur stdDeviation="99"/><feMorphology operator="dilate" radius="99"/>`, 200) + `</filter>` +
			strings.Repeat(`<rect width="20" height="10" filter="url(#f)"/>`, 500) + `</svg>`,
		"deep":      open + strings.Repeat("<g>", 100_000) + strings.Repeat("</g>", 100_000) + `</svg>`,
		"many":      open + strings.Repeat(`<path d="M0 0L9 9"/>`, 200_000) + `</svg>`,
		"cut short": open + `<rect width="10" heig`,
		"no svg":    `<html/>`,
	}
}

// TestDrawing_hostile: nothing that a drawing names is asked for, nothing in it runs, and each ends.
func TestDrawing_hostile(t *testing.T) {
	t.Parallel()
	var dialled atomic.Int64
	// More memory than the processor time suffices to fill, on a machine where it takes long to notice that the time is over.
	pool := open(t, browser.Config{Browsers: 1, MemoryMB: 3000, Dial: func(context.Context, string, string) (net.Conn, error) {
		dialled.Add(1)
		return nil, errors.New("refused")
	}})
	for name, svg := range drawings("http://127.0.0.1:9/x.png", "file:///etc/passwd") {
		img, err := drawSVG(t, pool, svg, whole(200, 100))
		if name == "entity of a file" && err != nil { // it may be refused as a whole
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "huge view" {
			continue
		}
		if got := at(img, 80, 50); got != "200,30,60,255" {
			t.Errorf("%s: it shows %s", name, got)
		}
	}
	for name, svg := range dear() {
		if os.Getenv("MOVIOLA_TEST_LONG") == "" && !slices.Contains([]string{"laughs", "circles", "cut short"}, name) {
			continue
		}
		_, err := drawSVG(t, pool, svg, whole(2000, 1000))
		t.Logf("%s: %v", name, err)
		if err != nil && !errors.As(err, new(*domain.Error)) {
			t.Errorf("%s: error is not one for the user: %v", name, err)
		}
		if name == "circles" && (err == nil || err.Error() != "The SVG drawing takes more than 2 s of processor time to draw: make it simpler, or use a PNG of it") {
			t.Errorf("a billion circles: %v", err)
		}
		if (name == "cut short" || name == "no svg") && (err == nil || err.Error() != "The SVG drawing cannot be read: it is damaged or not complete") {
			t.Errorf("%s: %v", name, err)
		}
		if img, err := drawSVG(t, pool, half, whole(20, 10)); err != nil || at(img, 5, 5) != "200,30,60,255" {
			t.Errorf("after %s: %v", name, err)
		}
	}
	if n := dialled.Load() + pool.Uninvited(); n != 0 {
		t.Errorf("something was asked for %d times", n)
	}
}

func TestDrawing_withoutBrowser(t *testing.T) {
	t.Parallel()
	_, err := open(t, browser.Config{Path: "/nowhere/chromium"}).Drawing(t.Context(), []byte(half), whole(20, 10))
	want := "SVG drawings cannot be drawn on this server: headless Chromium is not installed. Install the package chromium-headless-shell (expected at /nowhere/chromium)"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %q", err, want)
	}
}

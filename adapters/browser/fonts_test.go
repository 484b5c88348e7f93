//go:build !race

package browser_test

import (
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"testing"

	"moviola/adapters/browser"
	"moviola/third_party/fonts"
)

// shipped are the faces of a family that come with the program, as the service offers them to pages.
func shipped(family string) (all []browser.Font) {
	for _, f := range fonts.Faces() {
		if f.Family == family {
			all = append(all, browser.Font{Family: f.Family, Weight: f.Weight, Italic: f.Italic, Range: f.Range, Key: f.Path,
				Read: func() ([]byte, error) { return fonts.Read(f.Path) }})
		}
	}
	return all
}

// A page has fonts that are not installed by their names: one that is written in the movie, and one of another server.
func TestStill_OffersFonts(t *testing.T) {
	t.Parallel()
	const html = `<!DOCTYPE html><body style="margin:0"><p style="font:30px Anton,monospace">Zażółć WiWiWi</p>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, html)
	}))
	t.Cleanup(server.Close)
	with := open(t, browser.Config{Fonts: func(browser.Page) []browser.Font { return shipped("Anton") }})
	without := open(t, browser.Config{})
	draw := func(pool *browser.Pool, page browser.Page) *image.NRGBA {
		page.Width, page.Height = 400, 100
		return still(t, pool, page)
	}
	written, fetched := draw(with, browser.Page{HTML: html}), draw(with, browser.Page{URL: server.URL})
	plain := draw(without, browser.Page{HTML: html})
	if d := difference(written, fetched); d != 0 {
		t.Errorf("the page of the server differs from the written one by %.2f", d)
	}
	if d := difference(written, plain); d < 4 {
		t.Errorf("the font changes the page by %.2f only", d)
	}
}

// What a page asks of that host and is not there is answered, and a name cannot end the rule it stands in.
func TestStill_FontsOfStrangers(t *testing.T) {
	t.Parallel()
	fonts := shipped("Anton")
	for i := range fonts {
		fonts[i].Family = `A"}</style><script>document.body.style.background='rgb(200,30,60)'</script>`
	}
	pool := open(t, browser.Config{Fonts: func(browser.Page) []browser.Font { return fonts }})
	picture := still(t, pool, browser.Page{Width: 60, Height: 60, HTML: `<style>@font-face{font-family:N;src:url(https://fonts.moviola.invalid/none)}
body{margin:0;background:rgb(1,2,3);font-family:N}</style>x`})
	if got := at(picture, 50, 50); got != "1,2,3,255" {
		t.Errorf("the page is %s", got)
	}
}

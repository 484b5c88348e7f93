package console_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// shownPage is a page, with what it shows when it is there.
type shownPage struct{ name, path, ready string }

// inEveryLook shows something in both colour schemes, wide and narrow. Load loads it at each width; nil: it is there already.
func (b *browser) inEveryLook(load func(), show func(look string)) {
	b.t.Helper()
	for _, width := range []int64{1280, 390} {
		b.do("width", chromedp.EmulateViewport(width, 900))
		if load != nil {
			load()
		}
		for _, scheme := range []string{"light", "dark"} {
			b.do("scheme", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			b.until("no colour changes", "!document.getAnimations().some((a) => a instanceof CSSTransition)")
			show(fmt.Sprintf("%s-%d", scheme, width))
		}
	}
}

// examine waits until a page fits, reports what axe finds on it, and keeps a picture.
func (b *browser) examine(name, look, axe string) {
	b.t.Helper()
	b.until(name+" fits", fits)
	b.until("the page that is shown is to be seen in the navigation", "[...document.querySelectorAll('nav a[aria-current]')].every((a) => "+
		"a.getBoundingClientRect().left >= 0 && a.getBoundingClientRect().right <= innerWidth)")
	b.accessible(name+", "+look, axe)
	b.look(name + "-" + look)
}

// examineAll examines pages of an account in every look.
func (b *browser) examineAll(pages []shownPage, axe string) {
	b.t.Helper()
	for _, page := range pages {
		b.inEveryLook(func() { b.goTo(page.path) }, func(look string) {
			b.until(page.name+" is there", page.ready)
			b.examine(page.name, look, axe)
		})
	}
}

// fits is whether nothing of a page reaches beyond the window or its box.
const fits = "document.documentElement.scrollWidth <= innerWidth && " +
	"[...document.querySelectorAll('.section, .card' + (innerWidth < 760 ? ', .table' : ''))].every((s) => s.scrollWidth <= s.clientWidth)"

func readAxe(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(axe)
}

// fewColours makes a PNG small: it keeps the 256 colours that most of its pixels have, and gives the others the nearest of them.
func fewColours(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	area := from.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := make(color.Palette, 0, 256)
	for _, c := range most[:min(len(most), 256)] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(area, palette)
	draw.Draw(small, area, from, area.Min, draw.Src)
	var encoded bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&encoded, small)
	return encoded.Bytes(), err
}

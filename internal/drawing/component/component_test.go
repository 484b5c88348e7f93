package component_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/domain/document"
	"moviola/internal/drawing/component"
	"moviola/internal/drawing/goldentest"
	"moviola/internal/drawing/text"
)

var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "fonts")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cacheDir = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

var words = sync.OnceValues(func() (*text.Engine, error) {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return text.NewEngine(cacheDir, log)
})

// portrait is an image with a face-like disc, so that cropping is seen.
func portrait() image.Image {
	p := image.NewRGBA(image.Rect(0, 0, 60, 80))
	draw.Draw(p, p.Rect, image.NewUniform(color.RGBA{40, 90, 200, 255}), image.Point{}, draw.Src)
	for y := range 80 {
		for x := range 60 {
			if dx, dy := x-30, y-30; dx*dx+dy*dy < 400 {
				p.Set(x, y, color.RGBA{240, 200, 170, 255})
			}
		}
	}
	return p
}

func drawer(t testing.TB) *component.Drawer {
	t.Helper()
	e, err := words()
	if err != nil {
		t.Fatal(err)
	}
	return component.New(e, func(string) (image.Image, error) { return portrait(), nil })
}

// boxW and boxH are the size of the components in the tests, in pixels.
const boxW, boxH = 320, 180

func open(t testing.TB, id string, settings map[string]any) text.Animated {
	t.Helper()
	a, err := drawer(t).Open(document.Component{ID: id, Settings: settings}, boxW, boxH)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return a
}

func frame(t testing.TB, a text.Animated, seconds float64) text.Drawing {
	t.Helper()
	d, err := a.Frame(seconds)
	if err != nil {
		t.Fatal(err)
	}
	if !d.Image.Rect.Add(d.At).In(image.Rect(0, 0, boxW, boxH)) {
		t.Fatalf("the picture at %v of size %v reaches out of its box", d.At, d.Image.Rect.Size())
	}
	return d
}

// same says whether two pictures are equal. Comparing their pixels one by one, as cmp does, takes long.
func same(a, b text.Drawing) bool {
	return a.At == b.At && a.Image.Rect == b.Image.Rect && bytes.Equal(a.Image.Pix, b.Image.Pix)
}

func tile(name string, d text.Drawing) goldentest.Tile {
	return goldentest.Tile{Name: name, Size: image.Pt(boxW, boxH), Picture: d.Image, At: d.At}
}

type object = map[string]any

// typical are settings for each component, with every group that it has.
var typical = map[string]object{
	"basic/000": {
		"card":     object{"background": "rgba(0,0,0,.5)", "border-radius": "2vw", "margin": "4vw"},
		"headline": object{"text": "A headline"}, "body": object{"text": []any{"The <b>body</b> of a <em>card</em>.", "And more."}},
	},
	"basic/001": {"card": object{"padding": "4vw"}, "headline": object{"text": "A headline"}, "body": object{"text": "A body"}, "bar": object{"width": "1vw"}},
	"basic/050": {
		"card": object{"vertical-align": "bottom"}, "headline": object{"text": "Broadway goes mask optional in July", "font-size": "auto"},
		"lead": object{"text": "Proof is no longer required"}, "bar": object{"color": "red"},
	},
	"basic/051": {"card": object{"padding": "4vw"}, "headline": object{"text": "Jane Doe"}, "image": object{"src": "a", "size": "14vw"}, "bar": object{"color": "red"}},
	"basic/052": {"card": object{"padding": "4vw"}, "headline": object{"text": "Living room", "font-size": "6vw"}, "section": object{"text": "NEWS"}},
	"basic/100": {"box": object{"initial_left": "100%", "final_left": "40%", "final_width": "50%", "background": "coral", "duration": 2000}},
	"basic/120": {
		"card": object{"text-align": "center", "padding": "1vw"}, "image": object{"background-image": "url('a')", "width": "25%", "border-radius": "20%"},
		"name": object{"text": "Jane", "font-size": "5vw"}, "title": object{"text": "Founder", "font-size": "4vw"}, "description": object{"text": "Some words", "font-size": "4vw"},
	},
	"basic/125": {
		"table": object{"color": "white", "font-size": "5vw", "border-spacing": "0 1vw"}, "header": object{"column-widths": []any{"30%", "70%"}},
		"first-column": object{"border-right": "3px solid red", "text-align": "right"}, "cells": object{"padding": "1px 6px"},
		"data": object{"columns": []any{"Day", "Talk"}, "rows": []any{[]any{"Mon", "<b>Go</b><br>at noon"}, []any{"Tue", 42}}},
	},
	"advanced/000":          {"animation": object{"text": []any{"Set", "Run"}}},
	"textbox/simple":        {"textbox1": object{"text": "Doors open at eight", "left": "10%", "top": "20%", "width": "40%", "height": "40%", "font-size": "auto", "background": "black", "animate": object{"left": "50%"}}},
	"moviola/progress-bar":  {"label": object{"text": "Funded", "font-size": "6vw"}, "bar": object{"value": 80}, "track": object{"height": "6vw"}, "card": object{"padding": "6vw"}},
	"moviola/progress-ring": {"ring": object{"value": 66, "color": "gold"}, "label": object{"font-size": "7vw"}},
	"advanced/001":          {"animation": object{"text": []any{"FALLING"}, "font-size": "12vw", "speed": 4}},
	"advanced/050":          {"button": object{"text": "SIGN UP!", "background": "red", "padding": "0 8vw", "box-shadow": "2vw 2vw 0 white"}},
	"advanced/051":          {"button": object{"text": "BOOK"}, "cursor": object{"width": "8vw"}},
	"advanced/060":          {"counter": object{"text": "$__num__", "from": 400, "to": "230.5", "decimals": 1, "duration": 3000, "font-size": "16vw"}},
	"advanced/070":          {"rating": object{"value": 3.5, "size": "12vw", "off-color": "#fff3"}},
	"advanced/100":          {"image": object{"src": "a", "final_left": "10%", "final_width": "30%"}},
	"advanced/110":          {"ring": object{"value": 66, "color": "gold"}, "label": object{"font-size": "7vw"}},
	"shape/rectangle":       {"rectangle1": object{"background": "linear-gradient(120deg, #FF2B2B 0%, #0039CB 100%)"}, "rectangle2": object{"left": "60%", "top": "90%", "width": "25%", "height": "50%", "rotate": "30deg", "border-width": "4px", "border-color": "white", "animate": object{"top": "20%", "rotate": "0deg", "duration": "1500", "easing": "easeOutCubic"}}},
	"shape/polygon":         {"polygon1": object{"points": "50% 0, 100% 100%, 0 100%", "left": "10%", "top": "10%", "width": "30%", "height": "70%"}, "polygon2": object{"sides": 6, "left": "50%", "top": "10%", "width": "40vh", "height": "40vh", "background": "gold", "animate": object{"rotate": "90deg"}}},
	"shape/3dbox":           {"box": object{"background": "tomato", "width": "30vw", "height": "20vw"}},
	"shape/cutout":          {"cover": object{"background": "black"}, "hole": object{"shape": "circle", "left": "30%", "top": "20%", "width": "60vh", "height": "60vh"}},
	"shape/html":            {"html1": object{"html": "<p>Some <b>bold</b> words</p>", "background": "#222", "top": "30%", "height": "40%", "animate": object{"left": "20%"}}},
}

func init() {
	for documented, ours := range map[string]string{
		"basic/000": "card", "basic/001": "bar-card", "basic/050": "news", "basic/051": "avatar", "basic/052": "line", "basic/100": "panel",
		"basic/120": "profile", "advanced/001": "falling-letters", "advanced/050": "button", "advanced/051": "click", "advanced/060": "counter", "advanced/070": "rating",
	} {
		typical["moviola/"+ours] = typical[documented]
	}
}

func TestOpen_EveryComponentHasTypicalSettings(t *testing.T) {
	t.Parallel()
	for _, id := range component.IDs() {
		if typical[id] == nil {
			t.Errorf("%s is not tested", id)
		}
	}
}

func TestOpen_Golden(t *testing.T) {
	t.Parallel()
	ids := component.IDs()
	ours := slices.IndexFunc(ids, func(id string) bool { return strings.HasPrefix(id, "moviola/") })
	for n, part := range [][]string{ids[:8], ids[8:ours], ids[ours : ours+7], ids[ours+7 : ours+14], ids[ours+14:]} {
		var tiles []goldentest.Tile
		for _, id := range part {
			a := open(t, id, typical[id])
			for _, share := range []float64{0.3, 1} {
				tiles = append(tiles, tile(fmt.Sprintf("%s at %.1f", id, share), frame(t, a, share*a.Settled())))
			}
		}
		goldentest.Check(t, fmt.Sprintf("testdata/components%d.png", n+1), 4, tiles)
	}
}

// plain are settings with one text or picture for each group, and nothing else.
var plain = []struct {
	id       string
	settings object
}{
	{"basic/000", object{"headline": "A headline", "body": []any{"The first paragraph", "The second one"}}},
	{"basic/001", object{"headline": "A headline", "body": []any{"The first paragraph", "The second one"}}},
	{"basic/120", object{"image": object{"src": "a"}, "name": "Ida", "title": "Baker"}},
	{"basic/050", object{"headline": "Harbour bridge reopens", "lead": "Two lanes from Friday"}},
	{"basic/051", object{"headline": "Noor Haddad", "image": object{"src": "a"}}},
	{"basic/052", object{"section": "LOCAL", "headline": "Market moves to the square"}},
	{"basic/100", object{"box": object{"initial_width": "0%", "final_width": "45%"}}},
	{"basic/125", object{"data": object{"columns": []any{"Day", "Opens"}, "rows": []any{[]any{"Mon", "9:00"}, []any{"Tue", "10:00"}}}}},
	{"advanced/000", object{"animation": "Run"}},
	{"advanced/001", object{"animation": "Last day"}},
	{"advanced/050", object{"button": "Book a table"}},
	{"advanced/051", object{"button": "Book a table"}},
	{"advanced/060", object{"counter": object{}}},
	{"advanced/070", object{"rating": object{}}},
	{"advanced/100", object{"image": object{"src": "a"}}},
	{"shape/rectangle", object{"rectangle1": object{"left": "20%", "width": "30%"}}},
	{"shape/polygon", object{"polygon1": object{"points": "50,0 100,100 0,100", "animate": object{"points": "0,0 100,0 50,100", "fill": "gold"}}}},
	{"shape/3dbox", object{
		"size": object{"width": "30vw", "height": "20vw", "depth": "6vw"}, "front": object{"background-image": "http://x/a.png"},
	}},
	{"shape/cutout", object{"background": object{"background-image": "url(a)"}}},
	{"shape/html", object{"html1": object{"html": "Some <b>bold</b> words"}}},
	{"textbox/simple", object{"textbox1": "Doors open at eight"}},
	{"advanced/110", object{"ring": object{}}},
}

// TestOpen_GoldenPlain: what the defaults look like. Reference vendor-catalogue.md §5.
func TestOpen_GoldenPlain(t *testing.T) {
	t.Parallel()
	for n, part := range [][]int{{0, 8}, {8, 15}, {15, len(plain)}} {
		var tiles []goldentest.Tile
		for _, one := range plain[part[0]:part[1]] {
			a := open(t, one.id, one.settings)
			for _, share := range []float64{0.4, 1} {
				tiles = append(tiles, tile(fmt.Sprintf("%s at %.1f", one.id, share), frame(t, a, share*a.Settled())))
			}
		}
		goldentest.Check(t, fmt.Sprintf("testdata/plain%d.png", n+1), 4, tiles)
	}
}

func TestOpen_SettlesAndIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, id := range component.IDs() {
		a, again := open(t, id, typical[id]), open(t, id, typical[id])
		end := a.Settled()
		if end <= 0 || end > 10 {
			t.Errorf("%s settles at %f", id, end)
		}
		last := frame(t, a, end)
		for _, seconds := range []float64{end + 0.01, end + 100} {
			if !same(last, frame(t, a, seconds)) {
				t.Errorf("%s changes after %f, at %f", id, end, seconds)
			}
		}
		if same(last, frame(t, a, end*0.2)) {
			t.Errorf("%s does not move", id)
		}
		for _, seconds := range []float64{end, end / 3, 0} {
			if !same(frame(t, a, seconds), frame(t, again, seconds)) {
				t.Errorf("%s: two frames at %f differ", id, seconds)
			}
		}
	}
}

// TestOpen_EachGroupIsSeen: one setting more in each group changes the picture.
func TestOpen_EachGroupIsSeen(t *testing.T) {
	t.Parallel()
	for id, groups := range typical {
		late := 100.0
		switch id { // what is gone in the end
		case "advanced/000", "advanced/051":
			late = 1
		}
		plain := tile(id, frame(t, open(t, id, groups), late))
		for name, value := range groups {
			changed := maps.Clone(groups)
			group := maps.Clone(value.(object))
			maps.Copy(group, map[string]object{
				"data": {"rows": []any{[]any{"Mon", "Something else"}}}, "ring": {"color": "crimson"}, "hole": {"left": "0%"}, "rating": {"color": "crimson"},
				"cursor": {"color": "crimson"}, "box": {"background": "crimson"}, "image": {"border": "6px solid crimson"}, "bar": {"color": "lime", "background": "lime"},
			}[name])
			if len(group) == len(value.(object)) && name != "data" && name != "box" && name != "bar" && name != "ring" && name != "hole" {
				maps.Copy(group, object{"color": "crimson", "font-size": "9vw", "background": "linear-gradient(red, lime)"})
			}
			changed[name] = group
			if d := goldentest.Difference(plain, tile(name, frame(t, open(t, id, changed), late))); d < 0.05 {
				t.Errorf("%s: the group %s changes the picture by %.3f of 255 only", id, name, d)
			}
		}
	}
}

// TestOpen_TimesAreThoseAskedFor: duration, delay and easing of a group, in milliseconds.
func TestOpen_TimesAreThoseAskedFor(t *testing.T) {
	t.Parallel()
	box := func(extra object) object {
		g := object{"text": "A headline"}
		maps.Copy(g, extra)
		return object{"headline": g}
	}
	for name, tt := range map[string]struct {
		settings object
		want     float64
	}{
		"as it is":           {box(nil), 1},
		"longer":             {box(object{"duration": 4000}), 4.5},
		"later":              {box(object{"delay": "2000", "duration": 500}), 2.5},
		"at once, but later": {box(object{"delay": 1000, "duration": 0}), 1},
		"not at all":         {object{"headline": object{"text": "A headline", "animation": "none"}, "card": object{"animation": "none"}}, 0},
		"too long":           {box(object{"duration": 1e6, "delay": 0}), 60},
	} {
		a := open(t, "basic/000", tt.settings)
		if math.Abs(a.Settled()-tt.want) > 1e-9 {
			t.Errorf("%s: it settles at %f, want %f", name, a.Settled(), tt.want)
		}
		last := frame(t, a, tt.want)
		if last.Image.Rect.Empty() {
			t.Errorf("%s: nothing is seen in the end", name)
		}
		if tt.want > 0 && same(last, frame(t, a, tt.want*0.5)) {
			t.Errorf("%s: half way it looks as in the end", name)
		}
	}
	panel := func(easing string) text.Animated {
		return open(t, "basic/100", object{"box": object{"initial_width": "0%", "easing": easing}})
	}
	slow, fast := panel("easeInExpo"), panel("easeOutExpo")
	if a, b := frame(t, slow, 0.5).Image.Rect.Dx(), frame(t, fast, 0.5).Image.Rect.Dx(); a >= b/2 {
		t.Errorf("half way the box is %d wide when it begins slowly and %d when it begins quickly", a, b)
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, id := range component.IDs() {
		b.Run(id, func(b *testing.B) {
			a, err := drawer(b).Open(componentOf(id, typical[id]), 1920, 1080)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := a.Frame(a.Settled() * float64(i%50) / 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package component_test

import (
	"bytes"
	"errors"
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

	"moviola/domain"
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

// box is the size of the components in the tests.
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

func TestOpen_Unknown(t *testing.T) {
	t.Parallel()
	_, err := drawer(t).Open(document.Component{ID: "basic/999"}, 100, 100)
	var fault *domain.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "basic/999") {
		t.Errorf("got %v, want an error that names the component", err)
	}
}

func TestOpen_WithoutSettings(t *testing.T) {
	t.Parallel()
	for _, id := range component.IDs() {
		frame(t, open(t, id, nil), 1)
	}
}

// TestOpen_NoTextOfItsOwn: what the author did not write is never shown (Decision 53).
func TestOpen_NoTextOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"basic/000", "basic/001", "basic/050", "basic/051", "basic/052", "basic/120", "advanced/000", "advanced/001", "advanced/050", "advanced/051", "textbox/simple",
	} {
		settings := object{"textbox1": object{"background": "red"}, "button": object{"background": "red"}, "section": object{"text": ""}}
		a := open(t, id, settings)
		want := open(t, id, object{"headline": "", "section": "", "name": "", "animation": "", "button": "", "textbox1": ""})
		if got := frame(t, a, 100); !same(got, frame(t, want, 100)) {
			t.Errorf("%s without texts shows one", id)
		}
	}
	for _, id := range []string{"basic/000", "basic/001", "basic/050", "basic/051", "basic/052", "basic/120", "advanced/001", "advanced/050", "advanced/051", "textbox/simple"} {
		if got := frame(t, open(t, id, object{"textbox1": object{"background": "red"}, "card": object{"background": "red"}}), 100); !got.Image.Rect.Empty() {
			t.Errorf("%s without texts shows a picture of %v", id, got.Image.Rect)
		}
	}
}

// TestOpen_TextForAGroup: a text or a list in the place of a group is the group's text (Decision 53).
func TestOpen_TextForAGroup(t *testing.T) {
	t.Parallel()
	long := open(t, "basic/000", object{"headline": object{"text": "Trail closed"}, "body": object{"text": []any{"One", "Two"}}})
	short := open(t, "basic/000", object{"headline": "Trail closed", "body": []any{"One", "Two"}})
	if want := frame(t, long, 100); want.Image.Rect.Empty() || !same(want, frame(t, short, 100)) {
		t.Error("the short form draws something else")
	}
}

// TestOpen_Cutout: the picture is seen inside of the hole, and nothing outside of it.
func TestOpen_Cutout(t *testing.T) {
	t.Parallel()
	picture := object{"background-image": "url(a)"}
	for name, tt := range map[string]struct {
		hole object
		want image.Rectangle
	}{
		"by its middle and radius": {object{"shape": "circle", "cx": "50%", "cy": "50%", "r": "20%", "animate": object{}}, image.Rect(124, 54, 196, 126)},
		"by its corner and size":   {object{"shape": "rect", "x": "10%", "y": "10%", "width": "50%", "height": "50%"}, image.Rect(32, 18, 192, 108)},
		"where it goes to":         {object{"shape": "rect", "animate": object{"left": "50%", "width": "50%"}}, image.Rect(160, 0, 320, 180)},
		"by its final state":       {object{"shape": "rect", "initial_width": "10%", "final_width": "50%"}, image.Rect(0, 0, 160, 180)},
		"the whole box":            {object{"shape": "rect"}, image.Rect(0, 0, 320, 180)},
	} {
		d := frame(t, open(t, "shape/cutout", object{"background": picture, "cutout": tt.hole}), 100)
		if got := d.Image.Rect.Add(d.At); got != tt.want {
			t.Errorf("%s: the picture is seen in %v, want %v", name, got, tt.want)
		}
	}
}

// An image given by its address alone is drawn as one in url() is, commas in it or not.
func TestOpen_BareAddress(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"https://example.com/a.png", "http://example.com/a,b.png?x=1,2"} {
		bare := frame(t, open(t, "shape/cutout", object{"background": object{"background-image": a}, "cutout": object{"shape": "rect"}}), 100)
		if bare.Image.Rect.Empty() {
			t.Errorf("%s is not drawn", a)
		}
	}
}

// TestOpen_ZoomText: each text takes 1.9 s, and after the last one nothing is seen.
func TestOpen_ZoomText(t *testing.T) {
	t.Parallel()
	a := open(t, "advanced/000", object{"animation": object{"text": []any{"Set", "Run"}}})
	if math.Abs(a.Settled()-3.8) > 1e-9 {
		t.Errorf("two texts take %f s", a.Settled())
	}
	set, run, after := frame(t, a, 1), frame(t, a, 2.9), frame(t, a, 100)
	if set.Image.Rect.Empty() || run.Image.Rect.Empty() || same(set, run) || !after.Image.Rect.Empty() {
		t.Errorf("it shows %v, %v and %v", set.Image.Rect, run.Image.Rect, after.Image.Rect)
	}
	if coming, going := frame(t, a, 0.2), frame(t, a, 1.85); coming.Image.Rect.Dx() >= set.Image.Rect.Dx() || going.Image.Rect.Dx() <= set.Image.Rect.Dx() {
		t.Errorf("the text is %d, %d and %d wide", coming.Image.Rect.Dx(), set.Image.Rect.Dx(), going.Image.Rect.Dx())
	}
}

// TestOpen_TextboxFits: a text of automatic size fills its box without leaving it.
func TestOpen_TextboxFits(t *testing.T) {
	t.Parallel()
	box := func(text string) object {
		return object{"textbox1": object{"text": text, "font-size": "auto", "left": "25%", "top": "25%", "width": "50%", "height": "50%", "color": "white"}}
	}
	within := image.Rect(80, 45, 240, 135)
	for _, words := range []string{"Hi", strings.Repeat("some more words ", 20)} {
		d := frame(t, open(t, "textbox/simple", box(words)), 0)
		got := d.Image.Rect.Add(d.At)
		if !got.In(within.Inset(-3)) || got.Dx() < within.Dx()/2 && got.Dy() < within.Dy()/2 {
			t.Errorf("%.20q is drawn in %v, of %v", words, got, within)
		}
	}
	small := box("Hi")
	small["textbox1"].(object)["max-font-size"] = "10px"
	if d := frame(t, open(t, "textbox/simple", small), 0); d.Image.Rect.Dy() > 14 {
		t.Errorf("with at most 10 pixels it is %d high", d.Image.Rect.Dy())
	}
}

func TestOpen_LoaderErrorsArePassedOn(t *testing.T) {
	t.Parallel()
	e, err := words()
	if err != nil {
		t.Fatal(err)
	}
	lost := errors.New("lost")
	asked := 0
	d := component.New(e, func(address string) (image.Image, error) {
		asked++
		if address != "https://example.com/a.png" {
			t.Errorf("asked for %q", address)
		}
		return nil, lost
	})
	_, err = d.Open(document.Component{ID: "basic/120", Settings: object{"image": object{"background-image": `url("https://example.com/a.png")`}}}, 100, 100)
	if !errors.Is(err, lost) || asked != 1 {
		t.Errorf("got %v after %d calls", err, asked)
	}
}

// TestOpen_Hostile: no settings exhaust memory or time, or break anything.
func TestOpen_Hostile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 20_000)
	many := make([]any, 5000)
	for i := range many {
		many[i] = []any{"a", "b", "c"}
	}
	shapes := object{}
	for i := range 500 {
		shapes[fmt.Sprintf("rectangle%d", i)] = object{"width": "1e5px", "height": "99999vh", "box-shadow": strings.Repeat("0 0 9999px 9999px red,", 90)}
	}
	for id, settings := range map[string]object{
		"basic/000":       {"headline": object{"text": long, "font-size": "2000px", "padding": "1e9px", "margin": "-1e9px"}, "body": object{"text": many}},
		"basic/050":       {"headline": object{"text": long, "font-size": "auto", "letter-spacing": "-1e9px"}},
		"basic/100":       {"box": object{"final_width": "1e9%", "duration": "-5", "easing": "nothing", "border-radius": "1e9px"}},
		"basic/120":       {"image": object{"src": "a", "width": "99999px", "height": "99999px"}},
		"basic/125":       {"data": object{"rows": many, "columns": many}},
		"advanced/060":    {"counter": object{"from": "-1e300", "to": "NaN", "decimals": 99, "duration": 1e300, "text": strings.Repeat("__num__", 500)}},
		"shape/rectangle": shapes,
		"shape/polygon":   {"polygon": object{"points": strings.Repeat("50% 1e9%,", 5000), "border": "9999px solid red"}},
		"shape/3dbox":     {"box": object{"width": "1e9px", "depth": "-1e9px", "rotate-x": "1e300deg"}},
	} {
		a, err := drawer(t).Open(document.Component{ID: id, Settings: settings}, boxW, boxH)
		var fault *domain.Error
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", id, err)
		}
		if err == nil {
			_, err = a.Frame(0.3)
		}
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", id, err)
		}
	}
	if _, err := drawer(t).Open(document.Component{ID: "basic/000"}, 16000, 16000); err == nil {
		t.Error("a component of 256 megapixels should be refused")
	}
}

func componentOf(id string, settings object) document.Component {
	return document.Component{ID: id, Settings: settings}
}

package component_test

import (
	"image"
	"image/color"
	"testing"

	"moviola/internal/drawing/text"
)

// seen is where in its box a component is visible when it has settled.
func seen(t *testing.T, id string, settings object) image.Rectangle {
	t.Helper()
	d := frame(t, open(t, id, settings), 100)
	all := image.Rectangle{}
	for y := range d.Image.Rect.Dy() {
		for x := range d.Image.Rect.Dx() {
			if d.Image.NRGBAAt(x, y).A > 0 {
				all = all.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return all.Add(d.At)
}

// pixel is a pixel of a component's box.
func pixel(d text.Drawing, x, y int) color.NRGBA { return d.Image.NRGBAAt(x-d.At.X, y-d.At.Y) }

var (
	crimson = color.NRGBA{R: 220, G: 20, B: 60, A: 255}
	nothing = color.NRGBA{}
)

func TestOpen_CardsStandWhereTheyShould(t *testing.T) {
	t.Parallel()
	for vertical, top := range map[string]int{"top": 0, "center": 70, "bottom": 140} {
		got := seen(t, "moviola/button", object{"button": object{"text": ".", "color": "red", "background": "red", "border-radius": 0, "height": "40px", "width": "100px", "vertical-align": vertical, "horizontal-align": "right"}})
		if want := image.Rect(220, top, 320, top+40); got != want {
			t.Errorf("%s: it stands at %v, want %v", vertical, got, want)
		}
	}
	got := seen(t, "basic/000", object{"headline": "Words", "card": object{"background": "red", "margin": "10px 20px", "padding": "0", "vertical-align": "bottom"}})
	if got.Min.X+got.Max.X < 319 || got.Min.X+got.Max.X > 321 || got.Max.Y != 170 || got.Dx() > 100 {
		t.Errorf("a card with margins stands at %v, want it in the middle and as wide as its text", got)
	}
	got = seen(t, "basic/000", object{"headline": "Words", "card": object{"background": "red", "width": "50%", "horizontal-align": "right", "margin": "10px"}})
	if got.Min.X != 150 || got.Max.X != 310 || got.Min.Y != 10 {
		t.Errorf("a card of half the width stands at %v", got)
	}
	small, large := seen(t, "basic/000", object{"headline": "Words", "card": object{"background": "red", "padding": "0"}}), seen(t, "basic/000", object{"headline": "Words", "card": object{"background": "red", "padding": "10px"}})
	if large.Dy() != small.Dy()+20 {
		t.Errorf("a padding of 10 makes a card of %d pixels %d high", small.Dy(), large.Dy())
	}
}

func TestOpen_ButtonsAreAsWideAsTheirText(t *testing.T) {
	t.Parallel()
	short, long := seen(t, "advanced/050", object{"button": object{"text": "OK", "background": "red"}}), seen(t, "advanced/050", object{"button": object{"text": "A longer text", "background": "red"}})
	if long.Dx() <= short.Dx() || long.Dy() != short.Dy() {
		t.Errorf("the buttons are %v and %v large", short.Size(), long.Size())
	}
	if left, right := long.Min.X, boxW-long.Max.X; left-right > 1 || right-left > 1 {
		t.Errorf("a button has %d pixels at its left and %d at its right", left, right)
	}
}

// TestOpen_AutomaticSize: a text that is too long for its line becomes smaller, a short one stays.
func TestOpen_AutomaticSize(t *testing.T) {
	t.Parallel()
	height := func(headline string) int {
		return seen(t, "basic/050", object{"headline": object{"text": headline, "font-size": "auto"}, "bar": object{"display": "none"}}).Dy()
	}
	short, longer := height("Short"), height("A headline that is somewhat too long for a single line")
	if longer >= short || longer < short/2 {
		t.Errorf("a short headline is %d high, a long one %d", short, longer)
	}
	if broken := height("A headline that is so very long that it would have to be set in letters that nobody can read any more if it were to stand in a single line"); broken <= longer {
		t.Errorf("a headline that is far too long is %d high, should be broken", broken)
	}
}

func TestOpen_ShapesStandExactly(t *testing.T) {
	t.Parallel()
	d := frame(t, open(t, "shape/rectangle", object{"rectangle1": object{
		"left": "0", "top": "0", "width": "10px", "height": "10px", "background": "crimson", "animate": object{"left": "50%", "top": "25%", "width": "40px", "easing": "linear"},
	}}), 100)
	for at, want := range map[image.Point]color.NRGBA{{160, 45}: crimson, {199, 54}: crimson, {159, 45}: nothing, {200, 45}: nothing, {160, 44}: nothing, {160, 55}: nothing, {5, 5}: nothing} {
		if got := pixel(d, at.X, at.Y); got != want {
			t.Errorf("rectangle, %v: got %v, want %v", at, got, want)
		}
	}
	half := frame(t, open(t, "shape/rectangle", object{"rectangle1": object{"left": "0", "top": "0", "width": "10px", "height": "10px", "background": "crimson", "animate": object{"left": "100px", "easing": "linear"}}}), 0.5)
	if pixel(half, 50, 5) != crimson || pixel(half, 59, 5) != crimson || pixel(half, 49, 5) != nothing {
		t.Errorf("half way the rectangle is at %v", half.At)
	}
	d = frame(t, open(t, "shape/cutout", object{"cover": object{"background": "crimson"}, "hole": object{"left": "100px", "top": "50px", "width": "60px", "height": "40px"}}), 100)
	for at, want := range map[image.Point]color.NRGBA{{0, 0}: crimson, {319, 179}: crimson, {99, 70}: crimson, {100, 70}: nothing, {159, 89}: nothing, {160, 70}: crimson} {
		if got := pixel(d, at.X, at.Y); got != want {
			t.Errorf("cutout, %v: got %v, want %v", at, got, want)
		}
	}
}

// TestOpen_ShadowSpreads: the spread of a shadow makes it larger on each side or, below 0, smaller, until nothing is left of it.
func TestOpen_ShadowSpreads(t *testing.T) {
	t.Parallel()
	box := image.Rect(20, 20, 60, 50)
	for spread, want := range map[string]image.Rectangle{
		"0": image.Rect(120, 20, 160, 50), "5px": image.Rect(115, 15, 165, 55), "-10px": image.Rect(130, 30, 150, 40), "-15px": {}, "-40px": {},
	} {
		for _, radius := range []string{"0", "4px"} {
			got := seen(t, "shape/rectangle", object{"rectangle1": object{"left": "20px", "top": "20px", "width": "40px", "height": "30px", "background": "crimson",
				"border-radius": radius, "box-shadow": "100px 0 0 " + spread + " blue"}})
			if got != box.Union(want) {
				t.Errorf("spread %s, radius %s: box and shadow are at %v, want %v", spread, radius, got, box.Union(want))
			}
		}
	}
}

// TestOpen_NumberedGroups are drawn in the order of their numbers, not of their names.
func TestOpen_NumberedGroups(t *testing.T) {
	t.Parallel()
	settings := object{"rectangle10": object{"background": "crimson"}, "rectangle2": object{"background": "blue"}, "rectangles": object{"background": "lime"}}
	if got := pixel(frame(t, open(t, "shape/rectangle", settings), 0), 50, 50); got != crimson {
		t.Errorf("on top is %v", got)
	}
}

func TestOpen_RatingShowsParts(t *testing.T) {
	t.Parallel()
	lit := func(value any) (n int) {
		d := frame(t, open(t, "advanced/070", object{"rating": object{"value": value, "size": "40px", "symbol": "circle", "color": "crimson"}}), 100)
		for y := range boxH {
			for x := range boxW {
				if pixel(d, x, y) == crimson {
					n++
				}
			}
		}
		return n
	}
	one := lit(1)
	for value, want := range map[any]float64{0: 0, 2: 2, 2.5: 2.5, "5": 5, 99: 5, -1: 0, "many": 5} {
		if got := float64(lit(value)) / float64(one); got < want-0.15 || got > want+0.15 {
			t.Errorf("a value of %v lights %.2f symbols, want %v", value, got, want)
		}
	}
}

// TestOpen_CounterRuns from one number to the other, and shows the same as a text with that number would.
func TestOpen_CounterRuns(t *testing.T) {
	t.Parallel()
	counting := open(t, "advanced/060", object{"counter": object{"from": 10, "to": 20, "duration": 1000, "easing": "linear"}})
	for seconds, shown := range map[float64]int{0: 10, 0.5: 15, 1: 20, 50: 20} {
		still := open(t, "advanced/060", object{"counter": object{"from": shown, "to": shown, "duration": 0}})
		if !same(frame(t, counting, seconds), frame(t, still, 0)) {
			t.Errorf("after %v seconds it does not show %d", seconds, shown)
		}
	}
}

func TestOpen_TableColumns(t *testing.T) {
	t.Parallel()
	d := frame(t, open(t, "basic/125", object{
		"table": object{"vertical-align": "top"}, "header": object{"column-widths": []any{"25%", "auto"}},
		"cells": object{"background": "blue"}, "first-column": object{"background": "crimson"},
		"data": object{"rows": []any{[]any{"", ""}, []any{"", ""}}},
	}), 100)
	if d.Image.Rect.Empty() {
		t.Fatal("nothing is seen of the table")
	}
	y := d.At.Y + 1
	if first, second := pixel(d, 79, y), pixel(d, 80, y); first != crimson || second == crimson || second == nothing {
		t.Errorf("at a quarter of the width the columns are %v and %v", first, second)
	}
}

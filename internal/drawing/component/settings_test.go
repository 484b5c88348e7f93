package component_test

import (
	"errors"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/internal/drawing/component"
	"moviola/internal/drawing/text"
)

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

// TestOpen_Background: the shorthand places an image as the properties of its parts do, and each part is seen.
func TestOpen_Background(t *testing.T) {
	t.Parallel()
	drawn := func(style object) text.Drawing {
		return frame(t, open(t, "shape/cutout", object{"background": style, "cutout": object{"shape": "rect"}}), 100)
	}
	covered := drawn(object{"background": "url(a)"})
	for short, long := range map[string][2]string{
		"url(a) center / contain":             {"center", "contain"},
		"url(a) left / contain":               {"left", "contain"},
		"right bottom / 25% no-repeat url(a)": {"right bottom", "25%"},
		"url(a) 10% 30px / 50px 40px":         {"10% 30px", "50px 40px"},
		"url(a) top":                          {"top", "cover"},
	} {
		got := drawn(object{"background": short})
		want := drawn(object{"background-image": "url(a)", "background-position": long[0], "background-size": long[1]})
		if !same(got, want) || same(got, covered) {
			t.Errorf("%s: drawn in %v, want %v", short, got.Image.Rect.Add(got.At), want.Image.Rect.Add(want.At))
		}
	}
	at := drawn(object{"background": "url(a) 10% 30px / 50px 40px"})
	var seen image.Rectangle
	for y := range at.Image.Rect.Dy() {
		for x := range at.Image.Rect.Dx() {
			if at.Image.Pix[at.Image.PixOffset(at.Image.Rect.Min.X+x, at.Image.Rect.Min.Y+y)+3] != 0 {
				seen = seen.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if got, want := seen.Add(at.Image.Rect.Min).Add(at.At), image.Rect(27, 30, 77, 70); got != want {
		t.Errorf("an image with position and size is drawn in %v, want %v", got, want)
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

// TestOpen_HugeShares: percentages have no bound of their own. A shape that is far larger than its box ends no process, and costs
// no more than a smaller one.
func TestOpen_HugeShares(t *testing.T) {
	t.Parallel()
	for _, share := range []string{"1e7%", "1e12%", "99999999999999%", "-99999999999999%"} {
		for id, settings := range map[string]object{
			"shape/rectangle": {"rectangle1": object{"left": share, "width": share, "height": share, "rotate": "30deg",
				"background": "linear-gradient(red, blue), url(https://example.com/a.png)"}},
			"basic/100": {"box": object{"final-width": share, "final-height": share, "background": "url(https://example.com/a.png)"}},
			"shape/polygon": {"polygon": object{"points": "0 0, " + share + " 50%, 0 100%, -" + share + " -" + share,
				"stroke": "blue", "stroke-width": "3px"}},
			"shape/3dbox":    {"box": object{"width": share, "height": share, "depth": share}},
			"textbox/simple": {"textbox": object{"text": "Wide", "width": share, "height": share, "background": "url(https://example.com/a.png)"}},
			"advanced/100":   {"image": object{"src": "https://example.com/a.png", "initial-width": share, "final-height": share}},
			"advanced/051":   {"button": object{"text": "Go"}, "cursor": object{"width": share, "height": share}},
		} {
			a, err := drawer(t).Open(componentOf(id, settings), boxW, boxH)
			var fault *domain.Error
			if err == nil {
				_, err = a.Frame(a.Settled() / 2)
			}
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%s with %s: %v, want an error for the client", id, share, err)
			}
		}
	}
}

//go:build !race

package render_test

import (
	"image"
	"slices"
	"strings"
	"testing"
)

// bright counts the pixels of a part of a picture that are nearly white.
func bright(img *image.NRGBA, part image.Rectangle) int {
	n := 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if c := img.NRGBAAt(x, y); c.R > 200 && c.G > 200 && c.B > 200 {
				n++
			}
		}
	}
	return n
}

// A word that is wider than the movie is drawn smaller or broken: nothing of it is cut.
func TestEngine_Render_captionsThatAreTooWide(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for word, lines := range map[string]int{
		"Responsibility":                       1, // a little too wide: smaller
		"extraordinarily":                      1,
		"Donaudampfschifffahrtsgesellschaften": 3,
		"เรือเกลือเรือเกลือเรือเกลือเรือ": 2,
	} {
		doc := movieOf(1)
		doc["elements"] = []object{{"type": "subtitles", "captions": "WEBVTT\n\n00:00.000 --> 00:01.000\n" + word, "settings": object{
			"font-size": 48, "line-color": "#ffffff", "word-color": "#ffffff", "outline-width": 0, "position": "center-center"}}}
		img := frame(t, s.mustRender(doc).Movie, 5)
		left, right := bright(img, image.Rect(0, 0, 10, 180)), bright(img, image.Rect(310, 0, 320, 180))
		if left+right > 0 || bright(img, img.Rect) < 200 {
			t.Errorf("%s: %d pixels at the left and %d at the right edge, %d in all", word, left, right, bright(img, img.Rect))
		}
		if got := len(bands(img)); got < lines || got > lines+2 || lines == 1 && got > 2 {
			t.Errorf("%s stands in %d lines, want about %d", word, got, lines)
		}
	}
}

// Decision 27: a font of captions that is replaced is a warning, whether the captions stay or change.
func TestEngine_Render_captionsInAnotherFont(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, cues := range map[string]string{
		"one": "00:00.000 --> 00:01.000\nOne", "three": "00:00.000 --> 00:00.300\nOne\n\n00:00.300 --> 00:00.600\nTwo\n\n00:00.700 --> 00:01.000\nThree",
	} {
		doc := movieOf(1)
		doc["elements"] = []object{{"type": "subtitles", "captions": "WEBVTT\n\n" + cues, "settings": object{"font-family": "Nowhere Sans"}}}
		out := s.mustRender(doc)
		if !slices.ContainsFunc(out.Warnings, func(w string) bool { return strings.Contains(w, "'Nowhere Sans' is not installed") }) {
			t.Errorf("%s: warnings are %q", name, out.Warnings)
		}
	}
	doc := movieOf(1)
	doc["elements"] = []object{{"type": "subtitles", "captions": "WEBVTT\n\n00:00.000 --> 00:01.000\nOne"}}
	if out := s.mustRender(doc); len(out.Warnings) > 0 {
		t.Errorf("without a font: warnings are %q", out.Warnings)
	}
}

// bands are the stretches of rows in which something bright is seen.
func bands(img *image.NRGBA) [][2]int {
	var all [][2]int
	inside := false
	for y := range img.Rect.Dy() {
		seen := bright(img, image.Rect(0, y, img.Rect.Dx(), y+1)) > 0
		switch {
		case seen && inside:
			all[len(all)-1][1] = y
		case seen:
			all = append(all, [2]int{y, y})
		}
		inside = seen
	}
	return all
}

package visual_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"moviola/tests/studio"
)

// box is a filled rectangle, drawn by a component.
func box(color string, x, y, w, h, z int) studio.Object {
	return studio.Object{"type": "component", "component": "shape/rectangle", "x": x, "y": y, "width": w, "height": h, "z-index": z,
		"settings": studio.Object{"rectangle1": studio.Object{"background": color, "left": "0", "top": "0", "width": "100%", "height": "100%"}}}
}

// TestLayers: what lies over what, and what shows through. Movie-schema §6.
func TestLayers(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	supplies(t, s)
	house := func(props studio.Object) studio.Object { return element("image", s.URL+"/house.png", props) }
	three := func(a, b, c int) studio.List {
		return studio.List{box("#e74c3c", 10, 10, 60, 40, a), box("#2ecc71", 30, 20, 60, 40, b), box("#3498db", 50, 30, 60, 40, c)}
	}
	scenes := studio.List{
		studio.Object{"elements": three(0, 0, 0)}, studio.Object{"elements": three(2, 1, 0)}, studio.Object{"elements": three(0, 5, -5)},
		studio.Object{"background-color": "#8e44ad", "elements": studio.List{}}, studio.Object{"background-color": "rgba(255, 255, 255, 0.5)", "elements": studio.List{}},
		studio.Object{"background-color": "transparent", "elements": studio.List{box("#f1c40f", 10, 10, 30, 30, 0)}},
		studio.Object{"elements": studio.List{house(studio.Object{"resize": "cover"}), box("rgba(0, 0, 0, 0.5)", 0, 50, 120, 30, 0)}},
		studio.Object{"elements": studio.List{house(studio.Object{"resize": "cover", "opacity": 0.4}), house(studio.Object{"x": 60, "y": 40, "width": 50})}},
	}
	var numbers []int
	var names []string
	for i := range scenes {
		scenes[i].(studio.Object)["duration"] = 0.2
		numbers, names = append(numbers, 5*i+2), append(names, []string{"in order", "turned round", "by level", "background", "half a background", "transparent", "shade", "through"}[i])
	}
	movie := studio.Object{"scenes": scenes, "elements": studio.List{
		house(studio.Object{"resize": "cover", "z-index": -1, "duration": -2}), box("#ffffff", 100, 4, 14, 14, 1),
	}}
	checkFrames(t, s, "testdata/layers.jpg", 120, 80, 4, movie, numbers, names)
}

// TestDraft: a draft is marked in every frame. Decision 37.
func TestDraft(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	supplies(t, s)
	house := element("image", s.URL+"/house.png", studio.Object{"resize": "cover"})
	movie := studio.Object{"draft": true, "scenes": studio.List{
		studio.Object{"duration": 0.8, "elements": studio.List{house}},
		studio.Object{"duration": 0.8, "elements": studio.List{}, "transition": studio.Object{"style": "wipeleft", "duration": 0.4}},
	}}
	checkFrames(t, s, "testdata/draft.jpg", 240, 160, 3, movie, []int{0, 15, 25}, []string{"scene", "transition", "next scene"})
}

// TestCaptions: the styles of captions, where they are, and the word that is just spoken. Movie-schema §4.8.
func TestCaptions(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	const w, h = 240, 120
	ass := "[Script Info]\nPlayResX: 240\nPlayResY: 120\n[V4+ Styles]\nFormat: Name,Fontname,Fontsize\nStyle: Default,Inter,20\n[Events]\n" +
		"Format: Layer,Start,End,Style,Text\nDialogue: 0,0:00:00.00,0:00:01.60,Default,{\\k40}one {\\k40}two {\\k40}three {\\k40}four\n"
	for _, tt := range []struct {
		file  string
		names []string
		looks []studio.Object
	}{
		{"testdata/captions.jpg", []string{"classic", "classic-progressive", "classic-one-word", "boxed-line", "boxed-word", "large", "caps", "outline"}, []studio.Object{
			{"style": "classic"}, {"style": "classic-progressive"}, {"style": "classic-one-word"}, {"style": "boxed-line"}, {"style": "boxed-word"},
			{"font-size": 34, "font-weight": "800", "line-color": "#7fffd4", "word-color": "#ff4500"}, {"all-caps": true, "max-words-per-line": 2},
			{"outline-width": 3, "outline-color": "#c0392b", "shadow-offset": 4, "shadow-color": "#000000"},
		}},
		{"testdata/captions-places.jpg", []string{"top-left", "top-center", "top-right", "center-left", "center-center", "center-right",
			"bottom-left", "bottom-center", "bottom-right", "mid-top-center", "mid-bottom-center", "custom", "replaced"}, []studio.Object{
			{"position": "top-left"}, {"position": "top-center"}, {"position": "top-right"}, {"position": "center-left"}, {"position": "center-center"},
			{"position": "center-right"}, {"position": "bottom-left"}, {"position": "bottom-center"}, {"position": "bottom-right"},
			{"position": "mid-top-center"}, {"position": "mid-bottom-center"}, {"position": "custom", "x": 130, "y": 30},
			{"replace": studio.Object{"two": "zwei"}, "box-color": "#2980b9", "style": "boxed-line"},
		}},
	} {
		var all []look
		for k, settings := range tt.looks {
			if settings["font-size"] == nil {
				settings["font-size"] = 20
			}
			settings["font-family"] = "Inter"
			all = append(all, look{tt.names[k], studio.Object{
				"scenes":   studio.List{studio.Object{"duration": 1.6, "background-color": "#34495E", "elements": studio.List{}}},
				"elements": studio.List{studio.Object{"type": "subtitles", "captions": ass, "settings": settings}},
			}})
		}
		checkMovies(t, s, tt.file, w, h, 4, 24, all)
	}
}

// TestCaptions_order: words stand where those of a text element stand, whichever way they are read, and the box of one leaves the next alone.
func TestCaptions_order(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	var all []look
	for name, words := range map[string]string{
		"1 Hebrew with English": "שלום hello, world (2025).", "2 English with Hebrew": "Say שלום עולם twice.", "3 Arabic with a number": "مرحبا بالعالم 25 مرة",
		"4 CJK": "今日は良い天気です", "5 narrow blanks": "one two three",
	} {
		settings := studio.Object{"style": "boxed-word", "box-color": "#c0392b", "font-size": 26, "font-family": "Bebas Neue"}
		movie := studio.Object{
			"scenes": studio.List{studio.Object{"duration": 1, "background-color": "#34495E", "elements": studio.List{
				studio.Object{"type": "text", "text": words, "settings": studio.Object{"font-size": 26, "font-family": "Bebas Neue", "vertical-position": "top"}},
			}}},
			"elements": studio.List{studio.Object{"type": "subtitles", "captions": "WEBVTT\n\n00:00.000 --> 00:01.000\n" + karaoke(words), "settings": settings}},
		}
		all = append(all, look{name, movie})
	}
	slices.SortFunc(all, func(a, b look) int { return strings.Compare(a.name, b.name) })
	checkMovies(t, s, "testdata/captions-order.jpg", 360, 120, 3, 12, all)
}

// karaoke gives each word of a second its time.
func karaoke(words string) string {
	all := strings.Fields(words)
	for i := range all[1:] {
		all[i+1] = fmt.Sprintf("<00:00.%03d>%s", 1000*(i+1)/len(all), all[i+1])
	}
	return strings.Join(all, " ")
}

// TestWaves: the audiogram draws the sound that is heard. Movie-schema §4.9.
func TestWaves(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t))
	s.Generate("waves.wav", "-f", "lavfi", "-i", "aevalsrc=exprs='0.8*sin(2*PI*300*t)*abs(sin(4*t))':sample_rate=48000:duration=2")
	var all []look
	for _, props := range []studio.Object{
		{}, {"color": "#e67e22", "opacity": 1}, {"amplitude": 10, "opacity": 1}, {"amplitude": 1, "opacity": 1}, {"x": 20, "y": 60, "width": 120, "height": 40, "color": "#1abc9c", "opacity": 1},
	} {
		props["type"] = "audiogram"
		all = append(all, look{"audiogram", studio.Object{"scenes": studio.List{studio.Object{"duration": 2, "background-color": "#34495E", "elements": studio.List{
			studio.Object{"type": "audio", "src": s.URL + "/waves.wav"}, props,
		}}}}})
	}
	checkMovies(t, s, "testdata/waves.jpg", 200, 112, 3, 25, all)
}

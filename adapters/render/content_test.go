//go:build !race

package render_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/domain"
)

func TestEngine_Render_pages(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	yellow := [3]int{255, 200, 0}
	out := s.mustRender(movieOf(2, object{"type": "html", "html": "<p>still</p>"}))
	for _, n := range []int{0, 19} {
		requireColor(t, "still page", frame(t, out.Movie, n), 20, 40, yellow, 4)
		requireColor(t, "beside it", frame(t, out.Movie, n), 100, 40, dark, 4)
	}
	// Captured for 2 seconds of 18, in two windows: afterwards the last frame stays.
	moves := object{"type": "html", "html": "<p>moves</p>", "capture": object{"duration": 2}, "x": 10, "y": 10, "width": 300, "height": 100}
	out = s.mustRender(movieOf(18, moves))
	for n, x := range map[int]int{0: 10, 5: 50, 19: 162, 20: 162, 179: 162} {
		requireColor(t, fmt.Sprint("page at frame ", n), frame(t, out.Movie, n), x+20, 50, yellow, 4)
		requireColor(t, fmt.Sprint("beside it at frame ", n), frame(t, out.Movie, n), x+52, 50, dark, 4)
	}
	s.mustRender(movieOf(18, moves))
	if stills, films := s.pages.stills.Load(), s.pages.films.Load(); stills != 1 || films != 1 {
		t.Errorf("%d stills and %d films were drawn, want 1 of each", stills, films)
	}
}

func TestEngine_Render_componentsAndTexts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	out := s.mustRender(movieOf(3,
		object{"type": "component", "component": "shape/rectangle", "settings": object{"rectangle1": object{
			"left": "100px", "top": "60px", "width": "80px", "height": "40px", "background": "#ff0000"}}},
		object{"type": "text", "style": "002", "text": "████", "x": 200, "y": 100, "width": 120, "height": 80, "settings": object{"font-size": "40px", "text-shadow": "none"}},
	))
	requireColor(t, "rectangle", frame(t, out.Movie, 25), 140, 80, red, 6)
	first, middle, last := mean(frame(t, out.Movie, 0), 260, 140, 10), mean(frame(t, out.Movie, 8), 260, 140, 10), mean(frame(t, out.Movie, 28), 260, 140, 10)
	if !(first[1] < middle[1]-20 && middle[1] < last[1]-20 && last[1] > 200) {
		t.Errorf("the text fades from %v over %v to %v", first, middle, last)
	}
}

func TestEngine_Render_voicesCaptionsAndWaves(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	doc := movieOf(4,
		object{"type": "voice", "text": "one two three four", "start": 1},
		object{"type": "audiogram", "color": "#00ff00", "amplitude": 10, "x": 0, "y": 0, "width": 320, "height": 100},
	)
	doc["elements"] = []object{{"type": "subtitles", "settings": object{
		"style": "boxed-word", "font-size": 24, "box-color": "#ff0000", "line-color": "#ffffff", "word-color": "#ffffff"}}}
	out := s.mustRender(doc)
	sound := listen(t, out.Movie)
	if before, during := sound.tone(300, 0.1, 0.9), sound.tone(300, 1.1, 1.9); before > 0.005 || during < 0.05 {
		t.Errorf("the voice has level %.4f before and %.4f during it", before, during)
	}
	quietPlace, loudPlace := mean(frame(t, out.Movie, 2), 60, 44, 4), mean(frame(t, out.Movie, 15), 165, 44, 4)
	if quietPlace[1] > 50 || loudPlace[1] < 80 {
		t.Errorf("the waveform is %v in silence and %v in sound", quietPlace, loudPlace)
	}
	// The box moves with the words: from 1.0 s on the first, from 1.75 s on the fourth.
	boxes := map[int]int{}
	for _, n := range []int{5, 11, 16, 18} {
		boxes[n] = redBox(frame(t, out.Movie, n))
	}
	if boxes[5] != -1 || boxes[11] < 0 || boxes[16] <= boxes[11] || boxes[18] <= boxes[16] {
		t.Errorf("the box of the word is at %v", boxes)
	}
	if raw := string(mustRead(t, out.Subtitles)); !strings.Contains(raw, "[Script Info]") || !strings.Contains(raw, "three") {
		t.Errorf("captions are %q", raw)
	}
	if len(out.Warnings) == 0 || !strings.Contains(strings.Join(out.Warnings, "\n"), "said by a machine") {
		t.Errorf("warnings are %q", out.Warnings)
	}
	if n := s.ear.heard.Load(); n != 0 {
		t.Errorf("the sound was transcribed %d times", n)
	}
}

// redBox is the middle of what is red in the lower half, -1: nothing is.
func redBox(img *image.NRGBA) int {
	sum, n := 0, 0
	for y := 100; y < 180; y++ {
		for x := range 320 {
			if c := img.NRGBAAt(x, y); c.R > 180 && c.G < 60 {
				sum, n = sum+x, n+1
			}
		}
	}
	if n == 0 {
		return -1
	}
	return sum / n
}

func TestEngine_Render_captionsGivenOrHeard(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if err := os.WriteFile(filepath.Join(s.media.dir, "given.srt"), []byte("1\n00:00:01,000 --> 00:00:02,000\nHello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	style := object{"font-size": 40, "style": "boxed-line", "box-color": "#ff0000"}
	for name, subtitles := range map[string]object{
		"inline": {"captions": "WEBVTT\n\n00:01.000 --> 00:02.000\nHello"}, "file": {"captions": "http://x.test/given.srt"},
	} {
		subtitles["type"], subtitles["settings"] = "subtitles", style
		doc := movieOf(3)
		doc["elements"] = []object{subtitles}
		out := s.mustRender(doc)
		for n, shown := range map[int]bool{9: false, 10: true, 19: true, 20: false} {
			if got := redBox(frame(t, out.Movie, n)); (got > 0) != shown {
				t.Errorf("%s: the caption at frame %d is at %d, shown %v", name, n, got, shown)
			}
		}
	}
	doc := movieOf(3, object{"type": "audio", "src": "voice.wav"})
	doc["elements"] = []object{{"type": "subtitles", "settings": style}}
	out := s.mustRender(doc)
	if got := redBox(frame(t, out.Movie, 5)); got < 0 || s.ear.heard.Load() != 1 {
		t.Errorf("the heard caption is at %d, heard %d times", got, s.ear.heard.Load())
	}
}

// webpOf joins pictures, each a WebP file, into an animation of frames of delay milliseconds.
func webpOf(t *testing.T, w, h, delay int, files ...string) []byte {
	t.Helper()
	u24 := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	body := append([]byte("VP8X\x0a\x00\x00\x00\x12\x00\x00\x00"), append(u24(w-1), u24(h-1)...)...)
	for _, file := range files {
		chunks := mustRead(t, file)[12:]
		if string(chunks[:4]) == "VP8X" {
			chunks = chunks[18:]
		}
		frame := append(append(append(make([]byte, 6), u24(w-1)...), u24(h-1)...), append(u24(delay), 0)...)
		body = append(body, "ANMF"...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(frame)+len(chunks)))
		body = append(append(body, frame...), chunks...)
	}
	return append(append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+len(body)))...), append([]byte("WEBP"), body...)...)
}

// Pictures that move are played like videos, again and again if that is asked for.
func TestEngine_Render_animatedPictures(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("moves.gif", "-f", "lavfi", "-i", "color=red:s=64x64:r=2:d=0.5", "-f", "lavfi", "-i", "color=blue:s=64x64:r=2:d=0.5",
		"-filter_complex", "[0][1]concat,split[a][b];[a]palettegen[p];[b][p]paletteuse")
	for _, c := range []string{"red", "blue"} {
		b.generate(c+".webp", "-f", "lavfi", "-i", "color="+c+":s=64x64,format=bgra", "-frames:v", "1", "-c:v", "libwebp", "-lossless", "1")
	}
	webp := webpOf(t, 64, 64, 500, filepath.Join(b.media.dir, "red.webp"), filepath.Join(b.media.dir, "blue.webp"))
	if err := os.WriteFile(filepath.Join(b.media.dir, "moves.webp"), webp, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{"moves.gif", "moves.webp"} {
		for _, tt := range []struct {
			name  string
			props object
			want  map[int][3]int
		}{
			{"once", object{}, map[int][3]int{0: red, 4: red, 5: blue, 9: blue, 15: blue, 39: blue}},
			{"again and again", object{"loop": -1}, map[int][3]int{0: red, 5: blue, 10: red, 14: red, 15: blue, 32: red}},
			{"turned", object{"loop": -1, "rotate": object{"angle": 180}}, map[int][3]int{0: red, 5: blue}},
			{"later", object{"start": 1, "loop": -1}, map[int][3]int{9: dark, 10: red, 15: blue, 20: red}},
		} {
			t.Run(src+" "+tt.name, func(t *testing.T) {
				element := object{"type": "image", "src": src, "x": 20, "y": 20, "duration": -2}
				for k, v := range tt.props {
					element[k] = v
				}
				out := b.mustRender(movieOf(4, element))
				for n, want := range tt.want {
					requireColor(t, fmt.Sprint("frame ", n), frame(t, out.Movie, n), 50, 50, want, 6)
				}
			})
		}
	}
}

// Of two animated WebP files the damaged one is blamed.
func TestEngine_Render_damagedWebPIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("red.webp", "-f", "lavfi", "-i", "color=red:s=64x64,format=bgra", "-frames:v", "1", "-c:v", "libwebp", "-lossless", "1")
	frame := filepath.Join(b.media.dir, "red.webp")
	good := webpOf(t, 64, 64, 500, frame, frame)
	bad := slices.Clone(good)
	clear(bad[len(bad)-20:])
	for name, raw := range map[string][]byte{"good.webp": good, "bad.webp": bad} {
		if err := os.WriteFile(filepath.Join(b.media.dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.Render(t.Context(), b.job(movieOf(1, object{"type": "image", "src": "good.webp"}, object{"type": "image", "src": "bad.webp"})))
	var client *domain.Error
	if !errors.As(err, &client) || !strings.HasPrefix(client.Message, "Scene #1, element #2: The image cannot be read") {
		t.Errorf("error is %v", err)
	}
}

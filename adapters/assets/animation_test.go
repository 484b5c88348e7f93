package assets_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/domain/timeline"
)

// gifOf is an animation with a frame for each delay, in hundredths of a second.
func gifOf(t *testing.T, w, h int, delays ...int) []byte {
	t.Helper()
	g := gif.GIF{Delay: delays}
	for range delays {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White}))
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, &g); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// webpOf has the headers of an animation with a frame for each delay, in milliseconds, and no pictures.
func webpOf(w, h int, delays ...int) []byte {
	u24 := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	chunk := func(name string, parts ...[]byte) []byte {
		body := bytes.Join(parts, nil)
		return append(append([]byte(name), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...), append(body, make([]byte, len(body)%2)...)...)
	}
	body := chunk("VP8X", []byte{2, 0, 0, 0}, u24(w-1), u24(h-1))
	for _, d := range delays {
		body = append(body, chunk("ANMF", u24(0), u24(0), u24(w-1), u24(h-1), u24(d), []byte{0}, []byte("odd"))...)
	}
	return append(append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+len(body)))...), append([]byte("WEBP"), body...)...)
}

func TestCache_Fetch_animations(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	s.serve("/moves.gif", gifOf(t, 20, 10, 50, 100, 0)) // a delay of nothing is a tenth of a second
	s.serve("/still.gif", gifOf(t, 20, 10, 50))
	s.serve("/moves.webp", webpOf(300, 200, 400, 100, 5))
	s.serve("/short.gif", gifOf(t, 20, 10, 50, 100, 50)[:60])
	tests := map[string]timeline.Facts{
		"/moves.gif":  {Width: 20, Height: 10, Duration: 1.6, HasVideo: true},
		"/still.gif":  {Width: 20, Height: 10},
		"/moves.webp": {Width: 300, Height: 200, Duration: 0.6, HasVideo: true},
	}
	for path, want := range tests {
		a, err := s.fetch(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		a.Facts.Duration = float64(int(a.Facts.Duration*1000+0.5)) / 1000
		if diff := cmp.Diff(want, a.Facts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if a.Animated() != want.HasVideo {
			t.Errorf("%s: animated is %v", path, a.Animated())
		}
	}
	long := make([]int, 4000)
	for i := range long {
		long[i] = 100
	}
	s.serve("/long.gif", gifOf(t, 1, 1, long...))
	_, err := s.fetch("/long.gif")
	s.requireError(err, "The file at 'HOST/long.gif' is an animation of more than 20000 frames or 60 minutes; use a video")
	large := gifOf(t, 20, 10, 50, 100)
	copy(large[6:], "\x40\x1f\x88\x13") // 8000 × 5000
	s.serve("/large.gif", large)
	s.serve("/large.webp", webpOf(8000, 5000, 50, 100))
	for _, path := range []string{"/large.gif", "/large.webp"} { // more than what plays animations takes
		_, err := s.fetch(path)
		s.requireError(err, "The image at 'HOST"+path+"' has 8000 × 5000 pixels: at most 36 megapixels can be used for an animation")
	}
}

func TestCache_Fetch_fontsAndCaptions(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	tests := map[string]struct{ content, format string }{
		"/a.ttf":   {"\x00\x01\x00\x00 a font", commands.FontFormat},
		"/a.otf":   {"OTTO a font", commands.FontFormat},
		"/a.woff2": {"wOF2 a font", commands.FontFormat},
		"/a.vtt":   {"WEBVTT\n\n00:01.000 --> 00:02.000\nHello", commands.CaptionsFormat},
		"/a.srt":   {"\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n", commands.CaptionsFormat},
		"/b.srt":   {"00:00:01,000 --> 00:00:02,000\nHello\n", commands.CaptionsFormat},
		"/u.srt":   {"\xff\xfe1\x00\n\x000\x000\x00:\x000\x000\x00 \x00-\x00-\x00>\x00", commands.CaptionsFormat},
		"/a.ass":   {"[Script Info]\nTitle: x", commands.CaptionsFormat},
	}
	for path, tt := range tests {
		s.serve(path, []byte(tt.content))
		if a, err := s.fetch(path); err != nil || a.Format != tt.format || a.Media != nil || a.Facts != (timeline.Facts{}) {
			t.Errorf("%s is %+v (%v), want %s", path, a, err, tt.format)
		}
	}
	for path, text := range map[string]string{"/1": "1\nan arrow --> nowhere", "/2": "a --> b", "/3": "12", "/4": "#EXTM3U\n1\n1 --> 2"} {
		s.serve(path, []byte(text))
		if a, err := s.fetch(path); err == nil {
			t.Errorf("%q is %+v", text, a)
		}
	}
}

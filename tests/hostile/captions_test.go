package hostile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMedia_captions: captions that are bombs, or name things, are drawn as far as they are texts, or refused.
func TestMedia_captions(t *testing.T) {
	t.Parallel()
	watchMemory(t)
	g := newGround(t)
	events := "[Script Info]\nPlayResX: 64\n[V4+ Styles]\nFormat: Name,Fontname,Fontsize\nStyle: Default,Inter,10\n[Events]\nFormat: Layer,Start,End,Style,Text\n"
	line := func(text string) string { return "Dialogue: 0,0:00:00.00,0:00:01.00,Default," + text + "\n" }
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "%d\n00:00:00,%03d --> 00:00:01,000\nx\n\n", i, i%1000)
	}
	for name, content := range map[string]string{
		"drawing.ass":  events + line(`{\p1}`+strings.Repeat("m 0 0 l 100000 0 100000 100000 0 100000 ", 20_000)),
		"karaoke.ass":  events + line(strings.Repeat(`{\k1}x`, 50_000)),
		"nested.ass":   events + line(strings.Repeat(`{\t(`, 50_000)),
		"fonts.ass":    events + "[Fonts]\nfontname: x.ttf\n" + strings.Repeat("!!!!!!!!\n", 10_000) + line("x"),
		"include.ass":  events + line(`{\fnfile://`+g.canary+`}{\1img(`+g.canary+`)}x`),
		"size.ass":     events + line(`{\fs100000}{\fscx1000000}x`),
		"times.srt":    "1\n99999999999:00:00,000 --> 00:00:00,000\nx\n\n2\n-1:00:00,000 --> 9:00:00,000\ny\n",
		"many.srt":     many.String(),
		"one.srt":      "1\n00:00:00,000 --> 00:00:01,000\n" + strings.Repeat("word ", 100_000) + "\n",
		"letter.srt":   "1\n00:00:00,000 --> 00:00:01,000\n" + strings.Repeat("x", 500_000) + "\n",
		"marks.srt":    "1\n00:00:00,000 --> 00:00:01,000\na" + strings.Repeat("\u0301", 50_000) + "\n",
		"both.srt":     "1\n00:00:00,000 --> 00:00:01,000\n" + strings.Repeat("\u202e\u202d", 20_000) + "x\n",
		"tags.vtt":     "WEBVTT\n\n00:00.000 --> 00:01.000\n" + strings.Repeat("<b><i>", 50_000) + "x\n",
		"style.vtt":    "WEBVTT\n\nSTYLE\n::cue { background: url(http://" + g.inner + "/x) }\n\n00:00.000 --> 00:01.000\nx\n",
		"template.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\n{{x}} %s \x1b[31m <script>alert(1)</script>\n",
		"ttml.xml":     `<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a SYSTEM "file://` + g.canary + `">]><tt xmlns="http://www.w3.org/ns/ttml"><body>&a;</body></tt>`,
		"zeros.srt":    "1\n00:00:00,000 --> 00:00:01,000\n" + strings.Repeat("\x00", 100_000) + "\n",
		"utf.srt":      "1\n00:00:00,000 --> 00:00:01,000\n\xff\xfe\xed\xa0\x80\xc0\xaf\n",
	} {
		g.try("captions", "subtitles", name, []byte(content))
	}
}

// installed is a font of this machine.
func installed(t *testing.T) []byte {
	t.Helper()
	for _, pattern := range []string{"/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "/usr/share/fonts/truetype/*/*.ttf", "/usr/share/fonts/*/*.ttf"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			raw, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
	}
	t.Fatal("the test needs a TrueType font")
	return nil
}

// TestMedia_fonts: damaged fonts are refused, or drawn as far as they go.
func TestMedia_fonts(t *testing.T) {
	t.Parallel()
	watchMemory(t)
	g := newGround(t)
	whole := installed(t)
	if o := g.try("fonts", "font", "whole.ttf", whole); o.refused != "" {
		t.Errorf("a font is refused: %s", o.refused)
	}
	random := rand.New(rand.NewPCG(3, 4))
	cuts, flips := 6, 12
	if g.long {
		cuts, flips = 100, 500
	}
	for i := range cuts {
		if g.enough() {
			break
		}
		g.try("fonts", "font", fmt.Sprintf("cut%d.ttf", i), whole[:len(whole)*(i+1)/(cuts+1)])
	}
	for i := range flips {
		if g.enough() {
			break
		}
		// The tables at the beginning are where damage is not noticed at once.
		g.try("fonts", "font", fmt.Sprintf("flip%d.ttf", i), flipped(random, whole, 1+i%20, []int{400, 20_000, len(whole)}[i%3]))
	}
	for name, content := range map[string]string{
		"tables.ttf": "\x00\x01\x00\x00\xff\xff" + strings.Repeat("glyf\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff", 4000),
		"many.ttc":   "ttcf\x00\x01\x00\x00\xff\xff\xff\xff" + strings.Repeat("\x00\x00\x00\x0c", 1000),
		"woff.woff":  "wOFF\x00\x01\x00\x00\x7f\xff\xff\xff\xff\xff\x00\x00\x7f\xff\xff\xff" + strings.Repeat("\x00", 100),
		"woff2.woff": "wOF2\x00\x01\x00\x00\x7f\xff\xff\xff\xff\xff\x00\x00\x7f\xff\xff\xff" + strings.Repeat("\x00", 100),
	} {
		g.try("fonts", "font", name, []byte(content))
	}
}

// flipped changes so many bits among the first bytes of a file.
func flipped(random *rand.Rand, whole []byte, bits, within int) []byte {
	content := bytes.Clone(whole)
	for range bits {
		content[random.IntN(min(within, len(content)))] ^= 1 << random.IntN(8)
	}
	return content
}

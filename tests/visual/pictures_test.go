package visual_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"moviola/tests/studio"
)

// emblem is a drawing of 24 × 24 pixels with fine lines, a text and a shape that fades in and never stops to turn.
const emblem = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24">
<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="#f1c40f"/><stop offset="1" stop-color="#e74c3c"/></linearGradient></defs>
<circle cx="12" cy="12" r="11" fill="url(#g)"/><path d="M5 16l4-7 4 5 2-3 4 5z" fill="#fff"/>
<g stroke="#2c3e50" stroke-width=".2"><path d="M2 18h20M3 19h18M4 20h16"/></g>
<text x="12" y="7" font-family="Inter" font-size="3.4" text-anchor="middle" fill="#2c3e50">SVG</text>
<rect x="11" y="20.5" width="2" height="2" fill="#fff"><animateTransform attributeName="transform" type="rotate" from="0 12 21.5" to="360 12 21.5" dur="1s" repeatCount="indefinite"/></rect></svg>`

// TestPictures: what people send as a picture, wherever one is taken.
func TestPictures(t *testing.T) {
	t.Parallel()
	s := studio.New(t, studio.WithFineEncoding(t), studio.WithPages(t))
	svg := s.Serve("emblem.svg", []byte(emblem))
	dir := t.TempDir()
	house := filepath.Join(dir, "house.png")
	if err := os.WriteFile(house, encoded(t, art(2, sky)), 0o600); err != nil {
		t.Fatal(err)
	}
	converted := func(name, program string, args ...string) string {
		t.Helper()
		to := filepath.Join(dir, name)
		if out, err := exec.CommandContext(t.Context(), program, append(args, to)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		raw, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		return s.Serve(name, raw)
	}
	tiff := func(name, pixels string) string {
		return converted(name, "ffmpeg", "-v", "error", "-i", house, "-pix_fmt", pixels)
	}
	image := func(src string, props studio.Object) studio.List { return studio.List{element("image", src, props)} }
	cover := studio.Object{"resize": "cover"}
	component := func(id string, settings studio.Object) studio.List {
		return studio.List{studio.Object{"type": "component", "component": id, "settings": settings}}
	}
	card := studio.Object{"card": studio.Object{"width": "80%", "height": "80%", "background-image": "url(" + svg + ")", "background-size": "contain"}, "headline": studio.Object{"text": "On it"}}
	check(t, s, "testdata/pictures.jpg", 144, 80, 6, []scene{
		{name: "a drawing in its own size", elements: image(svg, nil)},
		{name: "fitted", elements: image(svg, studio.Object{"resize": "contain"})},
		{name: "covering", elements: image(svg, cover)},
		{name: "stretched", elements: image(svg, studio.Object{"width": 140, "height": 40, "x": 2, "y": 20})},
		{name: "cut", elements: image(svg, studio.Object{"crop": studio.Object{"x": 4, "y": 2, "width": 16, "height": 8}, "width": 144, "height": 72})},
		{name: "turned and half there", elements: image(svg, studio.Object{"width": 60, "height": 60, "rotate": studio.Object{"angle": 45}, "opacity": 0.5})},
		{name: "from near", elements: image(svg, studio.Object{"resize": "contain", "zoom": 8}), seconds: 1, at: []float64{0.96}},
		{name: "as a mask", elements: image(s.Serve("house.png", encoded(t, art(2, sky))), studio.Object{"resize": "cover", "mask": svg})},
		{name: "as the ground of a card", elements: component("basic/000", card), seconds: 2, at: []float64{1.9}},
		{name: "as the picture of a component", elements: component("basic/051", studio.Object{"image": studio.Object{"src": svg, "size": "30vw"}, "headline": "On air"}), seconds: 4, at: []float64{3.9}},
		{name: "HEIC", elements: image(converted("a.heic", "heif-enc", "-q", "90", house, "-o"), cover)},
		{name: "AVIF", elements: image(converted("a.avif", "heif-enc", "-A", "-q", "90", house, "-o"), cover)},
		{name: "AVIF of ten bits", elements: image(converted("ten.avif", "heif-enc", "-A", "-b", "10", "-q", "90", house, "-o"), cover)},
		{name: "TIFF", elements: image(tiff("rgb.tiff", "rgb24"), cover)},
		{name: "TIFF in YCbCr", elements: image(tiff("ycbcr.tiff", "yuv420p"), cover)},
		{name: "TIFF of 16 bits", elements: image(tiff("deep.tiff", "rgb48le"), cover)},
		{name: "PNG of 16 bits", elements: image(converted("deep.png", "ffmpeg", "-v", "error", "-i", house, "-pix_fmt", "rgb48be"), cover)},
	})
}

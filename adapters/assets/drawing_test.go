package assets_test

import (
	"strings"
	"testing"

	"moviola/adapters/assets"
	"moviola/commands"
)

// Drawings are recognised by their first element, and have the size that browsers give them.
func TestCache_Fetch_SVG(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	open := `<svg xmlns="http://www.w3.org/2000/svg" `
	files := map[string]struct {
		content string
		w, h    int
	}{
		"/plain":    {open + `width="64" height="48"/>`, 64, 48},
		"/prolog":   {"\ufeff<?xml version=\"1.0\"?>\n<!-- a > b -->\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\" [<!ENTITY a \"b\">]>\n" + open + `width='64px' height='48px'>`, 64, 48},
		"/latin":    {`<?xml version="1.0" encoding="ISO-8859-1"?>` + open + "width=\"64\" height=\"48\"><text>\xe9</text></svg>", 64, 48},
		"/prefixed": {`<s:svg xmlns:s="http://www.w3.org/2000/svg" width="1in" height="6pc"/>`, 96, 96},
		"/box":      {open + `viewBox="0,0 24 12"/>`, 24, 12},
		"/wide":     {open + `viewBox="-5 -5 24 12" width="48"/>`, 48, 24},
		"/high":     {open + `viewBox="0 0 24 12" height="10mm"/>`, 76, 38},
		"/share":    {open + `viewBox="0 0 24 12" width="100%" height="100%"/>`, 24, 12},
		"/nothing":  {open + `/>`, 300, 150},
		"/junk":     {open + `width="0x40" height="-3" viewBox="a b c d"/>`, 300, 150},
		"/huge":     {open + `viewBox="0 0 1e9 5e8"/>`, 3840, 1920},
		"/thin":     {open + `width="1000000" height="1"/>`, 3840, 1},
		"/late":     {`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY ns "` + strings.Repeat("x", 9000) + `">]>` + open + `width="64" height="48"/>`, 64, 48},
	}
	for path, f := range files {
		s.serve(path, []byte(f.content))
		got, err := s.fetch(path)
		if err != nil || got.Format != commands.DrawingFormat || got.Facts.Width != f.w || got.Facts.Height != f.h || got.Media != nil {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	for path, f := range map[string]struct{ content, want string }{
		"/page.html": {`<html><body><svg width="3"></svg>`, "The file at 'HOST/page.html' is a web page; use the address of the image, video or audio file itself"},
		"/cut.svg":   {`<?xml version="1.0"?><!DOCTYPE svg [`, "The drawing at 'HOST/cut.svg' cannot be read: it is damaged or not complete"},
		"/other.svg": {`<!DOCTYPE svg><x/>`, "The drawing at 'HOST/other.svg' cannot be read: it is damaged or not complete"},
		"/large.svg": {open + `>` + strings.Repeat("<g/>", 2<<20) + `</svg>`, "The drawing at 'HOST/large.svg' is too large: an SVG can have at most 5 MB"},
	} {
		s.serve(path, []byte(f.content))
		_, err := s.fetch(path)
		s.requireError(err, f.want)
	}
}

// box is a part of a file of the family of MP4.
func box(kind string, parts ...string) string {
	body := kind + strings.Join(parts, "")
	n := len(body) + 4
	return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + body
}

// HEIC and AVIF pictures are converted once their size is known; without a converter they are refused.
func TestCache_Fetch_HEIF(t *testing.T) {
	t.Parallel()
	pictures := &converter{reader: "heif"}
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Pictures = pictures })
	sized := func(sizes ...string) []byte {
		all := ""
		for _, size := range sizes {
			all += box("ispe", "\x00\x00\x00\x00", size)
		}
		return []byte(box("ftyp", "avif\x00\x00\x00\x00mif1") + box("meta", "\x00\x00\x00\x00", box("iprp", box("ipco", all))))
	}
	s.serve("/a.avif", sized("\x00\x00\x00\x05\x00\x00\x00\x05"))
	got, err := s.fetch("/a.avif")
	if err != nil || got.Format != "png" || got.Facts.Width != 5 || !got.Converted || pictures.calls != 1 {
		t.Errorf("avif: %+v, %v", got, err)
	}
	s.serve("/tiles.heic", sized("\x00\x00\x02\x00\x00\x00\x02\x00", "\x00\x00\x20\x00\x00\x00\x20\x00"))
	_, err = s.fetch("/tiles.heic")
	s.requireError(err, "The image at 'HOST/tiles.heic' has 8192 × 8192 pixels: at most 50 megapixels can be used")
	s.serve("/none.heic", []byte("\x00\x00\x00\x18ftypheic...."))
	_, err = s.fetch("/none.heic")
	s.requireError(err, "The image at 'HOST/none.heic' cannot be read: it is damaged or not complete")
	plain := newSite(t, commands.Media{}, nil)
	plain.serve("/heic", []byte("\x00\x00\x00\x18ftypheic...."))
	_, err = plain.fetch("/heic")
	plain.requireError(err, "The file at 'HOST/heic' is a HEIC or AVIF picture; use JPEG, PNG or WebP")
	if pictures.calls != 1 {
		t.Errorf("converted %d times", pictures.calls)
	}
}

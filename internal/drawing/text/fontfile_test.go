package text_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// fontFile is a font of the machine, as a movie's own font would come: by a name that says nothing.
func fontFile(t *testing.T) string {
	t.Helper()
	const from = "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf"
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatalf("the tests need the font %s: %v", from, err)
	}
	path := filepath.Join(t.TempDir(), "asset")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWithFonts(t *testing.T) {
	t.Parallel()
	const key = "https://example.com/fonts/a,b.ttf"
	with, err := engine(t).WithFonts(map[string]string{key: fontFile(t)})
	if err != nil {
		t.Fatal(err)
	}
	own := func(s *timeline.TextSettings) { s.FontSource = key }
	lines, warnings, err := with.Runs(styled("Hello 你好", own), 400, 100)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if lines[0][0].Family != "DejaVu Serif" || lines[0][1].Missing {
		t.Errorf("the text is set in %+v", lines[0])
	}
	// Other engines do not know the font, and go by the family.
	lines, _, err = engine(t).Runs(styled("Hello", own), 400, 100)
	if err != nil || lines[0][0].Family != "Inter" {
		t.Errorf("without the file the text is set in %+v, %v", lines, err)
	}
	// A weight and slant that the file does not have are synthesised.
	draw := func(change func(*timeline.TextSettings)) text.Drawing {
		d, err := with.Draw(styled("Hello", func(s *timeline.TextSettings) { own(s); change(s) }), 400, 100)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	plain := draw(func(*timeline.TextSettings) {})
	if same(plain, draw(func(s *timeline.TextSettings) { s.FontWeight = 800 })) || same(plain, draw(func(s *timeline.TextSettings) { s.Italic = true })) {
		t.Error("bold or italic looks like the plain font")
	}
}

func TestWithFonts_Damaged(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(fontFile(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("hello"), "cut": whole[:2000], "zeros": make([]byte, 5000), "mostly": append(append([]byte{}, whole[:1000]...), make([]byte, 5000)...)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := engine(t).WithFonts(map[string]string{"k": path})
		var fault *domain.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", name, err)
		}
	}
	if e, err := engine(t).WithFonts(nil); err != nil || e != engine(t) {
		t.Error("no fonts are no other engine")
	}
}

// A file that says that its tables are large gets no room for them. This test is not parallel: it counts what is allocated.
func TestWithFonts_ClaimsMuchRoom(t *testing.T) {
	whole, err := os.ReadFile(fontFile(t))
	if err != nil {
		t.Fatal(err)
	}
	const claim = 1 << 30
	put := func(data []byte, at int, value uint32) []byte {
		data = bytes.Clone(data)
		binary.BigEndian.PutUint32(data[at:], value)
		return data
	}
	glyphs, maxima := bytes.Index(whole, []byte("glyf"))+12, bytes.Index(whole, []byte("maxp"))+12 // where the directory has their sizes
	packed := append([]byte("wOFF\x00\x01\x00\x00\x00\x00\x00\x64\x00\x01"), make([]byte, 86)...)
	copy(packed[44:], "glyf")
	collection := append([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10"), whole...)
	for name, data := range map[string][]byte{
		"a table":                put(whole, glyphs, claim),
		"all of them":            put(put(whole, glyphs, 1<<25), maxima, 1<<25),
		"unpacked":               put(put(put(packed, 48, 64), 52, 8), 56, claim),
		"packed":                 put(put(packed, 48, 64), 52, claim),
		"a table of one of many": put(collection, 16+glyphs, claim),
	} {
		path := filepath.Join(t.TempDir(), "asset")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := engine(t).WithFonts(map[string]string{"k": path})
		runtime.ReadMemStats(&after)
		var fault *domain.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", name, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 100 {
			t.Errorf("%s: %d MB were allocated for it", name, took)
		}
	}
}

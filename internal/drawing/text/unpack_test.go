//go:build !race

package text_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/andybalholm/brotli"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
	"moviola/third_party/fonts"
)

const (
	antonWOFF2    = "../../../third_party/fonts/testdata/anton-latin-400-normal.woff2"
	variableWOFF2 = "../../../third_party/fonts/testdata/oswald-latin-wght-normal.woff2"
)

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Fonts of every format can be unpacked, and none stays WOFF 2.
func TestUnpack(t *testing.T) {
	t.Parallel()
	woff, err := fonts.Read("anton/anton-latin-400-normal.woff")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"WOFF": woff, "WOFF 2": mustRead(t, antonWOFF2), "variable": mustRead(t, variableWOFF2), "TrueType": mustRead(t, fontFile(t)),
	} {
		unpacked, err := text.Unpack(data)
		if err != nil || bytes.HasPrefix(unpacked, []byte("wOF2")) {
			t.Errorf("%s: %v, %d bytes", name, err, len(unpacked))
		}
	}
}

// hostile returns files that are no font, are damaged, or become too large when unpacked, by name.
func hostile(t testing.TB) map[string][]byte {
	whole := mustRead(t, antonWOFF2)
	changed := func(at int, value uint32) []byte {
		data := bytes.Clone(whole)
		binary.BigEndian.PutUint32(data[at:], value)
		return data
	}
	var bomb bytes.Buffer
	w := brotli.NewWriter(&bomb)
	for range 300 {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"empty": nil, "words": []byte("hello"), "magic": []byte("wOF2"), "header": whole[:48], "cut": whole[:len(whole)/2],
		"unpacked size": changed(16, 1<<31), "packed size": changed(20, 1<<30), "tables": changed(12, 0xffff0000), "no tables": changed(12, 0),
		"a bomb": append(append(bytes.Clone(whole[:48]), 0x00, 0x8f, 0xff, 0xff, 0x7f), bomb.Bytes()...),
		"zeros":  append(bytes.Clone(whole[:200]), make([]byte, 5000)...), "large": make([]byte, 21<<20),
	}
}

func TestUnpack_Hostile(t *testing.T) {
	t.Parallel()
	for name, data := range hostile(t) {
		_, err := text.Unpack(data)
		var fault *domain.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", name, err)
		}
	}
}

// A movie's own font may be WOFF 2.
func TestWithFonts_WOFF2(t *testing.T) {
	t.Parallel()
	e, err := engine(t).WithFonts(map[string]string{"k": antonWOFF2})
	if err != nil {
		t.Fatal(err)
	}
	lines, warnings, err := e.Runs(styled("Hamburg", func(s *timeline.TextSettings) { s.FontSource = "k" }), 800, 100)
	if err != nil || len(warnings) > 0 || lines[0][0].Family != "Anton" {
		t.Errorf("set in %+v, %q, %v", lines, warnings, err)
	}
	for name, data := range hostile(t) {
		path := filepath.Join(t.TempDir(), "font")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := engine(t).WithFonts(map[string]string{"k": path})
		var fault *domain.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, want an error for the client", name, err)
		}
	}
}

// FuzzUnpack: whatever is unpacked can be unpacked again; nothing else comes out, and nothing breaks.
func FuzzUnpack(f *testing.F) {
	for _, path := range []string{antonWOFF2, variableWOFF2} {
		f.Add(mustRead(f, path))
	}
	for _, data := range hostile(f) {
		if len(data) < 1<<16 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		unpacked, err := text.Unpack(data)
		if err != nil {
			return
		}
		if _, err := text.Unpack(unpacked); err != nil {
			t.Errorf("what was unpacked cannot be read: %v", err)
		}
	})
}

// A variable font that was fetched gives every weight, each with the widths of its own, whichever was drawn before.
func TestWithFonts_Variable(t *testing.T) {
	t.Parallel()
	unpacked, err := text.Unpack(mustRead(t, variableWOFF2))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "font")
	if err := os.WriteFile(path, unpacked, 0o600); err != nil {
		t.Fatal(err)
	}
	fetched := func() *text.Engine {
		e, err := engine(t).WithFonts(nil, commands.FontFace{Family: "Fetched Var", Path: path, Weight: 200, To: 700})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	width := func(e *text.Engine, weight int) float64 {
		lines, warnings, err := e.Runs(styled("Hamburg", func(s *timeline.TextSettings) { s.FontFamily, s.FontWeight = "fetched var", weight }), 800, 100)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		return lines[0][0].Width
	}
	light, bold := width(fetched(), 200), width(fetched(), 700)
	if bold < light*1.1 {
		t.Errorf("weight 200 is %v px wide, weight 700 %v", light, bold)
	}
	both := fetched()
	for range 2 * runtime.NumCPU() { // each worker draws both
		if a, b := width(both, 200), width(both, 700); a != light || b != bold {
			t.Fatalf("one after the other they are %v and %v px wide, by themselves %v and %v", a, b, light, bold)
		}
	}
}

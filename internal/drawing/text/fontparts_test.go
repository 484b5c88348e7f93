package text

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font/opentype"
)

// composite is a glyph that is made of parts.
func composite(parts ...int) []byte {
	raw := []byte{0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}
	for i, part := range parts {
		flags := uint16(morePartsCome)
		if i == len(parts)-1 {
			flags = 0
		}
		raw = binary.BigEndian.AppendUint16(raw, flags)
		raw = append(binary.BigEndian.AppendUint16(raw, uint16(part)), 0, 0)
	}
	return raw
}

func tableOf(glyphs ...[]byte) glyphTable {
	g := glyphTable{long: true, places: []byte{0, 0, 0, 0}}
	for _, raw := range glyphs {
		g.glyphs = append(g.glyphs, raw...)
		g.places = binary.BigEndian.AppendUint32(g.places, uint32(len(g.glyphs)))
	}
	return g
}

func TestGlyphTable_bound(t *testing.T) {
	t.Parallel()
	simple := []byte{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 99} // one contour of 100 points
	again := func(part, times int) []byte {
		parts := make([]int, times)
		for i := range parts {
			parts[i] = part
		}
		return composite(parts...)
	}
	nested := [][]byte{simple}
	for i := range 19 {
		nested = append(nested, again(i, 30))
	}
	for name, c := range map[string]struct {
		glyphs  glyphTable
		refused bool
	}{
		"no glyphs":                {tableOf(), false},
		"a letter and its accents": {tableOf(simple, simple, composite(0, 1), composite(2, 1, 1)), false},
		"parts that do not exist":  {tableOf(composite(7, 8)), false},
		"cut off":                  {tableOf(simple, composite(0, 0)[:17]), false},
		"empty":                    {tableOf(nil, simple, composite(0, 1)), false},
		"nested 19 deep, 30 times": {tableOf(nested...), true},
		"contains itself":          {tableOf(simple, composite(0, 1)), true},
		"contain each other":       {tableOf(composite(1), composite(0)), true},
		"many large parts":         {tableOf(simple, again(0, 5000), again(1, 5)), true},
	} {
		if err := c.glyphs.bound(); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if points := make([]int, 4); tableOf(simple, simple, composite(0, 1), composite(2, 1, 1)).points(3, points, 0) != 406 {
		t.Errorf("points %v", points)
	}
}

// TestBoundParts: no font of this machine is refused.
func TestBoundParts(t *testing.T) {
	t.Parallel()
	tried := 0
	err := filepath.WalkDir("/usr/share/fonts", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ttf") {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		loader, err := opentype.NewLoader(file)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		tried++
		if err := boundParts(loader); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || tried == 0 {
		t.Errorf("%d fonts tried, %v", tried, err)
	}
}

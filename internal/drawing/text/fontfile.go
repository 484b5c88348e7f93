package text

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/fontscan"

	"moviola/commands"
	"moviola/domain"
	"moviola/internal/drawing/sfnt"
)

// The bounds of the fonts that belong to a movie.
const (
	maxFontBytes   = 64 << 20 // limit for the bytes of a font file, and for those of its fonts' unpacked tables together
	maxFontsOfFile = 16
	maxFontRunes   = 200_000
)

// WithFonts returns an engine for one movie. It has the fonts of e, those of files and those of faces, up to the bounds
// for each file. files maps keys to the paths of font files. Texts name a font by its key, in TextSettings.FontSource or
// in FontFamily. If one of the files is not a usable TrueType, OpenType, WOFF or WOFF 2 font, WithFonts returns a
// *domain.Error. faces are fonts that were fetched by the names of their families. A face is skipped if its file cannot be
// read, or if e has fonts of its family.
func (e *Engine) WithFonts(files map[string]string, faces ...commands.FontFace) (*Engine, error) {
	if len(files)+len(faces) == 0 {
		return e, nil
	}
	fonts := &fontCollection{
		prints: slices.Clone(e.fonts.prints), families: maps.Clone(e.fonts.families), ranked: e.fonts.ranked, emoji: e.fonts.emoji,
		files: make(map[string]bool), loaded: make(map[int]*font.Font), base: e.fonts, machine: e.fonts.machine,
		covered: make(map[int]fontscan.RuneSet), sums: make(map[string]string),
	}
	for _, key := range slices.Sorted(maps.Keys(files)) {
		if err := fonts.add(fileFamily(key), files[key], nil); err != nil {
			return nil, err
		}
		fonts.files[key] = true
	}
	for _, f := range faces {
		if family := font.NormalizeFamily(f.Family); e.fonts.families[family] == nil {
			if err := fonts.add(family, f.Path, aspectOf(f)); err != nil {
				e.log.WithError(err).WithField("family", f.Family).Warn("fetched font cannot be read; a similar font is used")
			}
		}
	}
	return newEngine(fonts, e.log), nil
}

// fileFamily is the family name of a font file. A text cannot name it by accident.
func fileFamily(key string) string { return "\x00" + key }

// aspectOf returns weight and slant of a fetched font as its server describes them.
func aspectOf(f commands.FontFace) *font.Aspect {
	style := font.StyleNormal
	if f.Italic {
		style = font.StyleItalic
	}
	return &font.Aspect{Style: style, Weight: font.Weight(f.Weight), Stretch: font.StretchNormal}
}

// add adds the fonts of a file to a family. aspect overrides the fonts' own weight and slant; nil: it does not.
func (l *fontCollection) add(family, path string, aspect *font.Aspect) error {
	var found []fileFont
	err := bounded(func() (err error) {
		found, err = readFonts(path)
		return err
	})
	if err != nil {
		return err
	}
	for i, one := range found {
		if aspect != nil {
			one.aspect = *aspect
		}
		print := fontscan.Footprint{
			Family: family, Aspect: one.aspect, Runes: one.runes, Location: fontscan.Location{File: path, Index: uint16(i)},
		}
		l.families[print.Family] = append(l.families[print.Family], len(l.prints))
		l.loaded[len(l.prints)] = one.font
		l.prints = append(l.prints, print)
	}
	return nil
}

// fileFont is a font in a file.
type fileFont struct {
	font   *font.Font
	aspect font.Aspect
	runes  fontscan.RuneSet
}

// readFonts reads the fonts of an untrusted file.
func readFonts(path string) ([]fileFont, error) {
	file, err := openFontFile(path)
	if err != nil {
		return nil, err
	}
	if c, ok := file.(io.Closer); ok {
		defer c.Close()
	}
	sizes, err := sfnt.TableBytes(file)
	if err != nil {
		return nil, errFont()
	}
	loaders, err := opentype.NewLoaders(file)
	if err != nil || len(loaders) == 0 || len(loaders) != len(sizes) || sizes[0] > maxFontBytes {
		return nil, errFont()
	}
	var found []fileFont
	room := int64(maxFontBytes)
	for i, loader := range loaders[:min(len(loaders), maxFontsOfFile)] {
		if room -= sizes[i]; room < 0 {
			break // the first font beyond the total of maxFontBytes, and all fonts after it, are skipped
		}
		if err := boundParts(loader); err != nil {
			return nil, err
		}
		loaded, err := font.NewFont(loader)
		if err != nil {
			return nil, errFont()
		}
		about, _ := font.Describe(loader, nil)
		runes, err := runesOf(loaded)
		if err != nil {
			return nil, err
		}
		found = append(found, fileFont{loaded, about.Aspect, runes})
	}
	return found, nil
}

// openFontFile opens a font file that is not too large, and unpacks WOFF 2. The caller closes it if it is an io.Closer.
func openFontFile(path string) (opentype.Resource, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open a font file: %w", err)
	}
	if info.Size() > maxFontBytes {
		return nil, domain.Errorf(domain.Invalid, "font_too_large", "The font file is larger than %d MB", maxFontBytes>>20)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a font file: %w", err)
	}
	if !sfnt.IsWOFF2(file) {
		return file, nil
	}
	_ = file.Close() // the file was only read: an error of Close loses nothing
	unpacked, err := unpackFile(path)
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(unpacked), nil
}

// unpackFile unpacks a WOFF 2 file. The function unpack bounds its size.
func unpackFile(path string) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("open a font file: %w", err)
	}
	return unpack(packed)
}

func errFont() error {
	return domain.Errorf(domain.Invalid, "font_unreadable", "The font file cannot be read. Use a TrueType, OpenType, WOFF or "+
		"WOFF 2 font")
}

// runesOf returns the characters of a font.
func runesOf(f *font.Font) (set fontscan.RuneSet, err error) {
	iter := f.Cmap.Iter()
	for n := 0; iter.Next(); n++ {
		if n >= maxFontRunes {
			return set, errFont()
		}
		r, _ := iter.Char()
		set.Add(r)
	}
	if set.Len() == 0 {
		return set, errFont()
	}
	return set, nil
}

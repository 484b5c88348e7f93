package text

import (
	"bytes"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"

	"moviola/domain"
	"moviola/internal/drawing/sfnt"
)

// maxPackedBytes limits the size of a font file before it is unpacked.
const maxPackedBytes = 20 << 20

// Unpack checks an untrusted font file and returns it in a format that texts and pages can use: WOFF 2 becomes TrueType or
// OpenType, other formats are unchanged. A file that cannot be read, has several fonts, or is too large, packed or unpacked,
// is a *domain.Error.
func Unpack(data []byte) (unpacked []byte, err error) {
	var got []byte
	err = bounded(func() (err error) {
		got, err = unpack(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	return got, nil
}

func unpack(data []byte) (unpacked []byte, err error) {
	if len(data) > maxPackedBytes {
		return nil, domain.Errorf(domain.Invalid, "font_too_large", "The font file is larger than %d MB", maxPackedBytes>>20)
	}
	if sfnt.IsWOFF2(bytes.NewReader(data)) {
		if data, err = sfnt.FromWOFF2(data, maxFontBytes/2); err != nil {
			return nil, errFont()
		}
	}
	file := bytes.NewReader(data)
	sizes, err := sfnt.TableBytes(file)
	if err != nil || len(sizes) != 1 || sizes[0] > maxFontBytes {
		return nil, errFont()
	}
	loaders, err := opentype.NewLoaders(file)
	if err != nil || len(loaders) != 1 {
		return nil, errFont()
	}
	f, err := font.NewFont(loaders[0])
	if err != nil {
		return nil, errFont()
	}
	if _, err := runesOf(f); err != nil {
		return nil, err
	}
	return data, nil
}

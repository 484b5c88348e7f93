package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	woff2 "github.com/tdewolff/font"

	"moviola/domain"
)

// The bounds of an unpacked font.
const (
	magicWOFF2     = "wOF2"
	maxPackedBytes = 20 << 20
	maxWOFF2Tables = 64
	woff2Header    = 48
)

// Unpack checks an untrusted font file and returns it in a format that texts and pages can use: WOFF 2 becomes TrueType or
// OpenType, other formats are unchanged. A file that cannot be read, or is too large unpacked, is a *domain.Error.
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
	if bytes.HasPrefix(data, []byte(magicWOFF2)) {
		if err := boundWOFF2(data); err != nil {
			return nil, errFont()
		}
		if data, err = woff2.ParseWOFF2(data); err != nil {
			return nil, errFont()
		}
	}
	file := bytes.NewReader(data)
	sizes, err := tableBytes(file)
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

var errWOFF2 = errors.New("this WOFF 2 file is damaged or too large")

// boundWOFF2 decompresses a file without keeping the result, to check that it is as long as its directory says and within the
// bound: the library decompresses without a limit.
func boundWOFF2(data []byte) error {
	if len(data) < woff2Header {
		return errWOFF2
	}
	tables, packed := int(binary.BigEndian.Uint16(data[12:])), int64(binary.BigEndian.Uint32(data[20:]))
	if tables == 0 || tables > maxWOFF2Tables || binary.BigEndian.Uint32(data[16:]) > maxFontBytes/2 {
		return errWOFF2
	}
	rest := bytes.NewReader(data[woff2Header:])
	var sum int64
	for range tables {
		size, err := packedTable(rest)
		if err != nil {
			return err
		}
		if sum += size; sum > maxFontBytes/2 {
			return errWOFF2
		}
	}
	n, err := io.Copy(io.Discard, io.LimitReader(brotli.NewReader(io.LimitReader(rest, packed)), sum+1))
	if err != nil || n != sum {
		return errWOFF2
	}
	return nil
}

// packedTable reads an entry of the directory, and returns the length of its table in the unpacked data.
func packedTable(directory *bytes.Reader) (int64, error) {
	flags, err := directory.ReadByte()
	if err != nil {
		return 0, errWOFF2
	}
	const glyf, loca, hmtx, named = 10, 11, 3, 0x3f
	tag, version := flags&named, flags>>6
	if tag == named { // the tag of the table follows, in four letters
		if _, err := directory.Seek(4, io.SeekCurrent); err != nil {
			return 0, errWOFF2
		}
	}
	size, err := readBase128(directory)
	if transformed := (tag == glyf || tag == loca) && version == 0 || tag == hmtx && version == 1; transformed && err == nil {
		size, err = readBase128(directory)
	}
	return size, err
}

// readBase128 reads a number of at most five bytes, with seven bits in each.
func readBase128(r io.ByteReader) (int64, error) {
	var n int64
	for range 5 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, errWOFF2
		}
		n = n<<7 | int64(b&0x7f)
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, errWOFF2
}

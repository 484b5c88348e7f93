package sfnt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	woff2 "github.com/tdewolff/font"
)

const (
	magicWOFF2     = "wOF2"
	maxWOFF2Tables = 64
	woff2Header    = 48
)

// IsWOFF2 reports whether a font file is in WOFF 2.
func IsWOFF2(file io.ReaderAt) bool {
	magic, err := readAt(file, 0, len(magicWOFF2))
	return err == nil && string(magic) == magicWOFF2
}

// FromWOFF2 turns a font in WOFF 2 into TrueType or OpenType. A font that declares, or decompresses to, more than limit
// bytes is refused before memory is taken for it.
func FromWOFF2(data []byte, limit int64) ([]byte, error) {
	if err := boundWOFF2(data, limit); err != nil {
		return nil, err
	}
	return woff2.ParseWOFF2(data)
}

var errWOFF2 = errors.New("this WOFF 2 file is damaged or too large")

// boundWOFF2 decompresses a file without keeping the result. It checks that the result is as long as the file's directory
// says, and that it and the declared size of the font have at most limit bytes. woff2.ParseWOFF2, which is called after
// it, decompresses without a limit.
func boundWOFF2(data []byte, limit int64) error {
	if len(data) < woff2Header {
		return errWOFF2
	}
	tables, packed := int(binary.BigEndian.Uint16(data[12:])), int64(binary.BigEndian.Uint32(data[20:]))
	if tables == 0 || tables > maxWOFF2Tables || int64(binary.BigEndian.Uint32(data[16:])) > limit {
		return errWOFF2
	}
	rest := bytes.NewReader(data[woff2Header:])
	var sum int64
	for range tables {
		size, err := packedTable(rest)
		if err != nil {
			return err
		}
		if sum += size; sum > limit {
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
	if tag == named { // the entry names its table itself: its tag follows, in four letters
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

package sfnt

import (
	"encoding/binary"
	"errors"
	"io"
)

// A font file with several fonts begins with magicCollection, a WOFF file with magicWOFF.
const (
	magicCollection = "ttcf"
	magicWOFF       = "wOFF"

	maxCollection = 2048 // largest number of fonts in a file
)

var errFormat = errors.New("this is no TrueType, OpenType or WOFF font")

// directory is the layout of the table directory of a font format.
type directory struct {
	header int64 // length of the header in bytes
	count  int   // offset of the number of tables, in the header
	entry  int   // length of an entry in bytes
	sizes  []int // offsets of the lengths of a table in its entry, packed and unpacked
}

var (
	sfntDirectory = directory{header: 12, count: 4, entry: 16, sizes: []int{12}}
	woffDirectory = directory{header: 44, count: 12, entry: 20, sizes: []int{8, 12}}
)

// TableBytes returns the length of all tables of each font in a file, as declared in the file; in a WOFF file, the packed
// or the unpacked length of a table, whichever is larger. A loader allocates the declared length before it reads: a file
// of a few bytes may declare gigabytes.
func TableBytes(file io.ReaderAt) ([]int64, error) {
	magic, err := readAt(file, 0, 12)
	if err != nil {
		return nil, err
	}
	if string(magic[:4]) != magicCollection {
		bytes, err := bytesAt(file, 0)
		return []int64{bytes}, err
	}
	count := binary.BigEndian.Uint32(magic[8:])
	if count > maxCollection {
		return nil, errFormat
	}
	starts, err := readAt(file, 12, int(count)*4)
	if err != nil {
		return nil, err
	}
	all := make([]int64, count)
	for i := range all {
		if all[i], err = bytesAt(file, int64(binary.BigEndian.Uint32(starts[4*i:]))); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bytesAt returns the length of the tables of the font at an offset.
func bytesAt(file io.ReaderAt, start int64) (int64, error) {
	magic, err := readAt(file, start, 4)
	if err != nil {
		return 0, err
	}
	in := sfntDirectory
	switch string(magic) {
	case magicWOFF:
		in = woffDirectory
	case "\x00\x01\x00\x00", "OTTO", "true", "typ1":
	default:
		return 0, errFormat
	}
	header, err := readAt(file, start, int(in.header))
	if err != nil {
		return 0, err
	}
	entries, err := readAt(file, start+in.header, int(binary.BigEndian.Uint16(header[in.count:]))*in.entry)
	if err != nil {
		return 0, err
	}
	var sum int64
	for ; len(entries) > 0; entries = entries[in.entry:] {
		var most uint32
		for _, at := range in.sizes {
			most = max(most, binary.BigEndian.Uint32(entries[at:]))
		}
		sum += int64(most)
	}
	return sum, nil
}

func readAt(file io.ReaderAt, offset int64, bytes int) ([]byte, error) {
	content := make([]byte, bytes)
	_, err := io.ReadFull(io.NewSectionReader(file, offset, int64(bytes)), content)
	return content, err
}

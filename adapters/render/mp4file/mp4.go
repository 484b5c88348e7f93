package mp4file

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// Track is what the header of one of our own MP4 files says about the only track of the file.
type Track struct {
	Samples int64  // number of samples; of a video, its frames
	Setup   string // hash of the parameters that an H.264 decoder needs before the first frame; empty for sound
}

var errMP4 = errors.New("not an MP4 file with one track")

// maxHeader is the largest header that is read, in bytes.
const maxHeader = 64 << 20

// ReadTrack reads the header of a file with one track that ffmpeg or this package has written: the number of samples, and
// the decoder parameters that decide whether files can be joined without encoding. Unlike ffprobe it starts no process.
func ReadTrack(path string) (Track, error) {
	f, err := os.Open(path)
	if err != nil {
		return Track{}, err
	}
	defer f.Close()
	for at := int64(0); ; {
		name, size, skip, err := boxAt(f, at)
		if err != nil {
			return Track{}, err
		}
		if name != "moov" {
			at += size
			continue
		}
		if size > maxHeader {
			return Track{}, errMP4
		}
		moov := make([]byte, size-skip)
		if _, err := f.ReadAt(moov, at+skip); err != nil {
			return Track{}, fmt.Errorf("%w: %w", errMP4, err)
		}
		return parseTrack(moov)
	}
}

// boxAt reads the header of the box at an offset: its name, its size, and the length of the header.
func boxAt(f io.ReaderAt, at int64) (name string, size, skip int64, err error) {
	var head [16]byte
	if n, err := f.ReadAt(head[:], at); n < 8 {
		return "", 0, 0, fmt.Errorf("%w: %w", errMP4, err)
	}
	size, skip = int64(binary.BigEndian.Uint32(head[:])), 8
	if size == 1 {
		size, skip = int64(binary.BigEndian.Uint64(head[8:])), 16
	}
	if size < skip {
		return "", 0, 0, errMP4
	}
	return string(head[4:8]), size, skip, nil
}

func parseTrack(moov []byte) (Track, error) {
	table := moov
	for _, name := range []string{"trak", "mdia", "minf", "stbl"} {
		if table = box(table, name); table == nil {
			return Track{}, errMP4
		}
	}
	sizes, entries := box(table, "stsz"), box(table, "stsd")
	if len(sizes) < 12 || len(entries) < 8 {
		return Track{}, errMP4
	}
	t := Track{Samples: int64(binary.BigEndian.Uint32(sizes[8:]))}
	if video := box(entries[8:], "avc1"); len(video) > avc1Fields {
		sum := sha256.Sum256(box(video[avc1Fields:], "avcC"))
		t.Setup = hex.EncodeToString(sum[:])
	}
	return t, nil
}

// avc1Fields is the number of bytes of a video sample entry before its boxes.
const avc1Fields = 78

// box returns the content of the first box of a type, nil without one.
func box(data []byte, name string) []byte {
	for len(data) >= 8 {
		size := int64(binary.BigEndian.Uint32(data))
		if size < 8 || size > int64(len(data)) {
			return nil
		}
		if string(data[4:8]) == name {
			return data[8:size]
		}
		data = data[size:]
	}
	return nil
}

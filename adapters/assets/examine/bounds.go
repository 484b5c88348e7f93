package examine

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"net/url"
	"os"

	"moviola/commands"
)

// isDeep reports whether a picture has 16 bits per channel and takes more memory, when decoded, than the largest permitted
// picture with 8 bits per channel.
func isDeep(config image.Config) bool {
	deep := config.ColorModel == color.RGBA64Model || config.ColorModel == color.NRGBA64Model
	return deep && 2*int64(config.Width)*int64(config.Height) > maxImagePixels
}

const (
	// maxScans is the largest number of scans of a JPEG. Cameras and editors usually write up to ten; a hostile file may
	// have any number, and each may cost about as much as the whole picture.
	maxScans = 100
	// maxEdits is the largest number of edits in the edit lists of an MP4: decoders read a whole list for every frame.
	maxEdits = 2000
)

// checkScans refuses a JPEG with too many scans. It counts as decoders read them: neither what segments contain, such as a
// colour profile, nor what follows the picture, such as a film of a phone, is searched.
func checkScans(f io.ReadSeeker, target *url.URL) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read JPEG: %w", err)
	}
	scans, err := countScans(bufio.NewReaderSize(f, 1<<16))
	if err = ignoreEnd(err); err != nil {
		return fmt.Errorf("read JPEG: %w", err)
	}
	if scans > maxScans {
		return unsupported(target, fmt.Sprintf("draws its picture more than %d times; save it anew", maxScans))
	}
	return nil
}

// countScans counts the scans up to the end of the picture, and at most one more than maxScans.
func countScans(in *bufio.Reader) (scans int, err error) {
	for scans <= maxScans {
		marker, err := nextMarker(in)
		if err != nil || marker == endOfImage {
			return scans, err
		}
		if marker == startOfScan {
			scans++
		}
		if err := skipSegment(in); err != nil {
			return scans, err
		}
	}
	return scans, nil
}

// The markers of a JPEG that are needed here. alone, and those from restart to endOfImage, have no segment.
const (
	alone, restart, startOfImage, endOfImage, startOfScan = 0x01, 0xd0, 0xd8, 0xd9, 0xda
)

// nextMarker returns the next marker that ends the picture or begins a segment. It skips the data of scans, in which 0xff is
// followed by 0.
func nextMarker(in *bufio.Reader) (byte, error) {
	marked := false
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if marked && b > alone && (b < restart || b > startOfImage) && b != 0xff {
			return b, nil
		}
		marked = b == 0xff
	}
}

// skipSegment skips the segment of a marker, which begins with its own length.
func skipSegment(in *bufio.Reader) error {
	var length [2]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return err
	}
	_, err := in.Discard(max(0, int(binary.BigEndian.Uint16(length[:]))-len(length)))
	return err
}

// opened opens the file of an asset, and returns the file's length in bytes.
func opened(asset commands.Asset) (*os.File, int64, error) {
	f, err := os.Open(asset.Path)
	if err != nil {
		return nil, 0, fmt.Errorf("open asset %s: %w", asset.Hash, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("read asset %s: %w", asset.Hash, err), f.Close())
	}
	return f, info.Size(), nil
}

// checkEdits refuses an MP4 with too long edit lists.
func checkEdits(asset *commands.Asset, target *url.URL) error {
	if asset.Format != "mov" {
		return nil
	}
	f, size, err := opened(*asset)
	if err != nil {
		return err
	}
	defer f.Close()
	edits, err := countEdits(f, 0, size, 0)
	if err != nil {
		return fmt.Errorf("read asset %s: %w", asset.Hash, err)
	}
	if edits > maxEdits {
		return unsupported(target, fmt.Sprintf("is cut together of more than %d pieces; save it anew", maxEdits))
	}
	return nil
}

// countEdits adds up the edits in the boxes between two offsets. A damaged box ends the count: decoders stop there too.
func countEdits(f io.ReaderAt, from, to int64, level int) (int64, error) {
	var edits int64
	for n := 0; to-from >= 8 && n < 20_000; n++ {
		var head [16]byte
		if got, err := f.ReadAt(head[:], from); got < 8 {
			return edits, ignoreEnd(err)
		}
		size, header := int64(binary.BigEndian.Uint32(head[:])), int64(8)
		switch size {
		case 0:
			size = to - from
		case 1:
			size, header = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size < header || size > to-from {
			return edits, nil
		}
		switch string(head[4:8]) {
		case "moov", "trak", "edts":
			if level == 3 {
				return edits, nil
			}
			inside, err := countEdits(f, from+header, from+size, level+1)
			if edits += inside; err != nil {
				return edits, err
			}
		case "elst":
			var count [8]byte
			if got, err := f.ReadAt(count[:], from+header); got < 8 {
				return edits, ignoreEnd(err)
			}
			edits += int64(binary.BigEndian.Uint32(count[4:]))
		}
		from += size
	}
	return edits, nil
}

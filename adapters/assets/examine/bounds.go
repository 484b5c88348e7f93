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

// checkScans refuses a JPEG with too many scans.
func checkScans(f io.ReadSeeker, target *url.URL) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read JPEG: %w", err)
	}
	in := bufio.NewReaderSize(f, 1<<16)
	const startOfScan = 0xda
	scans, marker := 0, false
	for {
		b, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read JPEG: %w", err)
		}
		if marker && b == startOfScan {
			if scans++; scans > maxScans {
				return unsupported(target, fmt.Sprintf("draws its picture more than %d times; save it anew", maxScans))
			}
		}
		marker = b == 0xff
	}
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

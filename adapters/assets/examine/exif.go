package examine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// upright is the EXIF orientation of a picture without rotation.
const upright = 1

// orientationTag is the number of the orientation in the first directory of an EXIF block.
const orientationTag = 0x0112

// jpegOrientation reads the EXIF orientation of a JPEG, 1 to 8. A file without one, or with a damaged one, is upright.
// jpegOrientation reads f from the start.
func jpegOrientation(f io.ReadSeeker) (int, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	r := bufio.NewReader(f)
	if _, err := r.Discard(2); err != nil {
		return upright, ignoreEnd(err)
	}
	for {
		var head [4]byte // marker and length of a segment
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return upright, ignoreEnd(err)
		}
		size := int(binary.BigEndian.Uint16(head[2:])) - 2
		const app1 = 0xe1
		if head[0] != 0xff || head[1] == startOfScan || size < 0 {
			return upright, nil
		}
		if head[1] != app1 {
			if _, err := r.Discard(size); err != nil {
				return upright, ignoreEnd(err)
			}
			continue
		}
		segment := make([]byte, size)
		if _, err := io.ReadFull(r, segment); err != nil {
			return upright, ignoreEnd(err)
		}
		if tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok {
			return exifOrientation(bytes.NewReader(tiff)), nil
		}
	}
}

// ignoreEnd drops the error of a truncated file: the decoder will report it.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// exifOrientation searches the first directory of an EXIF block; a TIFF file begins with such a directory.
func exifOrientation(tiff io.ReaderAt) int {
	var head [8]byte
	if !readAt(tiff, head[:], 0) {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(head[:2]) == "II" {
		order = binary.LittleEndian
	}
	start := int64(order.Uint32(head[4:]))
	var count [2]byte
	if !readAt(tiff, count[:], start) {
		return upright
	}
	var entry [12]byte
	for i := range int64(order.Uint16(count[:])) {
		if !readAt(tiff, entry[:], start+2+i*int64(len(entry))) {
			return upright
		}
		if order.Uint16(entry[:]) == orientationTag {
			if o := int(order.Uint16(entry[8:])); o >= 1 && o <= 8 {
				return o
			}
			return upright
		}
	}
	return upright
}

// readAt fills a buffer from an offset; false: the data ends before the buffer is full.
func readAt(r io.ReaderAt, into []byte, at int64) bool {
	n, _ := r.ReadAt(into, at) // the error is ignored: io.EOF may come with the last bytes
	return n == len(into)
}

package examine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// moves describes the animation of a picture, read from its headers; the zero moves is a still picture.
type moves struct {
	frames  int
	seconds float64
}

const (
	maxPictureFrames  = 20_000
	maxPictureSeconds = 3600
	// A frame with a shorter delay than shortestDelay is shown for usualDelay, as browsers do. In seconds.
	shortestDelay, usualDelay = 0.02, 0.1
)

var (
	errAnimation     = errors.New("the animation is damaged")
	errLongAnimation = errors.New("the animation has too many frames, or is too long")
)

func (m *moves) add(delay float64) error {
	if delay < shortestDelay {
		delay = usualDelay
	}
	m.frames++
	m.seconds += delay
	if m.frames > maxPictureFrames || m.seconds > maxPictureSeconds {
		return errLongAnimation
	}
	return nil
}

// still reports whether the picture has no animation.
func (m moves) still() bool { return m.frames < 2 }

// gifMoves reads the blocks of a GIF without decoding its pictures. Of a truncated file it counts the complete frames.
func gifMoves(r io.Reader) (moves, error) {
	in := bufio.NewReader(r)
	var m moves
	var head [13]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return m, errAnimation
	}
	if err := skipColors(in, head[10]); err != nil {
		return m, errAnimation
	}
	delay := 0.0
	for {
		kind, err := in.ReadByte()
		switch {
		case err != nil || kind == ';':
			return m, nil
		case kind == '!':
			label, err := in.ReadByte()
			if err != nil {
				return m, nil
			}
			first, err := gifBlocks(in)
			if err != nil {
				return m, nil
			}
			if label == 0xf9 && len(first) >= 3 {
				delay = float64(binary.LittleEndian.Uint16(first[1:])) / 100
			}
		case kind == ',':
			if err := skipImage(in); err != nil {
				return m, nil
			}
			if err := m.add(delay); err != nil {
				return m, err
			}
			delay = 0
		default:
			return m, nil
		}
	}
}

// skipImage skips the descriptor and the data of one picture of a GIF.
func skipImage(in *bufio.Reader) error {
	var about [9]byte
	if _, err := io.ReadFull(in, about[:]); err != nil {
		return err
	}
	if err := skipColors(in, about[8]); err != nil {
		return err
	}
	if _, err := in.Discard(1); err != nil { // skips the code size of the LZW data
		return err
	}
	_, err := gifBlocks(in)
	return err
}

// skipColors skips a colour table, whose size is in the flags before it.
func skipColors(in *bufio.Reader, flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	_, err := in.Discard(3 << (flags&7 + 1))
	return err
}

// gifBlocks skips data blocks up to an empty one, and returns the first block.
func gifBlocks(in *bufio.Reader) (first []byte, err error) {
	for {
		size, err := in.ReadByte()
		if err != nil || size == 0 {
			return first, err
		}
		block := make([]byte, size)
		if _, err := io.ReadFull(in, block); err != nil {
			return nil, err
		}
		if first == nil {
			first = block
		}
	}
}

// webpMoves reads the chunks of a WebP, and the size in pixels of the canvas of an animated one; 0: it is a still picture.
func webpMoves(r io.ReadSeeker) (m moves, w, h int, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return m, 0, 0, errAnimation
	}
	for n := 0; n < 4*maxPictureFrames; n++ {
		var chunk [8 + 16]byte
		read, err := io.ReadFull(r, chunk[:])
		if read < 8 {
			break
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		body := chunk[8:read]
		switch {
		case bytes.Equal(chunk[:4], []byte("VP8X")) && len(body) >= 10:
			if body[0]&2 == 0 {
				return moves{}, 0, 0, nil
			}
			w, h = 1+u24(body[4:]), 1+u24(body[7:])
		case bytes.Equal(chunk[:4], []byte("ANMF")) && len(body) >= 16:
			if err := m.add(float64(u24(body[12:])) / 1000); err != nil {
				return m, w, h, err
			}
		}
		if err != nil {
			break
		}
		if _, err := r.Seek(size+size&1-16, io.SeekCurrent); err != nil {
			return m, w, h, errAnimation
		}
	}
	return m, w, h, nil
}

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

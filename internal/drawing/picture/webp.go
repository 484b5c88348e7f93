package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"io"
	"os"

	"golang.org/x/image/webp"
)

// WebP plays an animated WebP, which neither ffmpeg 5 nor Go's library can: each frame is a small WebP that is composited
// over the frames before it, or replaces a part of them. It is used by one goroutine at a time; Close must be called.
type WebP struct {
	file   *os.File
	canvas *image.NRGBA
	shots  []webpShot
	shown  int             // index of the frame that canvas shows; -1: none
	clear  image.Rectangle // cleared before the next frame is drawn; may be empty
}

// webpShot is one frame of the file.
type webpShot struct {
	offset, size int64   // position of the frame's chunks in the file
	until        float64 // time at which the next frame begins, in seconds
	rect         image.Rectangle
	alone        bool // the frame replaces the pixels below instead of being blended with them
	dispose      bool // the frame's rectangle is cleared after the frame was shown
}

const (
	maxShots    = 20_000
	maxShotSize = 64 << 20
)

var errWebP = errors.New("not an animated WebP")

// OpenWebP opens a file and finds its frames.
func OpenWebP(path string) (*WebP, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	w := &WebP{file: file, shown: -1}
	if err := w.index(); err != nil {
		return nil, errors.Join(&DecodeError{Format: "webp", Err: err}, file.Close())
	}
	return w, nil
}

// Close closes the file.
func (w *WebP) Close() error { return w.file.Close() }

// Size is the size of every frame.
func (w *WebP) Size() image.Point { return w.canvas.Rect.Size() }

func (w *WebP) index() error {
	at, until := int64(12), 0.0
	for len(w.shots) < maxShots {
		var head [8 + 16]byte
		n, err := w.file.ReadAt(head[:], at)
		if n < len(head) {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			break
		}
		size, body := int64(binary.LittleEndian.Uint32(head[4:])), head[8:]
		switch string(head[:4]) {
		case "VP8X":
			width, height := 1+u24(body[4:]), 1+u24(body[7:])
			if width*height > maxTurnedPixels || w.canvas != nil {
				return errWebP
			}
			w.canvas = image.NewNRGBA(image.Rect(0, 0, width, height))
		case "ANMF":
			if w.canvas == nil || size < 16 || size > maxShotSize {
				return errWebP
			}
			delay := float64(u24(body[12:])) / 1000
			if delay < 0.02 { // a shorter delay becomes 0.1 s, as in browsers
				delay = 0.1
			}
			until += delay
			x, y := 2*u24(body), 2*u24(body[3:])
			s := webpShot{offset: at + 24, size: size - 16, until: until, alone: body[15]&2 != 0, dispose: body[15]&1 != 0}
			s.rect = image.Rect(x, y, x+1+u24(body[6:]), y+1+u24(body[9:]))
			if !s.rect.In(w.canvas.Rect) {
				return errWebP
			}
			w.shots = append(w.shots, s)
		}
		at += 8 + size + size&1
	}
	if len(w.shots) == 0 {
		return errWebP
	}
	return nil
}

// maxTurnedPixels is the largest number of pixels of the canvas of an animated WebP file, and so of each of its frames. A
// file with a larger canvas is refused.
const maxTurnedPixels = 36_000_000

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// At returns the picture at a time, in seconds; the last frame is held. The next call changes the picture.
func (w *WebP) At(seconds float64) (*image.NRGBA, error) {
	want := 0
	for want < len(w.shots)-1 && w.shots[want].until <= seconds+1e-9 {
		want++
	}
	if want < w.shown {
		clear(w.canvas.Pix)
		w.shown, w.clear = -1, image.Rectangle{}
	}
	for w.shown < want {
		w.shown++
		draw.Draw(w.canvas, w.clear, image.NewUniform(color.NRGBA{}), image.Point{}, draw.Src)
		s := w.shots[w.shown]
		img, err := w.shot(s)
		if err != nil {
			return nil, &DecodeError{Format: "webp", Err: err}
		}
		op := draw.Over
		if s.alone {
			op = draw.Src
		}
		draw.Draw(w.canvas, s.rect, img, img.Bounds().Min, op)
		w.clear = image.Rectangle{}
		if s.dispose {
			w.clear = s.rect
		}
	}
	return w.canvas, nil
}

// shot decodes a frame, by making a WebP file of its chunks in memory.
func (w *WebP) shot(s webpShot) (image.Image, error) {
	chunks := make([]byte, s.size)
	if _, err := w.file.ReadAt(chunks, s.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var alone bytes.Buffer
	if bytes.HasPrefix(chunks, []byte("ALPH")) {
		head := make([]byte, 18)
		copy(head, "VP8X\x0a\x00\x00\x00\x10")
		put24(head[12:], s.rect.Dx()-1)
		put24(head[15:], s.rect.Dy()-1)
		alone.Write(head)
	}
	alone.Write(chunks)
	file := make([]byte, 12, 12+alone.Len())
	copy(file, "RIFF\x00\x00\x00\x00WEBP")
	binary.LittleEndian.PutUint32(file[4:], uint32(4+alone.Len()))
	file = append(file, alone.Bytes()...)
	config, err := webp.DecodeConfig(bytes.NewReader(file))
	if err != nil || config.Width != s.rect.Dx() || config.Height != s.rect.Dy() {
		return nil, errors.Join(errWebP, err)
	}
	return decodeWebP(bytes.NewReader(file))
}

func put24(to []byte, v int) { to[0], to[1], to[2] = byte(v), byte(v>>8), byte(v>>16) }

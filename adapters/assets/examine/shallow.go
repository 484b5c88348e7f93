package examine

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// errOtherPicture says that this code cannot read the form of a picture with 16 bits per channel.
var errOtherPicture = errors.New("the picture has another form")

const pngSignature = "\x89PNG\r\n\x1a\n"

// The types of PNG chunks that this code reads, the colour types of its pictures, and its bounds.
const (
	headChunk, dataChunk, endChunk, clearChunk = "IHDR", "IDAT", "IEND", "tRNS"

	pngColors, pngGreyAlpha, pngColorsAlpha = 2, 4, 6

	maxPNGHead = 1 << 20 // largest length in bytes of a chunk before the picture; a file with a longer one is not read here
	maxRow     = 1 << 20 // largest width of a picture in pixels; two rows are kept in memory
)

// pngShape is the information in the header of a PNG file.
type pngShape struct {
	width, height int
	kind          byte
	interlaced    bool
	clear         []byte // the 16-bit colour that is transparent; empty: none
}

// channels is the number of channels per pixel.
func (s pngShape) channels() int {
	switch s.kind {
	case pngGreyAlpha:
		return 2
	case pngColorsAlpha:
		return 4
	}
	return 3
}

// shown is the shape of the picture that s is converted to: not interlaced, and with an alpha channel if one colour is
// transparent.
func (s pngShape) shown() pngShape {
	if len(s.clear) > 0 {
		s.kind = pngColorsAlpha
	}
	return pngShape{width: s.width, height: s.height, kind: s.kind}
}

// check refuses a picture that is too large, or has no pixels.
func (s pngShape) check() error {
	if s.width < 1 || s.height < 1 || s.width > maxRow || s.height > maxImagePixels/s.width {
		return fmt.Errorf("the picture has %d × %d pixels", s.width, s.height)
	}
	return nil
}

// shallowPNG converts a PNG file with 16 bits per channel to a PNG file with 8. It converts row by row and holds a few rows in
// memory. Only for an interlaced file it holds the whole resulting picture. It returns errOtherPicture when this code cannot read
// the file's form.
func shallowPNG(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("open a picture: %w", err)
	}
	defer in.Close()
	return replacePNG(to, func(out *bufio.Writer) error { return shallow(ctx, bufio.NewReaderSize(in, 1<<16), out) })
}

// replacePNG writes a file atomically.
func replacePNG(to string, write func(*bufio.Writer) error) error {
	out, err := os.CreateTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return fmt.Errorf("make a picture: %w", err)
	}
	defer func() { _ = os.Remove(out.Name()) }() // removes the temporary file after a failure; after a success it has its final name
	w := bufio.NewWriterSize(out, 1<<16)
	err = write(w)
	err = errors.Join(err, w.Flush(), out.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(out.Name(), to); err != nil {
		return fmt.Errorf("keep a converted picture: %w", err)
	}
	return nil
}

func shallow(ctx context.Context, in io.Reader, out io.Writer) error {
	shape, data, err := openPNG(in)
	if err != nil {
		return err
	}
	unpacked, err := zlib.NewReader(data)
	if err != nil {
		return fmt.Errorf("unpack a picture: %w", err)
	}
	if !shape.interlaced {
		rows := newDeepRows(shape, shape.width, unpacked)
		return writePNG(ctx, shape.shown(), out, func(_ int, row []byte) error { return rows.next(row) })
	}
	release, err := aloneWhole(ctx)
	if err != nil {
		return err
	}
	defer release()
	frame, err := weave(ctx, shape, unpacked)
	if err != nil {
		return err
	}
	return writePNG(ctx, shape.shown(), out, rowsOf(frame))
}

// rowsOf returns a function that yields the rows of a picture in memory.
func rowsOf(frame []byte) func(y int, row []byte) error {
	return func(y int, row []byte) error {
		copy(row, frame[y*len(row):])
		return nil
	}
}

// writePNG writes a PNG file of 8 bits per channel, whose rows come from next.
func writePNG(ctx context.Context, shape pngShape, out io.Writer, next func(y int, row []byte) error) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(shape.width))
	head = append(binary.BigEndian.AppendUint32(head, uint32(shape.height)), 8, shape.kind, 0, 0, 0)
	if _, err := io.WriteString(out, pngSignature); err != nil {
		return err
	}
	chunks := &chunkWriter{out: out}
	if err := chunks.chunk(headChunk, head); err != nil {
		return err
	}
	packed := bufio.NewWriterSize(chunks, 1<<16) // each full buffer is written as one chunk of the PNG
	packer, err := zlib.NewWriterLevel(packed, zlib.BestSpeed)
	if err != nil {
		return err
	}
	step := shape.channels()
	row := make([]byte, 1+shape.width*step)
	for y := range shape.height {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := next(y, row[1:]); err != nil {
			return err
		}
		// Filter 1 (difference to the left pixel) compresses well and does not need the row above.
		row[0] = 1
		for i := len(row) - 1; i > step; i-- {
			row[i] -= row[i-step]
		}
		if _, err := packer.Write(row); err != nil {
			return err
		}
	}
	if err := errors.Join(packer.Close(), packed.Flush()); err != nil {
		return err
	}
	return chunks.chunk(endChunk, nil)
}

// deepRows reads rows of 16 bits a channel.
type deepRows struct {
	shape      pngShape
	in         io.Reader
	row, above []byte
}

// newDeepRows reads rows with the given number of pixels.
func newDeepRows(shape pngShape, columns int, in io.Reader) *deepRows {
	length := 1 + columns*2*shape.channels()
	return &deepRows{shape: shape, in: in, row: make([]byte, length), above: make([]byte, length)}
}

// next reads a row and reduces it to 8 bits.
func (d *deepRows) next(half []byte) error {
	if _, err := io.ReadFull(d.in, d.row); err != nil {
		return fmt.Errorf("unpack a picture: %w", err)
	}
	pixel := 2 * d.shape.channels()
	if err := unfilter(d.row[0], d.row[1:], d.above[1:], pixel); err != nil {
		return err
	}
	deep := d.row[1:]
	d.row, d.above = d.above, d.row
	if len(d.shape.clear) == 0 {
		for i := range half {
			half[i] = nearest(uint16(deep[2*i])<<8 | uint16(deep[2*i+1]))
		}
		return nil
	}
	for ; len(deep) > 0; deep, half = deep[pixel:], half[4:] {
		for c := range 3 {
			half[c] = nearest(uint16(deep[2*c])<<8 | uint16(deep[2*c+1]))
		}
		if half[3] = 255; bytes.Equal(deep[:pixel], d.shape.clear) {
			half[3] = 0
		}
	}
	return nil
}

// nearest is the value of 8 bits that is nearest to one of 16.
func nearest(v uint16) byte { return byte((uint32(v)*255 + 32767) / 65535) }

// unfilter reverses the filter of a PNG row; pixel is the number of bytes per pixel. Clause 9 of the specification.
func unfilter(filter byte, row, above []byte, pixel int) error {
	left := func(i int) byte {
		if i < pixel {
			return 0
		}
		return row[i-pixel]
	}
	switch filter {
	case 0:
	case 1:
		for i := pixel; i < len(row); i++ {
			row[i] += row[i-pixel]
		}
	case 2:
		for i := range row {
			row[i] += above[i]
		}
	case 3:
		for i := range row {
			row[i] += byte((int(left(i)) + int(above[i])) / 2)
		}
	case 4:
		for i := range row {
			corner := byte(0)
			if i >= pixel {
				corner = above[i-pixel]
			}
			row[i] += paeth(int(left(i)), int(above[i]), int(corner))
		}
	default:
		return fmt.Errorf("the row has the filter %d", filter)
	}
	return nil
}

// paeth is the neighbour nearest to left + above − corner.
func paeth(left, above, corner int) byte {
	distance := func(n int) int { return max(left+above-corner-n, n-left-above+corner) }
	switch a, b, c := distance(left), distance(above), distance(corner); {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(above)
	}
	return byte(corner)
}

// openPNG reads the header of a file up to the picture, and returns a reader of the compressed data.
func openPNG(in io.Reader) (pngShape, io.Reader, error) {
	var shape pngShape
	signature := make([]byte, len(pngSignature))
	if _, err := io.ReadFull(in, signature); err != nil || string(signature) != pngSignature {
		return shape, nil, errors.Join(errors.New("it is no PNG file"), err)
	}
	for {
		length, kind, err := chunkHead(in)
		if err != nil {
			return shape, nil, err
		}
		if kind == dataChunk && shape.width > 0 {
			return shape, &chunkReader{in: in, left: length}, nil
		}
		if err := shape.read(in, kind, length); err != nil {
			return shape, nil, err
		}
	}
}

// read reads the needed information from a chunk before the picture.
func (s *pngShape) read(in io.Reader, kind string, length uint32) (err error) {
	switch {
	case kind == headChunk && length == shapeBytes:
		*s, err = readShape(in)
		length = 0
	case kind == clearChunk && length == 6 && s.kind == pngColors:
		s.clear = make([]byte, length)
		_, err = io.ReadFull(in, s.clear)
		length = 0
	case kind == clearChunk || kind == dataChunk || kind == endChunk || length > maxPNGHead:
		return errOtherPicture
	}
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, in, int64(length)+4) // skips what is left of the chunk, and its checksum
	return err
}

// shapeBytes is the length of the header chunk IHDR.
const shapeBytes = 13

// readShape reads the header chunk. errOtherPicture: the picture does not have 16 bits per channel, its kind is none of
// pngColors, pngGreyAlpha and pngColorsAlpha, or another field has a value that this code does not know.
func readShape(in io.Reader) (shape pngShape, err error) {
	head := make([]byte, shapeBytes)
	if _, err := io.ReadFull(in, head); err != nil {
		return shape, err
	}
	shape = pngShape{width: int(binary.BigEndian.Uint32(head)), height: int(binary.BigEndian.Uint32(head[4:])), kind: head[9],
		interlaced: head[12] == 1}
	known := shape.kind == pngColors || shape.kind == pngGreyAlpha || shape.kind == pngColorsAlpha
	if head[8] != 16 || !known || head[10] != 0 || head[11] != 0 || head[12] > 1 {
		return shape, errOtherPicture
	}
	return shape, shape.check()
}

func chunkHead(in io.Reader) (length uint32, kind string, err error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, "", fmt.Errorf("read a picture: %w", err)
	}
	return binary.BigEndian.Uint32(head[:]), string(head[4:]), nil
}

// chunkReader reads the data of a picture's chunks as one stream. It ignores their checksums, because the compressed data has its
// own.
type chunkReader struct {
	in   io.Reader
	left uint32
	err  error
}

func (c *chunkReader) Read(p []byte) (int, error) {
	for c.left == 0 && c.err == nil {
		var kind string
		if _, c.err = io.CopyN(io.Discard, c.in, 4); c.err != nil {
			break
		}
		if c.left, kind, c.err = chunkHead(c.in); c.err == nil && kind != dataChunk {
			c.left, c.err = 0, io.ErrUnexpectedEOF
		}
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.in.Read(p[:min(len(p), int(c.left))])
	c.left -= uint32(n)
	return n, err
}

// chunkWriter writes each piece of data as a chunk of the picture.
type chunkWriter struct{ out io.Writer }

func (c *chunkWriter) Write(p []byte) (int, error) {
	if err := c.chunk(dataChunk, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *chunkWriter) chunk(kind string, data []byte) error {
	head := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data)
	for _, part := range [][]byte{head, data, binary.BigEndian.AppendUint32(nil, sum)} {
		if _, err := c.out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

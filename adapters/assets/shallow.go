package assets

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

// errOtherPNG says that a PNG file is not one that shallowPNG reads: interlaced, or with a colour that stands for nothing.
var errOtherPNG = errors.New("the PNG file has another form")

const pngSignature = "\x89PNG\r\n\x1a\n"

// The kinds of chunks, and of pictures, that are read here.
const (
	headChunk, dataChunk, endChunk, clearChunk = "IHDR", "IDAT", "IEND", "tRNS"

	pngColors, pngColorsAlpha = 2, 6
	maxPNGHead                = 1 << 20 // of a chunk before the picture; longer ones tell nothing that is needed
)

// pngShape is what the head of a PNG file of 16 bits a channel says.
type pngShape struct {
	width, height int
	kind          byte
}

// channels are those of a pixel.
func (s pngShape) channels() int {
	if s.kind == pngColorsAlpha {
		return 4
	}
	return 3
}

// shallowPNG writes the picture of a PNG file with 16 bits a channel as one with 8, row by row: whatever its size, it takes the memory of a few
// rows. It returns errOtherPNG when the file has a form that is not read here.
func shallowPNG(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("open a picture: %w", err)
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return fmt.Errorf("make a picture: %w", err)
	}
	defer func() { _ = os.Remove(out.Name()) }() // unless it has become to
	w := bufio.NewWriterSize(out, 1<<16)
	err = shallow(ctx, bufio.NewReaderSize(in, 1<<16), w)
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
	head := binary.BigEndian.AppendUint32(nil, uint32(shape.width))
	head = append(binary.BigEndian.AppendUint32(head, uint32(shape.height)), 8, shape.kind, 0, 0, 0)
	if _, err := io.WriteString(out, pngSignature); err != nil {
		return err
	}
	chunks := &chunkWriter{out: out}
	if err := chunks.chunk(headChunk, head); err != nil {
		return err
	}
	packed := bufio.NewWriterSize(chunks, 1<<16) // a chunk each
	packer, err := zlib.NewWriterLevel(packed, zlib.BestSpeed)
	if err != nil {
		return err
	}
	if err := shallowRows(ctx, shape, unpacked, packer); err != nil {
		return err
	}
	if err := errors.Join(packer.Close(), packed.Flush()); err != nil {
		return err
	}
	return chunks.chunk(endChunk, nil)
}

// shallowRows halves the depth of every row.
func shallowRows(ctx context.Context, shape pngShape, in io.Reader, out io.Writer) error {
	pixel := 2 * shape.channels()
	row, above := make([]byte, 1+shape.width*pixel), make([]byte, 1+shape.width*pixel)
	half := make([]byte, 1+shape.width*shape.channels())
	for range shape.height {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := io.ReadFull(in, row); err != nil {
			return fmt.Errorf("unpack a picture: %w", err)
		}
		if err := unfilter(row[0], row[1:], above[1:], pixel); err != nil {
			return err
		}
		// Filter 1 of neighbours packs well and costs little; the row above is not needed for it.
		half[0] = 1
		step := shape.channels()
		for i := range len(half) - 1 {
			v := uint32(row[1+2*i])<<8 | uint32(row[2+2*i])
			half[1+i] = byte((v*255 + 32767) / 65535)
		}
		for i := len(half) - 1; i > step; i-- {
			half[i] -= half[i-step]
		}
		if _, err := out.Write(half); err != nil {
			return err
		}
		row, above = above, row
	}
	return nil
}

// unfilter undoes what a PNG file does to a row, whose pixels have so many bytes. Clause 9 of the specification.
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

// openPNG reads the head of a file up to its picture, and returns a reader of what is packed in it.
func openPNG(in io.Reader) (pngShape, io.Reader, error) {
	var shape pngShape
	signature := make([]byte, len(pngSignature))
	if _, err := io.ReadFull(in, signature); err != nil || string(signature) != pngSignature {
		return shape, nil, errors.Join(errors.New("it is no PNG file"), err)
	}
	for {
		length, kind, err := chunkHead(in)
		switch {
		case err != nil:
			return shape, nil, err
		case kind == dataChunk && shape.width > 0:
			return shape, &chunkReader{in: in, left: length}, nil
		case kind == headChunk && length == shapeBytes:
			if shape, err = readShape(in); err != nil {
				return shape, nil, err
			}
			length = 0
		case kind == clearChunk || kind == dataChunk || kind == endChunk || length > maxPNGHead:
			return shape, nil, errOtherPNG
		}
		if _, err := io.CopyN(io.Discard, in, int64(length)+4); err != nil { // and its sum
			return shape, nil, err
		}
	}
}

// shapeBytes is how long the chunk is that says what a picture is like.
const shapeBytes = 13

// readShape reads that chunk. errOtherPNG: the picture is not of 16 bits, without a palette, its rows one after the other.
func readShape(in io.Reader) (shape pngShape, err error) {
	head := make([]byte, shapeBytes)
	if _, err := io.ReadFull(in, head); err != nil {
		return shape, err
	}
	if head[8] != 16 || head[9] != pngColors && head[9] != pngColorsAlpha || !bytes.Equal(head[10:], []byte{0, 0, 0}) {
		return shape, errOtherPNG
	}
	shape = pngShape{int(binary.BigEndian.Uint32(head)), int(binary.BigEndian.Uint32(head[4:])), head[9]}
	if w, h := shape.width, shape.height; w < 1 || h < 1 || w > maxImagePixels || h > maxImagePixels/w {
		return shape, fmt.Errorf("the picture has %d × %d pixels", w, h)
	}
	return shape, nil
}

func chunkHead(in io.Reader) (length uint32, kind string, err error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, "", fmt.Errorf("read a picture: %w", err)
	}
	return binary.BigEndian.Uint32(head[:]), string(head[4:]), nil
}

// chunkReader reads what the chunks of a picture hold, one after the other. Sums are not compared: what is packed has one of its own.
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

// chunkWriter writes each piece as a chunk of the picture.
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

package examine

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/image/tiff/lzw"
)

// The tags of TIFF files that are needed for pictures of 16 bits a channel.
const (
	tagWidth, tagHeight, tagBits, tagCompression, tagPhotometric = 256, 257, 258, 259, 262

	tagStripOffsets, tagSamples, tagRowsPerStrip, tagStripSizes, tagPlanar, tagPredictor = 273, 277, 278, 279, 284, 317
	tagTileWidth, tagTileHeight, tagTileOffsets, tagTileSizes, tagExtra, tagSampleFormat = 322, 323, 324, 325, 338, 339

	maxTIFFTags   = 1000
	maxTIFFValues = 1 << 18 // largest number of values of a tag, and so of strips or tiles of a picture
)

// deepTIFF is the structure of a TIFF file with 16 bits per channel.
type deepTIFF struct {
	file  io.ReaderAt
	order binary.ByteOrder
	tags  map[uint16][]uint32
	shape pngShape // header of the resulting PNG file

	premultiplied bool
	partW, partH  int // size of a strip or tile
}

// shallowTIFF converts a TIFF file with 16 bits per channel to a PNG file with 8. It takes about the memory of the picture
// with 8 bits per channel. It returns errOtherPicture when this code cannot read the file's form.
func shallowTIFF(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("open a picture: %w", err)
	}
	defer in.Close()
	release, err := aloneWhole(ctx)
	if err != nil {
		return err
	}
	defer release()
	return replacePNG(to, func(out *bufio.Writer) error {
		t, err := openTIFF(in)
		if err != nil {
			return err
		}
		frame, err := t.frame(ctx)
		if err != nil {
			return err
		}
		return writePNG(ctx, t.shape, out, rowsOf(frame))
	})
}

// openTIFF reads the tags of a file's first picture.
func openTIFF(file io.ReaderAt) (*deepTIFF, error) {
	var head [8]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	t := &deepTIFF{file: file, tags: map[uint16][]uint32{}}
	switch string(head[:4]) {
	case "II*\x00":
		t.order = binary.LittleEndian
	case "MM\x00*":
		t.order = binary.BigEndian
	default:
		return nil, errOtherPicture
	}
	if err := t.readTags(int64(t.order.Uint32(head[4:]))); err != nil {
		return nil, err
	}
	return t, t.understand()
}

func (t *deepTIFF) readTags(at int64) error {
	var count [2]byte
	if _, err := t.file.ReadAt(count[:], at); err != nil {
		return fmt.Errorf("read a picture: %w", err)
	}
	n := int(t.order.Uint16(count[:]))
	if n > maxTIFFTags {
		return errOtherPicture
	}
	all := make([]byte, 12*n)
	if _, err := t.file.ReadAt(all, at+2); err != nil {
		return fmt.Errorf("read a picture: %w", err)
	}
	for ; len(all) > 0; all = all[12:] {
		if err := t.readTag(all[:12]); err != nil {
			return err
		}
	}
	return nil
}

// readTag stores the numbers of a tag. It skips a tag whose values are no numbers of 16 or 32 bits.
func (t *deepTIFF) readTag(entry []byte) error {
	tag, kind, n := t.order.Uint16(entry), t.order.Uint16(entry[2:]), t.order.Uint32(entry[4:])
	size := map[uint16]uint32{3: 2, 4: 4}[kind] // bytes per value, for values of 16 bits (type 3) and of 32 bits (type 4)
	if size == 0 || tag < tagWidth || tag > tagSampleFormat {
		return nil
	}
	if n > maxTIFFValues {
		return errOtherPicture
	}
	raw := entry[8:12]
	if n*size > 4 {
		raw = make([]byte, n*size)
		if _, err := t.file.ReadAt(raw, int64(t.order.Uint32(entry[8:]))); err != nil {
			return fmt.Errorf("read a picture: %w", err)
		}
	}
	values := make([]uint32, n)
	for i := range values {
		if size == 2 {
			values[i] = uint32(t.order.Uint16(raw[2*i:]))
		} else {
			values[i] = t.order.Uint32(raw[4*i:])
		}
	}
	t.tags[tag] = values
	return nil
}

// first returns the first value of a tag, or the parameter otherwise when the file lacks the tag.
func (t *deepTIFF) first(tag uint16, otherwise uint32) int {
	if v := t.tags[tag]; len(v) > 0 {
		otherwise = v[0]
	}
	return int(otherwise)
}

// understand computes the structure of the picture from the tags.
func (t *deepTIFF) understand() error {
	samples := t.first(tagSamples, 1)
	for _, bits := range t.tags[tagBits] {
		if bits != 16 {
			return errOtherPicture
		}
	}
	if len(t.tags[tagBits]) != samples || t.first(tagPhotometric, 0) != 2 || t.first(tagPlanar, 1) != 1 ||
		t.first(tagSampleFormat, 1) != 1 {
		return errOtherPicture
	}
	switch extra := t.first(tagExtra, 0); {
	case samples == 3:
		t.shape.kind = pngColors
	case samples == 4 && (extra == 1 || extra == 2):
		t.shape.kind, t.premultiplied = pngColorsAlpha, extra == 1
	default:
		return errOtherPicture
	}
	t.shape.width, t.shape.height = t.first(tagWidth, 0), t.first(tagHeight, 0)
	if err := t.shape.check(); err != nil {
		return err
	}
	return t.divide()
}

// divide computes the size of the strips or tiles.
func (t *deepTIFF) divide() error {
	t.partW, t.partH = t.shape.width, min(t.first(tagRowsPerStrip, uint32(t.shape.height)), t.shape.height)
	if t.tags[tagTileWidth] != nil {
		t.partW, t.partH = t.first(tagTileWidth, 0), t.first(tagTileHeight, 0)
	}
	// One row of pixels of a strip or tile is held in memory. A file whose tiles are much larger than the picture is not
	// read here: asPicture then has Examiner.Pictures convert it.
	if t.partW < 1 || t.partH < 1 || t.partW > t.shape.width+4096 || t.partH > t.shape.height+4096 {
		return errOtherPicture
	}
	return nil
}

// frame reads all strips or tiles into a picture of 8 bits per channel.
func (t *deepTIFF) frame(ctx context.Context) ([]byte, error) {
	offsets, sizes := t.tags[tagStripOffsets], t.tags[tagStripSizes]
	if t.tags[tagTileWidth] != nil {
		offsets, sizes = t.tags[tagTileOffsets], t.tags[tagTileSizes]
	}
	channels := t.shape.channels()
	frame := make([]byte, t.shape.width*t.shape.height*channels)
	across := (t.shape.width + t.partW - 1) / t.partW
	down := (t.shape.height + t.partH - 1) / t.partH
	if len(offsets) < across*down || len(sizes) < across*down {
		return nil, errors.New("strips of the picture are missing")
	}
	row := make([]byte, t.partW*channels*2)
	for i := range across * down {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part, err := t.unpacked(io.NewSectionReader(t.file, int64(offsets[i]), int64(sizes[i])))
		if err != nil {
			return nil, err
		}
		x, y := i%across*t.partW, i/across*t.partH
		for line := range min(t.partH, t.shape.height-y) {
			if _, err := io.ReadFull(part, row); err != nil {
				return nil, errors.Join(fmt.Errorf("unpack a picture: %w", err), part.Close())
			}
			t.halve(row, frame[((y+line)*t.shape.width+x)*channels:][:min(t.partW, t.shape.width-x)*channels])
		}
		if err := part.Close(); err != nil {
			return nil, fmt.Errorf("unpack a picture: %w", err)
		}
	}
	return frame, nil
}

// unpacked decompresses a strip or tile.
func (t *deepTIFF) unpacked(packed io.Reader) (io.ReadCloser, error) {
	packed = bufio.NewReader(packed)
	switch t.first(tagCompression, 1) {
	case 1:
		return io.NopCloser(packed), nil
	case 5:
		return lzw.NewReader(packed, lzw.MSB, 8), nil
	case 8, 32946:
		unpacked, err := zlib.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("unpack a picture: %w", err)
		}
		return unpacked, nil
	}
	return nil, errOtherPicture
}

// halve reduces a row from 16 to 8 bits per channel. deep may be longer than needed.
func (t *deepTIFF) halve(deep, to []byte) {
	channels := t.shape.channels()
	differs := t.first(tagPredictor, 1) == 2
	var before, now [4]uint16
	for i := 0; i+channels <= len(to); i += channels {
		for c := range channels {
			now[c] = t.order.Uint16(deep[2*(i+c):])
			if differs { // pixels are stored as differences to the pixel before
				now[c] += before[c]
			}
		}
		before = now
		if alpha := uint32(now[3]); t.premultiplied && alpha > 0 {
			for c := range 3 {
				now[c] = uint16(min(65535, (uint32(now[c])*65535+alpha/2)/alpha))
			}
		}
		for c := range channels {
			to[i+c] = nearest(now[c])
		}
	}
}

package examine

import (
	"context"
	"encoding/binary"
	"io"
	"net/url"

	"moviola/commands"
)

// heif is the format of HEIC and AVIF pictures until they are converted.
const heif = "heif"

// readableHEIF has a HEIC or AVIF picture converted, unless it is too large.
func (e *Examiner) readableHEIF(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	if e.Pictures == nil {
		return unsupported(target, "is a HEIC or AVIF picture; use JPEG, PNG or WebP")
	}
	f, size, err := opened(*asset)
	if err != nil {
		return err
	}
	defer f.Close()
	w, h := heifSize(f, 0, size, 0)
	if w == 0 || h == 0 {
		return unreadable(target, "image")
	}
	if err := boundPixels(w, h, target); err != nil {
		return err
	}
	return e.convert(ctx, asset, heif, target)
}

// heifSize returns the largest picture size in the properties between two offsets: usually that of the whole picture, even
// if the picture consists of tiles. It returns 0 when there is none.
func heifSize(f io.ReaderAt, from, to int64, level int) (w, h int) {
	const maxBoxes = 20_000
	for range maxBoxes {
		b, ok := heifBoxAt(f, from, to)
		if !ok {
			break
		}
		bw, bh := 0, 0
		switch inside := from + b.header; {
		case b.kind == "ispe":
			var side [12]byte // content of the box: version and flags, width, height
			if readAt(f, side[:], inside) {
				bw, bh = int(binary.BigEndian.Uint32(side[4:])), int(binary.BigEndian.Uint32(side[8:]))
			}
		case level < 3 && b.kind == "meta":
			bw, bh = heifSize(f, inside+4, from+b.size, level+1)
		case level < 3 && (b.kind == "iprp" || b.kind == "ipco"):
			bw, bh = heifSize(f, inside, from+b.size, level+1)
		}
		if int64(bw)*int64(bh) > int64(w)*int64(h) {
			w, h = bw, bh
		}
		from += b.size
	}
	return w, h
}

// heifBox is the head of a box.
type heifBox struct {
	kind         string
	size, header int64
}

// heifBoxAt reads the header of the box at an offset. false: there is no complete box before the end.
func heifBoxAt(f io.ReaderAt, from, to int64) (heifBox, bool) {
	var head [16]byte
	if to-from < 8 || !readAt(f, head[:8], from) {
		return heifBox{}, false
	}
	b := heifBox{kind: string(head[4:8]), size: int64(binary.BigEndian.Uint32(head[:])), header: 8}
	switch b.size {
	case 0:
		b.size = to - from
	case 1:
		if !readAt(f, head[8:], from+8) {
			return heifBox{}, false
		}
		b.size, b.header = int64(binary.BigEndian.Uint64(head[8:])), 16
	}
	return b, b.size >= b.header && b.size <= to-from
}

package assets

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
func (c *Cache) readableHEIF(ctx context.Context, asset *commands.Asset, target *url.URL) error {
	if c.cfg.Pictures == nil {
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
	return c.convert(ctx, asset, heif, target)
}

// heifSize is the size of the largest picture of which the properties between two places speak: of the whole, where tiles make it up. 0: there
// is none.
func heifSize(f io.ReaderAt, from, to int64, level int) (w, h int) {
	const maxBoxes = 20_000
	for n := 0; to-from >= 8 && n < maxBoxes; n++ {
		var head [16]byte
		if !readAt(f, head[:8], from) {
			return w, h
		}
		size, header := int64(binary.BigEndian.Uint32(head[:])), int64(8)
		switch size {
		case 0:
			size = to - from
		case 1:
			if !readAt(f, head[8:], from+8) {
				return w, h
			}
			size, header = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size < header || size > to-from {
			return w, h
		}
		bw, bh := 0, 0
		switch kind := string(head[4:8]); {
		case kind == "ispe":
			var side [12]byte // version and flags, width, height
			if readAt(f, side[:], from+header) {
				bw, bh = int(binary.BigEndian.Uint32(side[4:])), int(binary.BigEndian.Uint32(side[8:]))
			}
		case level < 3 && kind == "meta":
			bw, bh = heifSize(f, from+header+4, from+size, level+1)
		case level < 3 && (kind == "iprp" || kind == "ipco"):
			bw, bh = heifSize(f, from+header, from+size, level+1)
		}
		if int64(bw)*int64(bh) > int64(w)*int64(h) {
			w, h = bw, bh
		}
		from += size
	}
	return w, h
}

package render

import (
	"context"
	"image"
	"io"

	"moviola/adapters/render/artwork"
	"moviola/internal/drawing/picture"
)

// stream is a sequence of frames for ffmpeg. The frames are drawn while ffmpeg reads them, unless newStream has drawn
// them beforehand because they take little memory together.
type stream struct {
	frames int64
	draw   func(ctx context.Context, n int64) (*picture.Layer, error)
	region image.Rectangle // rectangle that contains every frame; its coordinates are even
	opaque bool            // every frame fills the region opaquely, so alpha is not written
	kept   []*picture.Layer
}

// keptBytes bounds the memory of frames that are drawn before their region is known.
const keptBytes = 96 << 20

// newStream prepares frames at varying positions. If they take little memory together, they are drawn at once, to find the
// smallest region; otherwise the region is the whole canvas.
func newStream(
	ctx context.Context, frames int64, w, h int, draw func(context.Context, int64) (*picture.Layer, error),
) (*stream, error) {
	s := &stream{frames: frames, draw: draw}
	var last *picture.Layer
	size := 0
	for n := range frames {
		l, err := draw(ctx, n)
		if err != nil {
			return nil, err
		}
		if l != last {
			size += len(l.Pix)
		}
		last = l
		if size > keptBytes {
			s.kept, s.region = nil, image.Rect(0, 0, w, h)
			return s, nil
		}
		s.kept = append(s.kept, l)
		if !l.Empty() {
			s.region = s.region.Union(image.Rect(l.X, l.Y, l.X+l.W, l.Y+l.H))
		}
	}
	return s, nil
}

// pixelFormat is ffmpeg's name of the pixel format of the frames that feed writes.
func (s *stream) pixelFormat() string {
	if s.opaque {
		return "yuv420p"
	}
	return picture.PixelFormat
}

// feed writes the frames. Each call writes all of them, from the first one on.
func (s *stream) feed(ctx context.Context, to io.Writer) error {
	size := s.region.Dx() * s.region.Dy()
	buffer := artwork.Blank(s.region)
	var last *picture.Layer
	for n := range s.frames {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		l, err := s.frame(ctx, n)
		if err != nil {
			return err
		}
		pix := l.Pix
		if l.X != s.region.Min.X || l.Y != s.region.Min.Y || l.W != s.region.Dx() || l.H != s.region.Dy() {
			if l != last {
				buffer.Clear()
				buffer.Place(l)
			}
			pix = buffer.Pix
		}
		last = l
		if s.opaque {
			pix = pix[:size*3/2]
		}
		if _, err := to.Write(pix); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) frame(ctx context.Context, n int64) (*picture.Layer, error) {
	if s.kept != nil {
		return s.kept[n], nil
	}
	return s.draw(ctx, n)
}

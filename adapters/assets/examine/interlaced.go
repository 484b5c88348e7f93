package examine

import (
	"context"
	"fmt"
	"io"
)

// weaving holds the seven passes of an interlaced PNG file: the first column and row of each pass, and the distances between its
// columns and between its rows. Clause 8 of the PNG specification.
var weaving = [...]struct{ x, y, dx, dy int }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// weave assembles the passes of an interlaced picture to a picture with 8 bits per channel. It holds only the resulting picture
// in memory.
func weave(ctx context.Context, shape pngShape, in io.Reader) ([]byte, error) {
	channels := shape.shown().channels()
	frame := make([]byte, shape.width*shape.height*channels)
	for _, p := range weaving {
		columns, rows := (shape.width-p.x+p.dx-1)/p.dx, (shape.height-p.y+p.dy-1)/p.dy
		if columns <= 0 || rows <= 0 {
			continue
		}
		from := newDeepRows(shape, columns, in)
		half := make([]byte, columns*channels)
		for r := range rows {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := from.next(half); err != nil {
				return nil, fmt.Errorf("unpack an interlaced picture: %w", err)
			}
			line := frame[(p.y+r*p.dy)*shape.width*channels:]
			for i := range columns {
				copy(line[(p.x+i*p.dx)*channels:][:channels], half[i*channels:])
			}
		}
	}
	return frame, nil
}

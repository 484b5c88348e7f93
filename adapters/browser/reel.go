package browser

import (
	"bytes"
	"context"
	"errors"
	"image"
)

// reel gets the frames of a page as PNG files, decodes them, and passes them to the function yield in order. Meanwhile the
// browser can draw the next frame.
type reel struct {
	width, height int
	yield         func(int64, *image.NRGBA) error
	drawn         chan drawn
	failed        chan struct{} // closed when err is set
	ended         chan struct{}
	err           error
}

type drawn struct {
	i    int64
	data []byte
}

// newReel returns a reel that must be closed.
func newReel(width, height int, yield func(int64, *image.NRGBA) error) *reel {
	r := &reel{
		width: width, height: height, yield: yield,
		drawn: make(chan drawn, 1), failed: make(chan struct{}), ended: make(chan struct{}),
	}
	go r.run()
	return r
}

func (r *reel) run() {
	defer close(r.ended)
	var last []byte
	var frame *image.NRGBA
	for d := range r.drawn {
		if r.err != nil {
			continue
		}
		if frame == nil || !bytes.Equal(last, d.data) {
			frame, r.err = decode(d.data, r.width, r.height)
			last = d.data
		}
		if r.err == nil {
			r.err = r.yield(d.i, frame)
		}
		if r.err != nil {
			close(r.failed)
		}
	}
}

// add gives the reel frame i, whose PNG file is data. It fails if an earlier frame could not be decoded, or if yield
// refused it; close returns the cause.
func (r *reel) add(ctx context.Context, i int64, data []byte) error {
	select {
	case r.drawn <- drawn{i, data}:
		return nil
	case <-r.failed:
		return errReel
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close waits until the reel has passed all its frames to yield, or has failed. It returns the error.
func (r *reel) close() error {
	close(r.drawn)
	<-r.ended
	return r.err
}

var errReel = errors.New("a frame could not be handed out")

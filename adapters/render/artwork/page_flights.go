package artwork

import (
	"cmp"
	"context"
	"errors"
	"image"
	"sync"
	"time"

	"moviola/commands"
)

const (
	// pageFlightTime is the time limit for loading and drawing a page. It ends pages that nobody waits for any more.
	pageFlightTime = 15 * time.Minute
	// pageKeptTime is how long the result of a page is kept after its last use, for a movie that has given up its slot. The
	// movie uses the result when it has a slot again.
	pageKeptTime = 5 * time.Minute
	// maxLeftPages is the largest number of pages that are loading or kept for movies that have given up their slot.
	maxLeftPages = 24
	// maxLeftBytes bounds the memory, in bytes, of the pictures kept for movies that have given up their slot. A picture
	// that does not fit is drawn again when the movie has a slot again.
	maxLeftBytes = 256 << 20
)

// PageFlights holds the pages that may change while they are loaded and drawn. A render that is asked for its slot while
// it waits for such a page gives the slot up. The page usually goes on loading, within the limit of browsers, and is kept
// for a few minutes, so that the movie can use the result when it has a slot again. PageFlights is safe for concurrent
// use.
type PageFlights struct {
	mu   sync.Mutex
	all  map[string]*pageFlight
	left int // number of pages that are loading or kept for movies that have given up their slot
	most int // largest number of bytes of the pictures kept for movies that have given up their slot; 0: maxLeftBytes
	kept int // number of bytes of the pictures kept for these movies now
}

// pageFlight is one page that is loading. PageFlights.mu guards all fields but done; shown and err are set before done is closed.
type pageFlight struct {
	done    chan struct{}
	shown   any
	err     error
	stop    context.CancelFunc
	waiting int
	left    bool        // the page is loading or kept for a movie that has given up its slot
	drop    *time.Timer // removes the page once its result has been kept for pageKeptTime; nil: no result is kept
	bytes   int         // size of the picture in bytes while the picture is kept
}

// join returns the result of load. Callers that wait with the same key at the same time share one call of load. When
// lapsed is closed, join stops waiting and returns commands.ErrGiveWay. When ctx ends, join stops waiting and returns the
// cause. If nobody waits for load any more, it is cancelled, with one exception. If a caller has stopped because lapsed
// was closed, or because of commands.ErrShare or commands.ErrGiveWay, load goes on, because the movie needs the result
// when it has a slot again. At most maxLeftPages pages go on or are kept in this way.
func (p *PageFlights) join(
	ctx context.Context, key string, lapsed <-chan struct{}, load func(context.Context) (any, error),
) (any, error) {
	f := p.begin(ctx, key, load)
	select {
	case <-f.done:
	default:
		select {
		case <-f.done:
		case <-lapsed:
			p.leave(key, f, true)
			return nil, commands.ErrGiveWay
		case <-ctx.Done():
			cause := context.Cause(ctx)
			p.leave(key, f, errors.Is(cause, commands.ErrShare) || errors.Is(cause, commands.ErrGiveWay))
			return nil, cause
		}
	}
	p.leave(key, f, false)
	return f.shown, f.err
}

func (p *PageFlights) begin(ctx context.Context, key string, load func(context.Context) (any, error)) *pageFlight {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.all[key]; f != nil {
		f.waiting++
		return f
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), pageFlightTime)
	f := &pageFlight{done: make(chan struct{}), stop: stop, waiting: 1}
	if p.all == nil {
		p.all = map[string]*pageFlight{}
	}
	p.all[key] = f
	go func() {
		defer stop()
		shown, err := load(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		f.shown, f.err = shown, err
		close(f.done)
		p.landed(key, f)
	}()
	return f
}

// leave records that one caller no longer waits for the page f. giveWay says that the caller stopped because its slot is
// wanted. The page then goes on loading, because the movie needs it when it has a slot again. It does not go on if
// maxLeftPages pages are already loading or kept in this way.
func (p *PageFlights) leave(key string, f *pageFlight, giveWay bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.waiting--
	if giveWay && !f.left && p.left < maxLeftPages {
		f.left = true
		p.left++
	}
	p.landed(key, f)
}

// landed decides what happens to the page f once nobody waits for it. Usually f is cancelled and removed. If f.left says
// that its movie has given up its slot, f may finish loading, and its result is kept for pageKeptTime if there is room for
// it. The caller holds p.mu.
func (p *PageFlights) landed(key string, f *pageFlight) {
	ended := false
	select {
	case <-f.done:
		ended = true
	default:
	}
	switch {
	case f.waiting > 0 || p.all[key] != f:
	case !f.left:
		delete(p.all, key)
		f.stop()
	case !ended:
	// A page that was cancelled or took too long is removed. It is loaded anew when the movie has a slot again.
	case errors.Is(f.err, context.Canceled) || errors.Is(f.err, context.DeadlineExceeded):
		p.forget(key, f)
	case f.drop == nil && !p.room(f):
		p.forget(key, f)
	case f.drop == nil:
		f.drop = time.AfterFunc(pageKeptTime, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.forget(key, f)
		})
	default:
		f.drop.Reset(pageKeptTime)
	}
}

// room reserves memory for a page's picture. Films are on disk and need none. The caller holds p.mu.
func (p *PageFlights) room(f *pageFlight) bool {
	if img, ok := f.shown.(*image.NRGBA); ok && img != nil {
		f.bytes = len(img.Pix)
	}
	if p.kept+f.bytes > cmp.Or(p.most, maxLeftBytes) {
		f.bytes = 0
		return false
	}
	p.kept += f.bytes
	return true
}

// forget removes a page whose movie has given up its slot, unless a caller waits for it. The caller holds p.mu.
func (p *PageFlights) forget(key string, f *pageFlight) {
	if p.all[key] != f || f.waiting > 0 {
		return
	}
	delete(p.all, key)
	p.left--
	p.kept -= f.bytes
}

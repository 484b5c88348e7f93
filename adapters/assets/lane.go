package assets

import (
	"context"
	"errors"
	"io"
	"net/url"

	"moviola/internal/fair"
)

// lane is a download's share of the budgets: a connection, and a number of bytes.
type lane struct {
	connection, bytes *fair.Part // shares of the budgets; nil: the budget is unbounded
	// size is the number of bytes that may be read now. While the body is read it grows by at least step at a time, up to
	// most. Once it is most, bytes are not counted any more.
	size, step, most int64
}

// needError says that a download needs more bytes than it holds of the budget, and that it cannot get them at once. The
// download starts again, and asks the budget for the number in the field bytes.
type needError struct{ bytes int64 }

func (e *needError) Error() string { return "a download needs more than there is of its budget" }

// enter waits for the turn of a download of the given size. No connection to a server is held meanwhile.
func (c *Cache) enter(ctx context.Context, s accountFolder, size int64) (*lane, error) {
	l := &lane{size: min(size, c.cfg.MaxBytes), step: c.cfg.Guess, most: c.cfg.MaxBytes}
	var err error
	if c.cfg.Bytes != nil {
		if l.bytes, err = c.cfg.Bytes.Take(ctx, string(s.account), l.size); err != nil {
			return nil, err
		}
	}
	if c.cfg.Connections != nil {
		if l.connection, err = c.cfg.Connections.Take(ctx, string(s.account), 1); err != nil {
			l.leave()
			return nil, err
		}
	}
	return l, nil
}

// leave gives the connection and the bytes that a download holds back to the budgets.
func (l *lane) leave() {
	for _, part := range []*fair.Part{l.bytes, l.connection} {
		if part != nil {
			part.Release()
		}
	}
}

// announce changes the number of bytes that a download holds of the budget to length, the declared length of the response's
// body. It returns a needError if the budget has too few bytes left. It changes nothing if length is -1 (the length is
// unknown), or if the download holds the largest number of bytes already.
func (l *lane) announce(length int64) error {
	switch {
	case l.bytes == nil || length < 0 || l.size >= l.most:
		return nil
	case length <= l.size:
		l.bytes.Shrink(max(1, length))
		l.size = length
		return nil
	case l.bytes.Grow(length):
		l.size = length
		return nil
	}
	return &needError{length}
}

// drawn is the body of a response. When more bytes were read than the download holds of the budget for bytes, Read takes
// further bytes from the budget, until the download holds the largest number (lane.most). If the budget has too few left,
// Read returns a needError.
type drawn struct {
	io.Reader
	lane *lane
	read int64
	need error // why reading stopped: a needError
}

// Read implements io.Reader.
func (d *drawn) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	d.read += int64(n)
	l := d.lane
	if l.bytes == nil || d.read <= l.size || l.size >= l.most {
		return n, err
	}
	size := min(max(d.read, l.size+l.step), l.most)
	if !l.bytes.Grow(size) {
		d.need = &needError{l.most}
		return 0, d.need
	}
	l.size = size
	return n, err
}

// download brings the file at target into the account's folder. It does not do so if known is the record of an earlier
// download and the server answers that the file has not changed since. A download first waits until the budgets have a
// connection and bytes for it. If the file turns out to need more bytes than the budget has left, download gives everything
// back, waits again for the larger number, and starts again with the whole time limit. A file at an address of the service
// itself needs nothing from the budgets.
func (c *Cache) download(ctx context.Context, s accountFolder, target *url.URL, known visit) (visit, error) {
	if _, own := c.ownPath(target); own {
		return c.tries(ctx, s, target, known, &lane{})
	}
	for size := c.cfg.Guess; ; {
		got, err := c.inLane(ctx, s, target, known, size)
		var more *needError
		if !errors.As(err, &more) {
			return got, err
		}
		size = more.bytes
	}
}

func (c *Cache) inLane(ctx context.Context, s accountFolder, target *url.URL, known visit, size int64) (visit, error) {
	l, err := c.enter(ctx, s, size)
	if err != nil {
		return visit{}, err
	}
	defer l.leave()
	return c.tries(ctx, s, target, known, l)
}

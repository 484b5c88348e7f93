package media_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"moviola/handlers/media"
)

// sender sends bytes at a rate, and is cut off at a deadline, as a connection is.
type sender struct {
	every    time.Duration
	deadline time.Time
	left     int
}

func (s *sender) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	timer := time.NewTimer(s.every)
	<-timer.C
	if !time.Now().Before(s.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	n := min(len(p), 1024, s.left)
	s.left -= n
	return n, nil
}

func (s *sender) extend(deadline time.Time) error {
	s.deadline = deadline
	return nil
}

// A body is read as long as bytes flow, however long it takes; one that trickles is cut off. Decision 45; reliability §7b.
func TestSteady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &sender{every: 5 * time.Second, left: 1 << 20} // 200 bytes a second, for more than an hour
		began := time.Now()
		if n, err := io.Copy(io.Discard, media.Steady(slow, slow.extend)); err != nil || n != 1<<20 {
			t.Errorf("a slow body: %d bytes, %v", n, err)
		}
		if took := time.Since(began); took < time.Hour {
			t.Errorf("it took %s", took)
		}
		trickle := &sender{every: time.Second, left: 1 << 20}
		began = time.Now()
		one := media.Steady(io.MultiReader(&oneByOne{trickle}), trickle.extend)
		if _, err := io.Copy(io.Discard, one); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a byte a second: %v", err)
		}
		if took := time.Since(began); took > 2*media.LongestPause {
			t.Errorf("it was cut off after %s", took)
		}
		silent := &sender{every: media.LongestPause, left: 1}
		if _, err := io.Copy(io.Discard, media.Steady(silent, silent.extend)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a pause: %v", err)
		}
	})
}

// oneByOne yields one byte at a time.
type oneByOne struct{ r io.Reader }

func (o *oneByOne) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

// A fast body moves the deadline once a second, not with every read.
func TestSteady_fast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // whose clock stands
		calls := 0
		body := media.Steady(bytes.NewReader(make([]byte, 100*media.LeastBytes)), func(time.Time) error { calls++; return nil })
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{body}, make([]byte, 512)); err != nil || calls > 5 {
			t.Errorf("%d calls, %v", calls, err)
		}
		broken := errors.New("no deadlines here")
		if _, err := media.Steady(bytes.NewReader(nil), func(time.Time) error { return broken }).Read(make([]byte, 1)); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	})
}

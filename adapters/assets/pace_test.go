package assets_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
)

// slowly is a body that sends some bytes each second.
type slowly struct {
	ctx       context.Context
	content   []byte
	perSecond int
	pauseAt   int // after so many bytes it pauses once
	pause     time.Duration
	sent      int
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.sent == len(s.content) {
		return 0, io.EOF
	}
	wait := time.Second
	if s.pause > 0 && s.sent >= s.pauseAt {
		wait, s.pause = s.pause, 0
	}
	select {
	case <-time.After(wait):
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
	n := copy(p[:min(len(p), s.perSecond)], s.content[s.sent:])
	s.sent += n
	return n, nil
}

func (s *slowly) Close() error { return nil }

// TestCache_Fetch_leastSpeed: a body that comes below 10 kB/s for 20 s is given up at once and not tried again; a short break, and a slow but steady
// body, are not. Decision 54.
func TestCache_Fetch_leastSpeed(t *testing.T) {
	content := append(pngOf(30, 20), bytes.Repeat([]byte{0}, 600_000)...)
	for _, tt := range []struct {
		name string
		body slowly
		took time.Duration // 0: it comes
	}{
		{"a byte a second", slowly{perSecond: 1}, 20 * time.Second},
		{"9 kB a second", slowly{perSecond: 9_000}, 20 * time.Second},
		{"12 kB a second", slowly{perSecond: 12_000}, 0},
		{"a break of 10 s", slowly{perSecond: 30_000, pauseAt: 300_000, pause: 10 * time.Second}, 0},
		{"it stops in the middle", slowly{perSecond: 30_000, pauseAt: 300_000, pause: time.Hour}, 25 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tries := 0
			s := newSite(t, commands.Media{}, func(c *assets.Config) {
				c.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					tries++
					body := tt.body
					body.ctx, body.content = r.Context(), content
					return &http.Response{StatusCode: http.StatusOK, Body: &body, ContentLength: -1, Header: http.Header{}, Request: r}, nil
				})}
			})
			synctest.Test(t, func(t *testing.T) { // the site's server stays outside: its time is real
				began := time.Now()
				_, err := s.Fetch(t.Context(), "account", s.server.URL+"/a.png")
				took := time.Since(began).Truncate(time.Second)
				if tt.took == 0 {
					if err != nil {
						t.Errorf("after %v: %v", took, err)
					}
					return
				}
				s.requireError(err, "Failed to download 'HOST/a.png' (it comes too slowly: less than 10 kB/s for 20 seconds)")
				if took < tt.took || took > tt.took+2*time.Second || tries != 1 { // what happens in the same second has no order
					t.Errorf("given up after %v and %d tries, want %v", took, tries, tt.took)
				}
			})
		})
	}
}

// TestWatch_whole: a body that has come is not too slow, however long it takes to store it.
func TestWatch_whole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body := assets.Watch(io.NopCloser(bytes.NewReader(make([]byte, 9))), func(err error) { t.Error(err) })
		if _, err := io.ReadAll(body); err != nil {
			t.Error(err)
		}
		<-time.After(time.Minute)
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	})
}

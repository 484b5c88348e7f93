package assets_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/fair"
)

// gated is a server whose answers begin when they are let go, one after the other.
type gated struct {
	asked chan string
	next  chan struct{}
	size  func(path string) (length int64, body io.Reader)
}

// open makes the channels, in the bubble of a test.
func (g *gated) open() { g.asked, g.next = make(chan string, 100), make(chan struct{}) }

func (g *gated) RoundTrip(r *http.Request) (*http.Response, error) {
	g.asked <- r.URL.Path
	select {
	case <-g.next:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	length, body := g.size(r.URL.Path)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), ContentLength: length, Header: http.Header{}, Request: r}, nil
}

// picture is a picture of so many bytes.
func picture(size int) []byte { return append(pngOf(3, 2), make([]byte, size-len(pngOf(3, 2)))...) }

func gatedSite(t *testing.T, change func(*assets.Config)) (*site, *gated) {
	g := &gated{size: func(string) (int64, io.Reader) {
		return 1000, bytes.NewReader(picture(1000))
	}}
	return newSite(t, commands.Media{}, func(c *assets.Config) {
		c.Client = &http.Client{Transport: g}
		c.Timeout = time.Hour
		change(c)
	}), g
}

// fetchFor asks for a file of an account, and reports its error.
func (s *site) fetchFor(t *testing.T, account domain.AccountID, path string, failed chan<- error) {
	go func() {
		_, err := s.Fetch(t.Context(), account, "http://files.test/"+path)
		failed <- err
	}()
	synctest.Wait()
}

// TestCache_Fetch_connections: of fifty files of one account no more are asked for at once than it may have connections, and another account's
// file is asked for meanwhile; when all connections are taken, its next file comes before those of the others. Decision 54.
func TestCache_Fetch_connections(t *testing.T) {
	connections := fair.New(fair.Limits{Total: 3, Account: 2})
	s, g := gatedSite(t, func(c *assets.Config) { c.Connections = connections })
	synctest.Test(t, func(t *testing.T) {
		g.open()
		failed := make(chan error, 100)
		for i := range 50 {
			s.fetchFor(t, "flood", fmt.Sprintf("flood-%d.png", i), failed)
		}
		if len(g.asked) != 2 {
			t.Errorf("%d files of one account are asked for", len(g.asked))
		}
		s.fetchFor(t, "other", "other-1.png", failed)
		s.fetchFor(t, "third", "third.png", failed)
		for range 2 {
			<-g.asked
		}
		if got := <-g.asked; got != "/other-1.png" || len(g.asked) != 0 {
			t.Errorf("asked for is %s", got)
		}
		g.next <- struct{}{}
		synctest.Wait()
		if got := <-g.asked; got != "/third.png" {
			t.Errorf("next comes %s", got)
		}
		for range 51 {
			g.next <- struct{}{}
			synctest.Wait()
		}
		for range 52 {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if held := connections.Held(); held != 0 {
			t.Errorf("%d connections are still held", held)
		}
	})
}

// TestCache_Fetch_bytes: what an account has under way is bounded in bytes, as servers announce them or as they turn out to be; a download that
// does not fit gives its connection back, and comes again when there is room for it. Decision 54.
func TestCache_Fetch_bytes(t *testing.T) {
	for name, announced := range map[string]bool{"announced": true, "as they come": false} {
		t.Run(name, func(t *testing.T) {
			budget := fair.New(fair.Limits{Total: 20_000, Account: 10_000})
			s, g := gatedSite(t, func(c *assets.Config) { c.Bytes, c.Guess, c.MaxBytes = budget, 1000, 10_000 })
			content := picture(6000)
			var waiting chan struct{} // in the middle of bodies
			g.size = func(string) (int64, io.Reader) {
				length := int64(-1)
				if announced {
					length = 6000
				}
				return length, io.MultiReader(bytes.NewReader(content[:5999]), &pausing{waiting, content[5999:]})
			}
			synctest.Test(t, func(t *testing.T) {
				g.open()
				waiting = make(chan struct{})
				failed := make(chan error, 10)
				s.fetchFor(t, "flood", "a.png", failed)
				s.fetchFor(t, "flood", "b.png", failed)
				for range 2 { // both are asked for, of one there is too much
					g.next <- struct{}{}
					synctest.Wait()
				}
				if len(g.asked) != 2 || budget.Held()+1 < 6000 || budget.Held() > 6000 {
					t.Errorf("%d files are asked for, %d bytes under way", len(g.asked), budget.Held())
				}
				s.fetchFor(t, "other", "c.png", failed)
				g.next <- struct{}{}
				synctest.Wait()
				if budget.Held()+2 < 12_000 || budget.Held() > 12_000 {
					t.Errorf("with another account's file %d bytes are under way", budget.Held())
				}
				waiting <- struct{}{}
				synctest.Wait()
				g.next <- struct{}{} // the one that had to wait is asked for again
				synctest.Wait()
				for range 2 {
					waiting <- struct{}{}
					synctest.Wait()
				}
				for range 3 {
					if err := <-failed; err != nil {
						t.Error(err)
					}
				}
				var asked []string
				for len(g.asked) > 0 {
					asked = append(asked, <-g.asked)
				}
				if len(asked) != 4 || budget.Held() != 0 {
					t.Errorf("asked for were %s, %d bytes are still under way", strings.Join(asked, " "), budget.Held())
				}
			})
		})
	}
}

// pausing yields its bytes when it is told to.
type pausing struct {
	next <-chan struct{}
	rest []byte
}

func (p *pausing) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	<-p.next
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

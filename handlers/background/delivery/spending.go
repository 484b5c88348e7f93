package delivery

import (
	"context"
	"sync"
	"time"

	"moviola/commands"
	"moviola/handlers/background/claims"
)

// spending measures the time that a run takes from the time limit for all destinations of a movie: the time in which a
// destination is waited for, or tried. Time that the service's own stores take does not count: a destination is not to
// blame for it. Decisions 55 and 107. It is safe for concurrent use, because senders read videos in goroutines of their own.
type spending struct {
	now func() time.Time

	mu       sync.Mutex
	spent    time.Duration // time that counts, until since
	since    time.Time     // when spent was last brought up to date
	counting bool          // a destination is waited for, or tried
	stretch  int           // number of the present stretch of counted time
	own      int           // calls of own stores that are in progress in this stretch
	told     time.Duration // part of spent that events of the run have
}

// update adds the time since the last update, if it counts. mu must be locked.
func (s *spending) update() {
	now := s.now()
	if s.counting && s.own == 0 {
		s.spent += now.Sub(s.since)
	}
	s.since = now
}

// total returns the time that counts until now.
func (s *spending) total() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update()
	return s.spent
}

// untold returns the time that counts and that no event of the run has, in whole milliseconds.
func (s *spending) untold() time.Duration { return (s.total() - s.told).Truncate(time.Millisecond) }

// begin begins to count, and returns the function that ends the counting.
func (s *spending) begin() (end func()) {
	s.count(true)
	return func() { s.count(false) }
}

func (s *spending) count(counting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update()
	s.counting, s.own = counting, 0
	s.stretch++
}

// pause stops the counting while an own store is called. It returns the function that goes on, which changes nothing once the
// counting has ended.
func (s *spending) pause() (goOn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update()
	s.own++
	stretch := s.stretch
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.stretch == stretch {
			s.update()
			s.own--
		}
	}
}

// ownFile is a stored file. The time that reading it takes does not count.
type ownFile struct {
	commands.File
	time *spending
}

// Read implements io.Reader.
func (f ownFile) Read(p []byte) (int, error) {
	defer f.time.pause()()
	return f.File.Read(p)
}

// left returns how much of the time limit for all destinations of the movie remains. Pauses between tries, and waits for a
// host, count too. Decision 55.
func (d *delivery) left() time.Duration { return d.limits.Movie - d.claim.Spent - d.time.total() }

// shortestLook is the shortest time after which a context of within looks again whether the time limit has passed.
const shortestLook = 100 * time.Millisecond

// within returns a context that ends when the time limit for all destinations has passed.
func (d *delivery) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for d.left() > 0 {
			if claims.Sleep(ctx, max(d.left(), shortestLook)) != nil {
				return
			}
		}
		cancel(context.DeadlineExceeded)
	}()
	return limited{ctx, d}, func() { cancel(context.Canceled) }
}

// limited is a context of within. Its deadline is an estimate, by which connections share the time that is left: the context
// ends later when own stores take time.
type limited struct {
	context.Context
	d *delivery
}

// Deadline implements context.Context.
func (l limited) Deadline() (time.Time, bool) { return l.d.config.Now().Add(l.d.left()), true }

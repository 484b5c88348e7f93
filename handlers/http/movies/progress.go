package movies

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// Streams configures GET /movies/progress. Each of its answers is a stream (of server-sent events), which reports on
// movies until it ends. A zero field means the default that its comment gives.
type Streams struct {
	Every time.Duration // time between two reads of a movie. Default: 1 s
	Beat  time.Duration // time between two signs of life that a stream sends. Default: 15 s
	Limit time.Duration // maximum duration of an answer; then the client sends the request again. Default: 30 min
	Total int           // maximum number of open streams. Default: 512
	Each  int           // maximum number of open streams of one account. Default: 64
}

func (s Streams) filled() Streams {
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&s.Every, time.Second}, {&s.Beat, 15 * time.Second}, {&s.Limit, 30 * time.Minute}} {
		if *d.value <= 0 {
			*d.value = d.standard
		}
	}
	if s.Total <= 0 {
		s.Total = 512
	}
	if s.Each <= 0 {
		s.Each = 64
	}
	return s
}

// streamWrite is how long a client may take to accept one event.
const streamWrite = 10 * time.Second

var errStreams = domain.Errorf(domain.Conflict, "too_many_streams", "Too many progress streams are open. Close some, or poll "+
	"GET /movies instead.")

// turnstile limits the number of open streams of GET /movies/progress.
type turnstile struct {
	mu    sync.Mutex
	total int
	each  map[domain.AccountID]int
}

// enter counts a new stream and returns the function that ends it; false when the limit is reached.
func (t *turnstile) enter(account domain.AccountID, limits Streams) (leave func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.total >= limits.Total || t.each[account] >= limits.Each {
		return nil, false
	}
	if t.each == nil {
		t.each = map[domain.AccountID]int{}
	}
	t.total++
	t.each[account]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.total--
		if t.each[account]--; t.each[account] == 0 {
			delete(t.each, account)
		}
	}, true
}

// followMovies serves GET /movies/progress: server-sent events with status and percentage. The stream ends when all named
// movies are closed; a stream of all movies of the account does not end for that reason. A stream also ends when the client
// disconnects or reads too slowly, when the process stops, and at a time limit. Decisions 32 and 74.
func (a *API) followMovies(w http.ResponseWriter, r *http.Request, c access.Call) error {
	projects, err := followed(c.Query)
	if err != nil {
		return err
	}
	f := followings{api: a, account: c.Account, all: len(projects) == 0, since: a.now()}
	for _, project := range projects {
		m, err := a.owned(r.Context(), project, c)
		if err != nil {
			return err
		}
		f.add(m)
	}
	if err := f.begin(r.Context()); err != nil {
		return err
	}
	leave, ok := a.turnstile.enter(c.Account, a.streams)
	if !ok {
		w.Header().Set("Retry-After", "5")
		web.Refuse(w, http.StatusServiceUnavailable, errStreams)
		return nil
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // keeps a proxy from buffering the stream
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	s := stream{api: a, out: http.NewResponseController(w), w: w}
	// This disables the server's read deadline, which counts from the beginning of the request and would end the stream.
	_ = s.out.SetReadDeadline(time.Time{})
	s.run(r, &f)
	return nil
}

// moment is what one server-sent event tells about a movie.
type moment struct {
	Project  string `json:"project"`
	Status   string `json:"status"`
	Success  bool   `json:"success"`
	Progress int    `json:"progress"`
	Message  string `json:"message"`
}

// stream is one open answer of GET /movies/progress.
type stream struct {
	api  *API
	out  *http.ResponseController
	w    http.ResponseWriter
	sent int
}

func (s *stream) run(r *http.Request, f *followings) {
	limits := s.api.streams
	limit, look, beat := time.NewTimer(limits.Limit), time.NewTicker(limits.Every), time.NewTicker(limits.Beat)
	defer limit.Stop()
	defer look.Stop()
	defer beat.Stop()
	for {
		if more, err := s.tellAll(r.Context(), f); err != nil || !more {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.api.stopped:
			return
		case <-limit.C:
			return
		case <-beat.C:
			if s.write(": still here\n\n") != nil {
				return
			}
		case <-look.C:
			f.refresh(r.Context())
		}
	}
}

// tellAll sends the state of the movies, and removes those that have ended. It returns false when no movies are left.
func (s *stream) tellAll(ctx context.Context, f *followings) (bool, error) {
	left := f.movies[:0]
	for _, one := range f.movies {
		// A movie whose state cannot be read now is reported in a later round.
		if now, percent, err := s.api.standing(ctx, one.movie); err == nil {
			one.movie = now
			if err := s.tell(one, percent); err != nil {
				return false, err
			}
			if now.Closed {
				continue
			}
		}
		left = append(left, one)
	}
	clear(f.movies[len(left):])
	f.movies = left
	return f.all || len(left) > 0, nil
}

// tell sends the state of a movie, unless the client has it already. The event of a closed movie is named end.
func (s *stream) tell(one *following, percent int) error {
	m := one.movie
	shown := describe(m, s.api.cfg.PublicURL, s.api.cfg.Tokens)
	data, err := web.JSON(moment{Project: m.Project, Status: m.Status, Success: shown.Success, Progress: percent,
		Message: m.Message})
	if err != nil {
		return fmt.Errorf("encode the progress of movie %s: %w", m.Project, err)
	}
	name := "progress"
	if m.Closed {
		name = "end"
	}
	text := "event: " + name + "\ndata: " + string(data) + "\n\n"
	if text == one.last {
		return nil
	}
	one.last = text
	s.sent++
	return s.write("id: " + strconv.Itoa(s.sent) + "\n" + text)
}

func (s *stream) write(text string) error {
	// A failure is ignored: a test's recorder does not support deadlines, and a real connection does.
	_ = s.out.SetWriteDeadline(time.Now().Add(streamWrite))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.out.Flush()
}

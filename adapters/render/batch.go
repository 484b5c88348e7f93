package render

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

// ticket is a window that is to be rendered once, and what has become of it.
type ticket struct {
	key    string
	window timeline.Window
	matte  bool   // what is wanted of the window is its matte
	teaser teaser // without a key: the movie's thumbnail is of another window
	path   string // where the file is to be
	count  *counter

	looked sync.Mutex // while it is looked for in the cache
	done   chan struct{}

	// Of whoever has taken it until done is closed, of everybody then.
	ended  bool // it is there
	failed error
	piece  piece

	taken bool // guarded by the queue
}

func (r *run) ticket(key string, w timeline.Window, p parts) *ticket {
	t := &ticket{
		key: key, window: w, matte: p.matte, path: filepath.Join(r.parts, key+".mp4"),
		count: &counter{to: &r.progress, frames: w.Frames},
		done:  make(chan struct{}),
	}
	if p.teaser.window == key {
		t.teaser = p.teaser
	}
	return t
}

// await waits until somebody else has rendered the window.
func (t *ticket) await(ctx context.Context) error {
	select {
	case <-t.done:
		return t.failed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// queue are the windows of a movie that are to be rendered.
type queue struct {
	mu   sync.Mutex
	open []*ticket // that nobody has taken
}

// take takes a window. false: somebody else has.
func (q *queue) take(t *ticket) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.taken {
		return false
	}
	t.taken = true
	q.open = slices.DeleteFunc(q.open, func(o *ticket) bool { return o == t })
	return true
}

// waiting are the windows that nobody has taken.
func (q *queue) waiting() []*ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.open)
}

func (q *queue) took(t *ticket) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return t.taken
}

// recall takes a window from the cache.
func (r *run) recall(q *queue, t *ticket) (bool, error) {
	t.looked.Lock()
	defer t.looked.Unlock()
	if q.took(t) {
		return false, nil
	}
	known, found, err := r.pieces.find(t.key, ".mp4", t.path)
	if err != nil || !found || !q.take(t) {
		return false, err
	}
	t.piece, t.ended = known, true
	close(t.done)
	r.warn(known.Warnings...)
	t.count.reached(t.window.Frames)
	r.countFrames(0, t.window.Frames)
	return true, nil
}

const (
	// fewFrames is how many frames of a window are encoded at most where starting the encoder costs as much as they do.
	fewFrames = 16
	// mostTogether is how many windows one process encodes at most. Each takes memory for an encoder of its own.
	mostTogether = 4
	// mostAsked is how many windows are looked at to find company for one: what they show is drawn for that.
	mostAsked = 2 * mostTogether
)

// company are windows that are encoded together with one that was taken, by one process: those of which few frames are
// encoded. They are taken too. Where there is room for several processes, none waits for another's windows.
func (r *run) company(ctx context.Context, q *queue, t *ticket) []*ticket {
	waiting := q.waiting()
	room := r.engine.limiter.room(r.plan.Width * r.plan.Height)
	most := min(mostTogether, mostTogether*pixelsHD/(r.plan.Width*r.plan.Height), (len(waiting)+room)/room)
	if most < 2 || !r.few(ctx, t) {
		return nil
	}
	// those that show the same source come first, the nearest before all: it is decoded once for them
	if len(r.playsOf(t.window)) > 0 {
		far := map[*ticket]float64{}
		for _, o := range waiting {
			far[o] = r.apart(t.window, o.window)
		}
		slices.SortStableFunc(waiting, func(a, b *ticket) int { return cmp.Compare(far[a], far[b]) })
	}
	var all []*ticket
	asked := 0
	for _, o := range waiting {
		if len(all) == most-1 || asked == mostAsked {
			break
		}
		// The cache comes first: few draws what the window shows. An error is told when the window has its turn.
		if found, err := r.recall(q, o); found || err != nil || q.took(o) {
			continue
		}
		asked++
		if r.few(ctx, o) && q.take(o) {
			all = append(all, o)
		}
	}
	return all
}

// few says that few frames of a window are encoded, and that none waits for a page.
func (r *run) few(ctx context.Context, t *ticket) bool {
	for l := range layersOf(t.window) {
		if l.Kind == timeline.HTMLLayer {
			return false
		}
	}
	ways, err := r.waysOf(ctx, t)
	return err == nil && ways[0].frames <= fewFrames
}

// renderTogether renders windows by one process, each by an encoder of its own. What does not succeed is left: by itself it
// says what is wrong.
func (r *run) renderTogether(ctx context.Context, all []*ticket) {
	if len(all) < 2 {
		return
	}
	dir, err := os.MkdirTemp(r.dir, "windows-")
	if err != nil {
		return
	}
	c := ffmpeg.Command{Dir: dir, Read: []string{r.in}, Stall: time.Duration(len(all)) * ffmpeg.DefaultStall}
	frames, warnings := make([]rests, len(all)), make([][]string, len(all))
	folder := func(i int) string { return "w" + strconv.Itoa(i) }
	shared := r.openingsOf(all)
	for i, t := range all {
		ways, err := r.waysOf(ctx, t)
		if err != nil {
			return
		}
		frames[i] = ways[0]
		err = os.Mkdir(filepath.Join(dir, folder(i)), 0o700)
		if err == nil {
			warnings[i], err = r.shoot(ctx, &c, t, frames[i], folder(i), shared)
		}
		if err != nil {
			return
		}
	}
	c.Graph = strings.Join(append(shared.chains(), c.Graph), ";\n")
	if err := r.engine.cfg.Tools.Run(ctx, c); err != nil {
		r.log.WithError(err).Debug("windows that were encoded together failed; they are rendered one by one")
		return
	}
	for i, t := range all {
		made := filepath.Join(dir, folder(i), windowFile)
		if err := r.keepTogether(ctx, t, made, frames[i], warnings[i]); err != nil {
			r.log.WithError(err).Debug("window that was encoded together with others cannot be used; it is rendered again by itself")
		}
	}
}

// keepTogether keeps the file of a window that was encoded together with others, if it has the frames that were planned.
func (r *run) keepTogether(ctx context.Context, t *ticket, made string, frames rests, warnings []string) error {
	seen, err := readTrack(made)
	if err != nil {
		return err
	}
	if seen.samples != frames.frames {
		return errTrack
	}
	if r.held() && !t.matte {
		if err := lengthen(made, frames.holds); err != nil {
			return err
		}
	}
	return r.keepWindow(ctx, t, made, warnings)
}

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
	"moviola/adapters/render/mp4file"
	"moviola/adapters/render/workspace"
	"moviola/domain/timeline"
)

// ticket is a window that has to be rendered, once for all places that show it, and the result.
type ticket struct {
	key    string
	window timeline.Window
	matte  bool   // the matte of the window is rendered, not its picture
	teaser teaser // the movie's thumbnail, if this window shows it; otherwise its key is empty
	path   string // path of the finished file of the window
	count  *counter

	looked sync.Mutex // held while the cache is searched for the window
	done   chan struct{}

	// The goroutine that renders the window, or finds it in the cache, sets ended, failed and piece only before it closes
	// done. Other goroutines read these three fields only after done is closed.
	ended  bool // the file of the window exists
	failed error
	piece  workspace.Part

	taken bool // a goroutine has taken the window; guarded by the queue's mutex
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

// await waits until another goroutine has rendered the window.
func (t *ticket) await(ctx context.Context) error {
	select {
	case <-t.done:
		return t.failed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// queue holds the windows of a movie that have to be rendered.
type queue struct {
	mu   sync.Mutex
	open []*ticket // windows that no goroutine has taken yet
}

// take reserves a window for the caller. It returns false when another goroutine has taken the window.
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

// waiting returns the windows that are not taken yet.
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

// recall looks for a window in the cache. It returns true when it has found the window and taken it from the queue as
// finished.
func (r *run) recall(q *queue, t *ticket) (bool, error) {
	t.looked.Lock()
	defer t.looked.Unlock()
	if q.took(t) {
		return false, nil
	}
	known, found, err := r.pieces.Find(t.key, ".mp4", t.path)
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
	// fewFrames is the largest number of encoded frames for which starting the encoder costs as much as encoding them.
	fewFrames = 16
	// mostTogether is the maximum of windows that one process encodes. Each needs memory for an encoder of its own.
	mostTogether = 4
	// mostAsked is how many windows are examined at most to find windows that can be encoded together with a given one.
	// Examining a window opens the layers that it shows, which takes time.
	mostAsked = 2 * mostTogether
)

// company returns windows that are to be encoded in the same ffmpeg process as the window of t, and takes them from the
// queue. It returns only windows of which at most fewFrames frames are encoded. If several ffmpeg processes can run at
// the same time, company leaves the others their share of the waiting windows.
func (r *run) company(ctx context.Context, q *queue, t *ticket) []*ticket {
	waiting := q.waiting()
	room := r.engine.limiter.Room(r.plan.Width * r.plan.Height)
	most := min(mostTogether, mostTogether*ffmpeg.PixelsHD/(r.plan.Width*r.plan.Height), (len(waiting)+room)/room)
	if most < 2 || !r.few(ctx, t) {
		return nil
	}
	// Windows that show the same source as the window of t come first, so that the source can be decoded once for several
	// of them. Among these, windows that show a nearer part of the source come first.
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
		// The cache is searched for the window before its frames are counted by r.few, which has to open the layers that
		// the window shows. An error of the search is ignored here: it is reported when the window itself is rendered.
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

// few reports whether at most fewFrames frames of a window are encoded and none of them waits for a page.
func (r *run) few(ctx context.Context, t *ticket) bool {
	for _, l := range layersOf(t.window) {
		if l.Kind == timeline.HTMLLayer {
			return false
		}
	}
	ways, err := r.waysOf(ctx, t)
	return err == nil && ways[0].frames <= fewFrames
}

// renderTogether renders windows in one process, with an encoder for each. Windows that fail are rendered again one by one, which
// shows the cause.
func (r *run) renderTogether(ctx context.Context, all []*ticket) {
	if len(all) < 2 {
		return
	}
	dir, err := os.MkdirTemp(r.dir, "windows-")
	if err != nil {
		return
	}
	c := ffmpeg.Command{Dir: dir, Read: []string{r.in}, Stall: time.Duration(len(all)) * ffmpeg.DefaultStall}
	defer func() { r.discard(c.Inputs) }()
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
			r.log.WithError(err).Debug("window that was encoded together with others cannot be used; it is rendered again alone")
		}
	}
}

// keepTogether stores the file of a window that was encoded together with others, if it has the planned number of frames.
func (r *run) keepTogether(ctx context.Context, t *ticket, made string, frames rests, warnings []string) error {
	seen, err := mp4file.ReadTrack(made)
	if err != nil {
		return err
	}
	if seen.Samples != frames.frames {
		return mp4file.ErrTrack
	}
	if r.held() && !t.matte {
		if err := mp4file.Lengthen(made, frames.holds); err != nil {
			return err
		}
	}
	return r.keepWindow(ctx, t, made, warnings)
}

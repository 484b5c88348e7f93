// Package hostile_test renders media that try to read other files, reach other hosts, or use up the machine. Reliability §6a: none
// escapes, and every bomb is bounded.
package hostile_test

import (
	"errors"
	"fmt"
	"image/color"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain"
	"moviola/tests/studio"
)

// Reliability §5 M2: a bomb may take 25 seconds, on a machine that has nothing else to do. This one has: the other tests.
const (
	bombLimit = 5 * time.Minute // what a decoder may take on a busy machine: its own limits are shorter, this one ends what hangs
	stopAfter = 2 * bombLimit
)

// The canary is a file that nobody may read: a video of this colour with a tone.
var canaryColor = color.NRGBA{R: 230, G: 0, B: 122, A: 255}

const canaryTone = 4321

// ground is a studio with a canary in another folder, and a listener that nobody may reach.
type ground struct {
	*studio.Studio
	t      *testing.T
	canary string // path of the canary
	inner  string // address of the listener
	hits   atomic.Int64
	long   bool
	begin  time.Time
	time   time.Duration // how long a corpus may take; 0: unbounded
	alone  bool          // the files name no others: nobody looks for the canary

	mu   sync.Mutex
	rows map[string]*row
}

// row is a family of the corpus in the table.
type row struct {
	cases, refused, rendered int
	slowest                  time.Duration
	slow                     string
	largest                  int64
}

func newGround(t *testing.T, change ...func(*studio.Parts)) *ground {
	t.Helper()
	g := &ground{Studio: studio.New(t, change...), t: t, rows: map[string]*row{}, long: os.Getenv("MOVIOLA_TEST_LONG") != "", begin: time.Now()}
	if given := os.Getenv("MOVIOLA_TEST_TIME"); given != "" {
		var err error
		if g.time, err = time.ParseDuration(given); err != nil {
			t.Fatalf("MOVIOLA_TEST_TIME: %v", err)
		}
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	g.inner = listener.Addr().String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			g.hits.Add(1)
			conn.Close()
		}
	}()
	g.canary = filepath.Join(t.TempDir(), "canary.ts")
	studio.Run(t, "-y", "-f", "lavfi", "-i", "color=0xe6007a:s=64x64:d=2", "-f", "lavfi", "-i", fmt.Sprintf("sine=f=%d:d=2", canaryTone),
		"-c:v", "mpeg2video", "-f", "mpegts", g.canary)
	t.Cleanup(func() {
		t.Log("\n" + g.table())
		if n := g.hits.Load(); n != 0 {
			t.Errorf("the listener was reached %d times", n)
		}
	})
	return g
}

// outcome is what became of a file: a refusal for the client, or a movie.
type outcome struct {
	refused string
	wrong   bool // it is neither, or too late, or shows what it must not
	took    time.Duration
}

// try renders a movie of one second that uses a file as an element of some type. Whatever happens, the client is told in words, the
// canary is nowhere to be seen or heard, and it is over in time.
func (g *ground) try(family, kind, name string, content []byte) outcome {
	g.t.Helper()
	o := g.render(family, kind+" "+name, using(kind, g.Serve(name, content)))
	if o.wrong { // kept for those who look into it, when asked for with -artifacts
		if err := os.WriteFile(filepath.Join(g.t.ArtifactDir(), name), content, 0o600); err != nil {
			g.t.Error(err)
		}
	}
	return o
}

// using is an element that needs a file, of the type that is named or of one that takes such files.
func using(kind, address string) studio.Object {
	switch kind {
	case "video", "image":
		return studio.Object{"type": kind, "src": address, "x": 0, "y": 0, "width": 64, "height": 64}
	case "mask":
		return studio.Object{"type": "text", "text": "x", "mask": address}
	case "font":
		return studio.Object{"type": "text", "text": "x", "settings": studio.Object{"font-url": address}}
	case "subtitles":
		return studio.Object{"type": kind, "captions": address}
	}
	return studio.Object{"type": kind, "src": address}
}

// kinds are what using knows.
var kinds = []string{"video", "image", "audio", "mask", "subtitles", "font"}

func (g *ground) render(family, name string, element studio.Object) outcome {
	g.t.Helper()
	movie := studio.Object{"width": 64, "height": 64, "fps": 5, "scenes": studio.List{
		studio.Object{"duration": 1, "elements": studio.List{element}},
	}}
	begin := time.Now()
	out, err := g.Render(movie, stopAfter)
	// Only a machine with much other work lets ffmpeg stand still. The service renders such a movie again, too.
	for try := 1; try < 3 && errors.Is(err, ffmpeg.ErrStalled); try++ {
		begin = time.Now()
		out, err = g.Render(movie, stopAfter)
	}
	done := outcome{took: time.Since(begin)}
	wrong := func(format string, args ...any) {
		g.t.Helper()
		done.wrong = true
		g.t.Errorf("%s %s", name, fmt.Sprintf(format, args...))
	}
	size := int64(0)
	var fault *domain.Error
	switch {
	case err == nil:
		defer out.Close()
		size = out.File.Size
		if !g.alone && g.shows(out.Movie) {
			wrong("shows the canary")
		}
	case !errors.As(err, &fault):
		wrong("fails with %v, which is not for the client", err)
	case strings.Contains(fault.Message, g.Dir) || strings.Contains(fault.Message, filepath.Dir(g.canary)):
		wrong("is refused with %q, which shows a path", fault.Message)
	default:
		done.refused = fault.Message
	}
	if done.took > bombLimit {
		wrong("took %v", done.took)
	}
	g.note(family, name, done, size)
	return done
}

// shows says whether the canary is seen or heard in a movie.
func (g *ground) shows(movie string) bool {
	for _, frame := range studio.Frames(g.t, movie, 64, 64, 0, 2, 4) {
		for y := 0; y < 64; y += 4 {
			for x := 0; x < 64; x += 4 {
				c := frame.NRGBAAt(x, y)
				near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 24 }
				if near(c.R, canaryColor.R) && near(c.G, canaryColor.G) && near(c.B, canaryColor.B) {
					return true
				}
			}
		}
	}
	return studio.Tone(studio.Listen(g.t, movie).Left, canaryTone) > 0.005
}

func (g *ground) note(family, name string, o outcome, size int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.rows[family]
	if r == nil {
		r = &row{}
		g.rows[family] = r
	}
	r.cases++
	if o.refused != "" {
		r.refused++
	} else {
		r.rendered++
	}
	if o.took > r.slowest {
		r.slowest, r.slow = o.took, name
	}
	r.largest = max(r.largest, size)
}

// table says what was tried and what became of it.
func (g *ground) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %6s %8s %9s %9s %9s  %s\n", "family", "cases", "refused", "rendered", "slowest", "largest", "slowest file")
	for _, family := range slices.Sorted(maps.Keys(g.rows)) {
		r := g.rows[family]
		fmt.Fprintf(&b, "%-14s %6d %8d %9d %8.1fs %8dB  %s\n", family, r.cases, r.refused, r.rendered, r.slowest.Seconds(), r.largest, r.slow)
	}
	return b.String()
}

// enough says that a corpus has used the time it was given by MOVIOLA_TEST_TIME: what is left of it is not tried.
func (g *ground) enough() bool { return g.time > 0 && time.Since(g.begin) > g.time }

// requireRefused fails unless the file is refused, whatever element it is used for.
func (g *ground) requireRefused(family, name string, content []byte) {
	g.t.Helper()
	for _, kind := range kinds {
		if o := g.try(family, kind, name, content); o.refused == "" {
			g.t.Errorf("%s renders as %s", name, kind)
		}
	}
}

// TestGround_seesTheCanary: the canary would be noticed, at any brightness of the path, if something showed it.
func TestGround_seesTheCanary(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	raw, err := os.ReadFile(g.canary)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"video", "audio"} {
		element := studio.Object{"type": kind, "src": g.Serve("canary.ts", raw), "muted": kind == "video", "width": 20, "height": 20}
		out := g.MustRender(studio.Object{"width": 64, "height": 64, "fps": 5, "scenes": studio.List{
			studio.Object{"duration": 1, "elements": studio.List{element}},
		}})
		if !g.shows(out.Movie) {
			t.Errorf("as %s the canary is not noticed", kind)
		}
	}
	plain := g.MustRender(studio.Object{"width": 64, "height": 64, "fps": 5, "scenes": studio.List{studio.Object{"duration": 1, "background-color": "#ff0000"}}})
	if g.shows(plain.Movie) {
		t.Error("the canary is seen where it is not")
	}
}

// sample makes a short file of a format.
func (g *ground) sample(name string, args ...string) []byte { return g.Generate(name, args...) }

// pattern and tone are inputs of samples: a second of moving greys, which cannot be taken for the canary, and of a sound.
var (
	pattern = []string{"-f", "lavfi", "-i", "testsrc=s=64x64:r=5:d=1,format=gray,format=yuv420p"}
	tone    = []string{"-f", "lavfi", "-i", "sine=d=1"}
)

// path keeps a file for ffmpeg.
func (g *ground) path(name string, content []byte) string {
	g.t.Helper()
	path := filepath.Join(g.Dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		g.t.Fatal(err)
	}
	return path
}

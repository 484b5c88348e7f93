package render_test

import (
	"errors"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/internal/jail/jailtest"
	"moviola/internal/quota"
)

// cache:false acts on its level: an element and a scene have their scene rendered anew, the movie all of it; what is rendered
// anew has no effect on the others. Movie-schema §7.
func TestEngine_Render_cacheFalse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	drawn := func(change func(doc object), attempt int) int64 {
		t.Helper()
		doc := fourTexts()
		if change != nil {
			change(doc)
		}
		job := b.job(doc)
		job.Attempt = attempt
		before := b.words.drawn.Load()
		out, err := b.Render(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
		return b.words.drawn.Load() - before
	}
	scene := func(doc object, n int) object { return doc["scenes"].([]object)[n] }
	for _, tt := range []struct {
		name   string
		change func(object)
		want   int64
	}{
		{"first time", nil, 4},
		{"again", nil, 0},
		{"a scene", func(doc object) { scene(doc, 1)["cache"] = false }, 1},
		{"an element", func(doc object) { scene(doc, 2)["elements"].([]object)[0]["cache"] = false }, 1},
		{"the movie", func(doc object) { doc["cache"] = false }, 4},
		{"after all that", nil, 0},
	} {
		// Each is a movie of its own: an earlier attempt at the same one would be gone on with.
		b.project = tt.name
		if got := drawn(tt.change, 1); got != tt.want {
			t.Errorf("%s: %d texts were drawn, want %d", tt.name, got, tt.want)
		}
	}
	b.project = "the movie"
	if got := drawn(func(doc object) { doc["cache"] = false }, 2); got != 0 {
		t.Errorf("a second attempt at an uncached movie drew %d texts again", got)
	}
}

func TestEngine_Sweep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e, err := render.New(render.Config{Dir: b.dir, Tools: b.media.tools, Fetcher: b.media, Text: b.words, Kept: workspace.Bounds{Bytes: 1}, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	var alive commands.Rendered
	if alive, err = e.Render(t.Context(), b.job(fourTexts())); err != nil {
		t.Fatal(err)
	}
	parts := func() int {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(b.dir, "cache", "*", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	deadDir := filepath.Join(b.dir, "jobs", "somebody", "000001-x")
	if err := os.MkdirAll(filepath.Join(deadDir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deadDir, "alive"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := parts()
	if err := e.Space().Sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if after := parts(); before == 0 || after != before {
		t.Errorf("%d of %d parts are left that were just used", after, before)
	}
	if _, err := os.Stat(deadDir); err != nil {
		t.Error("a folder was removed that has just been made")
	}
	if err := e.Space().Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if after := parts(); after != 0 {
		t.Errorf("%d parts are left in a cache of one byte", after)
	}
	if _, err := os.Stat(filepath.Dir(deadDir)); err == nil {
		t.Error("the folder of a dead attempt is still there")
	}
	if _, err := os.Stat(alive.Movie); err != nil {
		t.Errorf("the files of an attempt at work are gone: %v", err)
	}
	alive.Close()
	b.mustRender(fourTexts()) // everything can be made again
}

// TestEngine_Render_room: rendered parts that are kept are bounded as they are written. Those that find no room are not kept, and the movie is there all
// the same.
func TestEngine_Render_room(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, row := range []struct {
		most quota.Amount
		left int
	}{{quota.Amount{Files: 3}, 3}, {quota.Amount{Bytes: 100}, 0}, {quota.Amount{}, 14}} {
		dir := t.TempDir()
		e, err := render.New(render.Config{Dir: dir, Tools: b.media.tools, Fetcher: b.media, Text: b.words, Kept: workspace.Bounds{Room: quota.Limits{Account: row.most}}, Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Render(t.Context(), b.job(fourTexts()))
		if err != nil {
			t.Fatalf("%+v: %v", row.most, err)
		}
		out.Close()
		all, err := filepath.Glob(filepath.Join(dir, "cache", "*", "*", "*"))
		if err != nil || len(all) != row.left {
			t.Errorf("%+v: %d files are kept, want %d (%v)", row.most, len(all), row.left, err)
		}
		if refused := e.Space().Room().Status().Refused.Account; (refused > 0) != (row.most != quota.Amount{}) {
			t.Errorf("%+v: %d refusals", row.most, refused)
		}
	}
}

// A folder whose process has died is no longer locked, whoever looks.
func TestEngine_Sweep_seesLocks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	dir := filepath.Join(b.dir, "jobs", "somebody", "000001-x")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(dir, "alive"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := b.Space().Sweep(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal("the folder of an attempt at work was removed")
	}
	// Closed alone, it would stay locked for as long as a process that is just being started holds a copy of it.
	if err := errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_UN), lock.Close()); err != nil {
		t.Fatal(err)
	}
	if err := b.Space().Sweep(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder of a dead attempt is still there")
	}
}

// A movie that is rendered again, of which nothing has changed that is seen or heard, needs no process: neither ffmpeg nor ffprobe is
// there any more.
func TestEngine_Render_sameMovieStartsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.media.kept = true
	b.paint("red.png", 40, 30, color.NRGBA{200, 30, 60, 255})
	programs := t.TempDir()
	links := map[string]string{}
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		links[name] = filepath.Join(programs, name)
		if err := os.Symlink(real, links[name]); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := ffmpeg.Open(t.Context(), ffmpeg.Config{FFmpeg: links["ffmpeg"], FFprobe: links["ffprobe"], Jail: jailtest.New(t), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	b.Engine = b.engine(tools, 2)
	doc := fourTexts()
	doc["thumbnail"] = 3
	doc["elements"] = []object{{"type": "image", "src": "red.png", "duration": -2, "settings": object{"strange": 1}}}
	first := b.mustRender(doc)
	for _, link := range links {
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	doc["comment"], b.project = "not seen", "another"
	second := b.mustRender(doc)
	if !cmp.Equal(mustRead(t, first.Movie), mustRead(t, second.Movie)) || !cmp.Equal(mustRead(t, first.Thumbnail), mustRead(t, second.Thumbnail)) {
		t.Error("the files differ")
	}
	ignore := cmpopts.IgnoreFields(commands.Rendered{}, "Movie", "Thumbnail", "Close")
	if diff := cmp.Diff(first, second, ignore); diff != "" {
		t.Errorf("what is said of it (-first +second):\n%s", diff)
	}
	doc["scenes"].([]object)[1]["duration"] = 3
	if _, err := b.Render(t.Context(), b.job(doc)); err == nil {
		t.Error("another movie was made without ffmpeg")
	}
}

// What stands still looks the same wherever it is cut: of forty seconds of it one window is rendered.
func TestEngine_Render_standingStillIsRenderedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	still := object{"type": "text", "text": "x", "x": 0, "y": 0, "width": 32, "height": 32, "settings": object{"color": "#ff0000"}, "duration": 40}
	out := b.mustRender(object{"width": 64, "height": 64, "fps": 10, "elements": []object{still}})
	for _, n := range []int{0, 150, 399} {
		requireColor(t, "the text", frame(t, out.Movie, n), 16, 16, [3]int{255, 0, 0}, 4)
	}
	if parts := cached(t, b.dir); len(parts) != 4 {
		t.Errorf("the cache holds %d files, want one window, the sound, the whole and its thumbnail", len(parts))
	}
}

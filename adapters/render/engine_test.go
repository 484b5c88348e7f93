package render_test

import (
	"context"
	"errors"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
)

// threeScenes is the movie of the road: picture and text, video and text, colour and sound, music over all.
func threeScenes(b *bench) object {
	b.paint("red.png", 400, 300, color.NRGBA{200, 30, 60, 255})
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=3", "-f", "lavfi", "-i", "sine=f=300:d=3",
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest")
	b.generate("music.wav", "-f", "lavfi", "-i", "sine=f=441:d=20:r=44100")
	b.generate("voice.wav", "-f", "lavfi", "-i", "sine=f=1000:d=1")
	return object{
		"width": 640, "height": 360, "fps": 25,
		"elements": []object{
			{"type": "audio", "src": "music.wav", "duration": -2, "volume": 0.5},
			{"type": "text", "text": "over all", "settings": object{"color": "#00ff00"}, "x": 600, "y": 320, "width": 40, "height": 40},
		},
		"scenes": []object{
			{"background-color": "#102030", "duration": 2, "elements": []object{
				{"type": "image", "src": "red.png", "x": 100, "y": 50, "width": 200, "height": 150},
				{"type": "text", "text": "title", "settings": object{"color": "#ffffff"}, "x": 250, "y": 51, "width": 151, "height": 50},
			}},
			{"duration": 3, "elements": []object{
				{"type": "video", "src": "clip.mp4", "x": 0, "y": 0, "width": 640, "height": 360},
				{"type": "text", "text": "lower third", "settings": object{"color": "#ffffff"}, "x": 41, "y": 301, "width": 200, "height": 40, "start": 1, "duration": 1},
			}},
			{"background-color": "#FF8800", "duration": 2, "elements": []object{
				{"type": "audio", "src": "voice.wav", "start": 0.5},
			}},
		},
	}
}

func TestEngine_Render_threeScenes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	job := b.job(threeScenes(b))
	var planned movie.Dimensions
	job.Planned = func(_ context.Context, p movie.Dimensions, _ []string) error { planned = p; return nil }
	var percents []float64
	job.Progress = func(p float64) { percents = append(percents, p) }
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()

	want := movie.File{
		Size: sizeOf(t, out.Movie), Codec: "h264", CodecType: "video", PixelFormat: "yuv420p", VideoStreams: 1, AudioStreams: 1,
		FrameRate: 25, ColorTransfer: "bt709", ColorPrimaries: "bt709", ColorSpace: "bt709",
		Loudness: out.File.Loudness, // TestEngine_Render_truePeakIsAtMostMinusOne measures it
	}
	if loud := out.File.Loudness; loud == nil || loud.Integrated == nil || loud.TruePeak > -1 || *loud.Integrated > loud.TruePeak {
		t.Errorf("loudness %+v", loud)
	}
	if diff := cmp.Diff(want, out.File); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	plan := movie.Dimensions{Width: 640, Height: 360, Frames: 175, FPSNum: 25, FPSDen: 1}
	if diff := cmp.Diff([]movie.Dimensions{plan, plan}, []movie.Dimensions{out.Plan, planned}); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	requireGrowing(t, percents)
	requirePictures(t, out.Movie)
	requireSounds(t, out.Movie)

	f, err := os.Open(out.Thumbnail)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if config, err := jpeg.DecodeConfig(f); err != nil || config.Width != 640 || config.Height != 360 {
		t.Errorf("thumbnail is %d × %d (%v), want 640 × 360", config.Width, config.Height, err)
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func requireGrowing(t *testing.T, percents []float64) {
	t.Helper()
	last := 0.0
	for _, p := range percents {
		if p <= last || p > 100 {
			t.Fatalf("progress is %v", percents)
		}
		last = p
	}
	if last != 100 {
		t.Errorf("progress ends at %v", percents)
	}
}

// requirePictures checks what lies where in each scene, and at the frames beside each border.
func requirePictures(t *testing.T, path string) {
	t.Helper()
	white, red, green, dark, orange := [3]int{255, 255, 255}, [3]int{200, 30, 60}, [3]int{0, 255, 0}, [3]int{16, 32, 48}, [3]int{255, 136, 0}
	for _, n := range []int{0, 30, 49} {
		img := frame(t, path, n)
		requireColor(t, "image", img, 150, 150, red, 2)
		requireColor(t, "text over image", img, 275, 75, white, 2)
		requireColor(t, "text beside image", img, 350, 75, white, 2)
		requireColor(t, "background", img, 50, 300, dark, 2)
		requireColor(t, "movie's text", img, 620, 340, green, 2)
	}
	for n, shown := range map[int]bool{50: false, 74: false, 75: true, 99: true, 100: false, 124: false} {
		img := frame(t, path, n)
		requireColor(t, "movie's text", img, 620, 340, green, 2)
		if got := mean(img, 140, 320, 4); (got[2] > 200) != shown {
			t.Errorf("frame %d: the lower third is %v, shown %v", n, got, shown)
		}
	}
	for _, n := range []int{125, 150, 174} {
		img := frame(t, path, n)
		requireColor(t, "background", img, 300, 100, orange, 2)
		requireColor(t, "movie's text", img, 620, 340, green, 2)
	}
}

// requireSounds checks which tones are heard when.
func requireSounds(t *testing.T, path string) {
	t.Helper()
	s := listen(t, path)
	if want := 7 * 48000; len(s) < want || len(s) > want+2048 {
		t.Errorf("sound has %d samples, want %d", len(s), want)
	}
	for second := range 7 {
		if level := s.tone(441, float64(second)+0.05, float64(second)+0.95); level < 0.03 {
			t.Errorf("music has level %.4f in second %d", level, second)
		}
	}
	for _, tt := range []struct {
		hz, from, to float64
		heard        bool
	}{
		{300, 0.1, 1.9, false}, {300, 2.1, 4.9, true}, {300, 5.1, 6.9, false},
		{1000, 0.1, 5.4, false}, {1000, 5.6, 6.4, true}, {1000, 6.6, 6.95, false},
	} {
		if level := s.tone(tt.hz, tt.from, tt.to); (level > 0.05) != tt.heard || (!tt.heard && level > 0.005) {
			t.Errorf("%g Hz from %g to %g s has level %.4f, heard %v", tt.hz, tt.from, tt.to, level, tt.heard)
		}
	}
}

func TestEngine_Render_sameMovieComesFromTheCache(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := threeScenes(b)
	first := b.mustRender(doc)
	drawn := b.words.drawn.Load()
	second := b.mustRender(doc)
	if again := b.words.drawn.Load(); again != drawn {
		t.Errorf("%d texts were drawn again", again-drawn)
	}
	if a, b := mustRead(t, first.Movie), mustRead(t, second.Movie); !cmp.Equal(a, b) {
		t.Errorf("the same movie has %d and %d bytes, or other ones", len(a), len(b))
	}
	// One changed caption renders one window: its text and that of the movie are drawn, in that window alone.
	doc["scenes"].([]object)[0]["elements"].([]object)[1]["text"] = "another title"
	b.mustRender(doc)
	if again := b.words.drawn.Load(); again != drawn+2 {
		t.Errorf("%d texts were drawn for one changed scene, want 2", again-drawn)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// fourTexts is a movie of four scenes, each with a text of its own.
func fourTexts() object {
	var scenes []object
	for _, text := range []string{"a", "b", "c", "d"} {
		scenes = append(scenes, object{"duration": 2, "elements": []object{
			{"type": "text", "text": text, "settings": object{"color": "#ffffff"}, "x": 0, "y": 0, "width": 100, "height": 100},
		}})
	}
	return object{"width": 320, "height": 240, "scenes": scenes}
}

// fadingTexts is fourTexts with so many moving frames that no window is encoded together with another.
func fadingTexts() object {
	doc := fourTexts()
	for _, scene := range doc["scenes"].([]object) {
		scene["elements"].([]object)[0]["fade-in"] = 1
	}
	return doc
}

func TestEngine_Render_resumesFromFinishedWindows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	alone := b.engine(b.media.tools, 1) // one window at a time
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.words.onDraw = func(n int64) {
		if n == 3 {
			cancel()
		}
	}
	_, err := alone.Render(ctx, b.job(fadingTexts()))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("render ended with %v", err)
	}
	requireNoLeftovers(t, b.dir)
	job := b.job(fadingTexts())
	job.Attempt = 2
	out, err := alone.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	// Two windows were finished when the third was drawn; the second attempt draws the third and the fourth.
	if n := b.words.drawn.Load(); n != 5 {
		t.Errorf("%d texts were drawn in both attempts, want 5", n)
	}
	requireNoLeftovers(t, b.dir)
}

// requireNoLeftovers checks that nothing of an attempt stays, and that every part in the cache is whole.
func requireNoLeftovers(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(dir, "jobs")); err != nil || len(left) > 0 {
		t.Errorf("the jobs folder holds %v (%v)", left, err)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "cache", "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		name, ext := strings.TrimSuffix(part, filepath.Ext(part)), filepath.Ext(part)
		if _, err := os.Stat(name + ".json"); err != nil || !slices.Contains([]string{".mp4", ".m4a", ".jpg", ".json"}, ext) {
			t.Errorf("the cache holds %s: %v", part, err)
		}
	}
}

func TestEngine_Render_cancelEndsFFmpeg(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("long.mp4", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30:d=10", "-c:v", "libx264", "-preset", "ultrafast")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	job := b.job(object{"width": 1920, "height": 1080, "fps": 60, "scenes": []object{
		{"duration": 10, "elements": []object{{"type": "video", "src": "long.mp4"}}},
	}})
	job.Progress = func(float64) { cancel() } // ffmpeg is in the middle of its work
	if _, err := b.Render(ctx, job); !errors.Is(err, context.Canceled) {
		t.Fatalf("render ended with %v", err)
	}
	requireNoProcess(t, b.dir)
	requireNoLeftovers(t, b.dir)
}

// requireNoProcess checks that no process names the folder.
func requireNoProcess(t *testing.T, dir string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatalf("cannot list processes: %v", err)
	}
	for _, line := range lines {
		if said, err := os.ReadFile(line); err == nil && strings.Contains(string(said), dir) {
			t.Errorf("%s is still there: %q", line, said)
		}
	}
}

func TestEngine_Render_errors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.paint("red.png", 40, 30, color.NRGBA{200, 30, 60, 255})
	b.generate("tone.wav", "-f", "lavfi", "-i", "sine=d=1")
	refused := errors.New("no credits")
	tests := []struct {
		name    string
		doc     object
		planned error
		want    string
		client  bool // the error is for the client
	}{
		{"missing asset", object{"scenes": []object{
			{"elements": []object{{"type": "image", "src": "red.png"}}},
			{"elements": []object{{"type": "image", "src": "red.png"}, {"type": "video", "src": "gone.mp4"}}},
		}}, nil, "Scene #2, element #2: Failed to download 'gone.mp4' (404)", true},
		{"missing asset of the movie", object{"elements": []object{{"type": "audio", "src": "gone.wav"}}}, nil,
			"Movie, element #1: Failed to download 'gone.wav' (404)", true},
		{"image as video", object{"elements": []object{{"type": "video", "src": "red.png"}}}, nil,
			"Movie, element #1: The URL provided is not a video file and cannot be used as a source for a video element", true},
		{"sound as image", object{"elements": []object{{"type": "image", "src": "tone.wav"}}}, nil,
			"Movie, element #1: The URL provided is not an image file and cannot be used as a source for an image element", true},
		{"no source", object{"scenes": []object{{"elements": []object{{"type": "video"}}}}}, nil,
			"Scene #1 Element #1: The element type 'video' requires a 'src' property.", true},
		{"refused when planned", object{"scenes": []object{{"duration": 1}}}, refused, "no credits", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := b.job(tt.doc)
			job.Planned = func(context.Context, movie.Dimensions, []string) error { return tt.planned }
			_, err := b.Render(t.Context(), job)
			if err == nil || err.Error() != tt.want {
				t.Fatalf("error is %v, want %q", err, tt.want)
			}
			var client *domain.Error
			if errors.As(err, &client) != tt.client || (tt.planned != nil && !errors.Is(err, tt.planned)) {
				t.Errorf("error is a %T", err)
			}
		})
	}
	requireNoLeftovers(t, b.dir)
}

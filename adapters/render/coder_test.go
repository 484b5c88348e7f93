package render_test

import (
	"bytes"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/Eyevinn/mp4ff/mp4"

	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/commands"
	"moviola/internal/jail/jailtest"
)

// card makes an engine of the bench whose windows a played graphics card encodes.
func (b *bench) card(broken string) *render.Engine {
	b.t.Helper()
	cfg := ffmpegtest.Card(b.t, broken)
	cfg.Jail, cfg.Log = jailtest.New(b.t), quiet()
	tools, err := ffmpeg.Open(b.t.Context(), cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	encoder, err := tools.FindEncoder(b.t.Context(), ffmpeg.VAAPI)
	if err != nil || !encoder.Hardware() {
		b.t.Fatalf("the played card is not found: %v", err)
	}
	e, err := render.New(render.Config{
		Dir: b.dir, Tools: tools, Fetcher: b.media, Text: b.words, Cores: 2, HeldPictures: true, Log: quiet(), Encoder: encoder,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// made renders a movie by an engine and returns how many frames were encoded and how many found.
func (b *bench) made(e *render.Engine, doc object, change ...func(*commands.RenderJob)) (out commands.Rendered, encoded, cached int64, err error) {
	var fresh, found atomic.Int64
	job := b.job(doc)
	job.Frames = func(e, c int64) { fresh.Add(e); found.Add(c) }
	for _, c := range change {
		c(&job)
	}
	out, err = e.Render(b.t.Context(), job)
	if err == nil {
		b.t.Cleanup(out.Close)
	}
	return out, fresh.Load(), found.Load(), err
}

// profiles are H.264's numbers of profiles: the played card writes Main.
const (
	mainProfile = 77
	highProfile = 100
)

// A movie of a card comes from the card alone, and its frames are right; no picture is held. Another process without the card makes
// all of it anew, also what the card has finished.
func TestEngine_Render_card(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := fourTexts()
	out, encoded, cached, err := b.made(b.card(""), doc)
	if err != nil {
		t.Fatal(err)
	}
	if encoded != out.Plan.Frames || cached != 0 {
		t.Errorf("%d frames encoded and %d found of %d", encoded, cached, out.Plan.Frames)
	}
	requireProfile(t, out.Movie, mainProfile)
	if held := slightIn(t, out.Movie); held > 0 {
		t.Errorf("%d pictures are held", held)
	}
	again, encoded, cached, err := b.made(b.card(""), doc)
	if err != nil || encoded != 0 || cached != again.Plan.Frames {
		t.Errorf("again: %d frames encoded and %d found of %d, %v", encoded, cached, again.Plan.Frames, err)
	}
	plain, encoded, cached, err := b.made(b.Engine, doc)
	if err != nil || encoded != plain.Plan.Frames || cached != 0 {
		t.Errorf("by x264: %d frames encoded and %d found of %d, %v", encoded, cached, plain.Plan.Frames, err)
	}
	requireProfile(t, plain.Movie, highProfile)
	if held := slightIn(t, plain.Movie); held == 0 {
		t.Error("x264's movie holds no picture")
	}
	for _, n := range []int{0, 60, 199} {
		text := frame(t, out.Movie, n)
		requireColor(t, "the text", text, 50, 50, [3]int{255, 255, 255}, 6)
		requireColor(t, "beside it", text, 250, 200, [3]int{0, 0, 0}, 6)
	}
}

// A movie that a card has begun, and that goes on where there is none, comes from x264 alone.
func TestEngine_Render_cardGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := fourTexts()
	wanted := make(chan struct{})
	close(wanted)
	_, begun, _, err := b.made(b.card(""), doc, func(j *commands.RenderJob) { j.Share = wanted })
	if err == nil || begun == 0 {
		t.Fatalf("the first attempt: %d frames, %v; it gives way after a window", begun, err)
	}
	out, encoded, cached, err := b.made(b.Engine, doc, func(j *commands.RenderJob) { j.Attempt = 2 })
	if err != nil || encoded != out.Plan.Frames || cached != 0 {
		t.Fatalf("the second: %d frames encoded and %d found of %d, %v", encoded, cached, out.Plan.Frames, err)
	}
	requireProfile(t, out.Movie, highProfile)
}

// A card that fails in the middle of a movie leaves all of it to x264, also what it has finished before.
func TestEngine_Render_cardFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	wanted := make(chan struct{})
	close(wanted)
	if _, begun, _, err := b.made(b.card(""), fourTexts(), func(j *commands.RenderJob) { j.Share = wanted }); err == nil || begun == 0 {
		t.Fatalf("the first attempt: %d frames, %v; it gives way after a window", begun, err)
	}
	last := 0.0
	broken := b.card(`[[ $PWD == / ]] || { echo "out of surfaces" >&2; exit 1; }`) // the trial has no folder
	out, encoded, _, err := b.made(broken, fourTexts(), func(j *commands.RenderJob) {
		j.Attempt = 2
		j.Progress = func(percent float64) {
			if percent < last || percent > 100 {
				t.Errorf("progress goes from %v to %v", last, percent)
			}
			last = percent
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if encoded != out.Plan.Frames {
		t.Errorf("%d of %d frames are x264's", encoded, out.Plan.Frames)
	}
	requireProfile(t, out.Movie, highProfile)
}

// requireProfile asserts that every part of a file is of a profile of H.264.
func requireProfile(t *testing.T, path string, want byte) {
	t.Helper()
	f, err := mp4.ReadMP4File(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range f.Moov.Trak.Mdia.Minf.Stbl.Stsd.AvcX.AvcC.SPSnalus {
		if set[1] != want {
			t.Errorf("profile %d, want %d", set[1], want)
		}
	}
}

// slightIn is the number of pictures of a file that no other refers to, as held ones are.
func slightIn(t *testing.T, path string) int {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-c", "copy", "-an", "-bsf:v",
		"h264_mp4toannexb,filter_units=pass_types=1", "-f", "h264", "pipe:1").Output()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, unit := range bytes.Split(raw, []byte{0, 0, 1})[1:] {
		if unit[0]&0x60 == 0 {
			count++
		}
	}
	return count
}

// A card that fails while the sound is still being mixed leaves the movie to x264: the sound is mixed anew.
func TestEngine_Render_cardFailsBesideTheSound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("long.wav", "-f", "lavfi", "-i", "sine=frequency=440:duration=240", "-ar", "48000")
	broken := b.card(`[[ $PWD == / ]] || { echo "out of surfaces" >&2; exit 1; }`) // the trial has no folder
	out, _, _, err := b.made(broken, object{"width": 320, "height": 240, "fps": 1, "elements": []object{
		{"type": "audio", "src": "long.wav", "duration": 240}, {"type": "text", "text": "Long", "duration": 240},
	}})
	if err != nil {
		t.Fatal(err)
	}
	requireProfile(t, out.Movie, highProfile)
	if out.File.Loudness == nil {
		t.Error("the movie is silent")
	}
}

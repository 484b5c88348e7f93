package outputs_test

import (
	"archive/zip"
	"image"
	"image/gif"
	_ "image/jpeg"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/adapters/render/outputs"
	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/movie"
)

// The movie of the tests: two seconds red, then two seconds blue, with a tone.
const (
	width, height, fps, length = 320, 180, 25, 4
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newMovie makes the MP4 of a movie, of the form that the renderer makes.
func newMovie(t *testing.T, sound bool) commands.OutputJob {
	t.Helper()
	path := filepath.Join(t.TempDir(), "movie.mp4")
	args := []string{"-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "color=red:s=320x180:r=25:d=2", "-f", "lavfi", "-i", "color=blue:s=320x180:r=25:d=2"}
	graph := "[0:v][1:v]concat=n=2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p[v]"
	if sound {
		args = append(args, "-f", "lavfi", "-i", "sine=440:r=48000:d=4")
	}
	args = append(args, "-filter_complex", graph, "-map", "[v]")
	if sound {
		args = append(args, "-map", "2:a", "-c:a", "aac")
	}
	args = append(args, "-c:v", "libx264", "-g", "25", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", path)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("make a movie: %v\n%s", err, out)
	}
	return commands.OutputJob{Movie: path, Sound: sound, Still: 75, Plan: movie.Dimensions{Width: width, Height: height, Frames: length * fps, FPSNum: fps, FPSDen: 1}}
}

// TestMake makes every format, in the sandbox, and probes or reads what was made.
func TestMake(t *testing.T) {
	t.Parallel()
	job := newMovie(t, true)
	job.Formats = []string{
		document.OutputGIF, document.OutputPNG, document.OutputJPG, document.OutputPNGSequence, document.OutputMP3, document.OutputWAV, document.OutputM4A,
		document.OutputHLS, document.OutputStoryboard, document.OutputWebM, document.OutputHEVC, document.OutputAV1,
	}
	tools := ffmpegtest.Tools(t)
	made, err := outputs.New(outputs.Config{Tools: tools, Limit: time.Hour}).Make(t.Context(), job) // machines of tests may be slow
	must(t, err)
	byFormat := map[string]movie.Output{}
	for _, o := range made {
		byFormat[o.Format] = o
		if o.Status != movie.OutputDone || len(o.Files) == 0 {
			t.Fatalf("%+v", o)
		}
		for _, f := range o.Files {
			if f.Size <= 0 || filepath.Base(f.Key) != f.Name {
				t.Errorf("%s: %+v", o.Format, f)
			}
		}
	}
	path := func(format string, file int) string { return byFormat[format].Files[file].Key }

	for format, want := range map[string]struct{ demuxer, video, audio string }{
		document.OutputMP3: {"mp3", "", "mp3"}, document.OutputWAV: {"wav", "", "pcm_s16le"}, document.OutputM4A: {"mov", "", "aac"},
		document.OutputWebM: {"matroska", "vp9", "opus"}, document.OutputHEVC: {"mov", "hevc", "aac"}, document.OutputAV1: {"mov", "av1", "aac"},
		document.OutputGIF: {"gif", "gif", ""}, document.OutputHLS: {"hls", "h264", "aac"},
	} {
		m := probe(t, path(format, 0))
		if m.video != want.video || m.audio != want.audio {
			t.Errorf("%s: video %q, sound %q", format, m.video, m.audio)
		}
		if math.Abs(m.duration-length) > 0.15 || math.Abs(byFormat[format].Duration-length) > 0.001 {
			t.Errorf("%s lasts %v s, %v s in the answer", format, m.duration, byFormat[format].Duration)
		}
	}
	checkGIF(t, path(document.OutputGIF, 0))
	for _, format := range []string{document.OutputPNG, document.OutputJPG} { // frame 75 is blue
		wantColor(t, format, decode(t, path(format, 0)), image.Pt(width/2, height/2), false)
	}
	checkFrames(t, path(document.OutputPNGSequence, 0))
	checkStoryboard(t, path(document.OutputStoryboard, 0), path(document.OutputStoryboard, 1))
}

func checkGIF(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	g, err := gif.DecodeAll(f)
	must(t, err)
	if len(g.Image) != length*15 || g.Config.Width != width {
		t.Errorf("the GIF has %d pictures, %d wide", len(g.Image), g.Config.Width)
	}
	wantColor(t, "gif", g.Image[0], image.Pt(width/2, height/2), true)
	wantColor(t, "gif", g.Image[2*15], image.Pt(width/2, height/2), false) // the colour that stays until the end
}

func checkFrames(t *testing.T, path string) {
	t.Helper()
	archive, err := zip.OpenReader(path)
	must(t, err)
	defer func() { must(t, archive.Close()) }()
	if len(archive.File) != length*fps || archive.File[0].Name != "frame-00001.png" {
		t.Fatalf("%d pictures, the first is %s", len(archive.File), archive.File[0].Name)
	}
	for number, red := range map[int]bool{0: true, length*fps - 1: false} {
		f, err := archive.File[number].Open()
		must(t, err)
		picture, err := png.Decode(f)
		must(t, err)
		wantColor(t, archive.File[number].Name, picture, image.Pt(10, 10), red)
	}
}

func checkStoryboard(t *testing.T, cues, sheet string) {
	t.Helper()
	text, err := os.ReadFile(cues)
	must(t, err)
	want := "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nstoryboard.jpg#xywh=0,0,160,90\n\n00:00:01.000 --> 00:00:02.000\nstoryboard.jpg#xywh=160,0,160,90\n" +
		"\n00:00:02.000 --> 00:00:03.000\nstoryboard.jpg#xywh=320,0,160,90\n\n00:00:03.000 --> 00:00:04.000\nstoryboard.jpg#xywh=480,0,160,90\n"
	if string(text) != want {
		t.Errorf("cues:\n%s", text)
	}
	picture := decode(t, sheet)
	if picture.Bounds().Dx() != 4*160 || picture.Bounds().Dy() != 90 {
		t.Errorf("the sheet is %v", picture.Bounds())
	}
	for i, red := range []bool{true, true, false, false} {
		wantColor(t, "storyboard", picture, image.Pt(i*160+80, 45), red)
	}
}

// wantColor checks that a point is red, or else blue.
func wantColor(t *testing.T, what string, picture image.Image, at image.Point, red bool) {
	t.Helper()
	r, g, b, _ := picture.At(at.X, at.Y).RGBA()
	strong, weak := r>>8, b>>8
	if !red {
		strong, weak = weak, strong
	}
	if strong < 245 || weak > 12 || g>>8 > 12 {
		t.Errorf("%s at %v: %d %d %d", what, at, r>>8, g>>8, b>>8)
	}
}

func decode(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	picture, _, err := image.Decode(f)
	must(t, err)
	return picture
}

type probed struct {
	video, audio string
	duration     float64
}

// probe asks the machine's own ffprobe, with whatever demuxer it finds.
func probe(t *testing.T, path string) probed {
	t.Helper()
	var p probed
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-allowed_extensions", "ALL", "-show_entries", "stream=codec_type,codec_name", "-of", "csv=p=0", path).Output()
	if err != nil { // the option belongs to HLS only
		out, err = exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,codec_name", "-of", "csv=p=0", path).Output()
	}
	must(t, err)
	for line := range strings.Lines(string(out)) {
		codec, kind, _ := strings.Cut(strings.TrimSpace(line), ",")
		switch {
		case strings.HasPrefix(kind, "video"):
			p.video = codec
		case strings.HasPrefix(kind, "audio"):
			p.audio = codec
		}
	}
	out, err = exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path).Output()
	must(t, err)
	d, err := time.ParseDuration(strings.TrimSpace(string(out)) + "s")
	must(t, err)
	p.duration = d.Seconds()
	return p
}

// TestMake_refused: what cannot be made says why, and what comes after it is made.
func TestMake_refused(t *testing.T) {
	t.Parallel()
	maker := outputs.New(outputs.Config{Tools: ffmpegtest.Tools(t)})
	silent := newMovie(t, false)
	silent.Formats = []string{document.OutputMP3, "hologram", document.OutputJPG}
	long := silent
	long.Plan.Frames, long.Formats = 61*fps, []string{document.OutputGIF}
	many := silent
	many.Plan.Frames, many.Formats = 3001, []string{document.OutputPNGSequence}
	late := silent
	late.Until, late.Formats = time.Now().Add(-time.Second), []string{document.OutputWebM}
	hurried := outputs.New(outputs.Config{Tools: ffmpegtest.Tools(t), Limit: 1})
	short := newMovie(t, false)
	short.Until, short.Formats = time.Now().Add(time.Hour), []string{document.OutputWebM}
	for _, row := range []struct {
		job  commands.OutputJob
		want []string
	}{
		{silent, []string{"The movie has no sound", "There is no output format 'hologram'", ""}},
		{long, []string{"A GIF can be at most 60 s long: take webm for longer movies"}},
		{many, []string{"A sequence of pictures can have at most 3000, the movie has 3001: take fewer frames per second, or a shorter movie"}},
		{late, []string{"It could not be made in time: the time limit of the movie was reached"}},
		{short, []string{"It could not be made in time: all outputs of a movie together have 1ns"}},
	} {
		maker := maker
		if row.job.Movie == short.Movie {
			maker = hurried
		}
		made, err := maker.Make(t.Context(), row.job)
		must(t, err)
		var got []string
		for _, o := range made {
			got = append(got, o.Message)
			if (o.Status == movie.OutputDone) != (o.Message == "") {
				t.Errorf("%+v", o)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%v: %q, want %q", row.job.Formats, got, row.want)
		}
	}
}

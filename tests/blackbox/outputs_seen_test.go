package blackbox_test

import (
	"archive/zip"
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // stills and storyboards are decoded
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// seenMovie has a colour for each second, a box that comes and goes, and a voice.
var seenMovie = object{
	"width": 320, "height": 180, "scenes": list{
		object{"duration": 1, "background-color": "#B03030"}, object{"duration": 1, "background-color": "#30A040"},
		object{"duration": 1, "background-color": "#3050C0"},
	},
	"elements": list{
		object{"type": "text", "text": "{{ 1 + 1 }} pictures", "duration": 3,
			"settings": object{"font-size": "30px", "color": "#FFFFFF"}},
		object{"type": "component", "component": "shape/rectangle", "start": 0.2, "duration": 1.5, "x": 40, "y": 120, "width": 60,
			"height": 40, "settings": object{"rectangle1": object{"background": "#FFD000"}}},
		object{"type": "voice", "text": "One. Two. Three.", "start": 0, "duration": 3},
	},
	"exports": list{
		object{"format": list{"webm", "gif", "hls", "storyboard", "png-sequence", "png", "jpg", "mp3"}, "codec": "hevc"},
	},
}

// TestOutputs_seen: what is made beside a movie shows its moments. Pictures of the outputs are laid beside those of the movie.
func TestOutputs_seen(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("seen", 600)
	movies := map[string]harness.Movie{}
	for _, codec := range []string{"hevc", "av1"} {
		asked := object{"exports": list{object{"codec": codec}}}
		for name, value := range seenMovie {
			if name != "exports" || codec == "hevc" {
				asked[name] = value
			}
		}
		movies[codec] = client.WaitFor(client.Submit(asked), "done")
	}
	dir := os.Getenv("MOVIOLA_TEST_OUTPUTS") // to be looked at
	if dir == "" {
		dir = t.TempDir()
	}
	fetch := func(address, name string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, client.Download(address, nil).Body, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	video := fetch(*movies["hevc"].URL, "movie.mp4")
	made := map[string]string{}
	for _, o := range append(movies["hevc"].Outputs, movies["av1"].Outputs...) {
		if o.Status != "done" || o.URL == nil {
			t.Errorf("%+v", o)
			continue
		}
		made[o.Format] = fetch(*o.URL, (*o.URL)[strings.LastIndexByte(*o.URL, '/')+1:])
		for of, second := range map[string]string{"hls": "video.ts", "storyboard": "storyboard.jpg"} {
			if o.Format == of {
				fetch(beside(*o.URL, second), second)
			}
		}
	}
	if len(made) != 10 {
		t.Fatalf("made: %v", made)
	}
	for format, codec := range map[string]string{"mp4-hevc": "hevc", "mp4-av1": "av1", "webm": "vp9", "gif": "gif", "hls": "h264"} {
		stream := harness.ProbeFile(t, made[format]).Streams[0]
		if stream.CodecName != codec {
			t.Errorf("%s holds %s", format, stream.CodecName)
		}
		for _, at := range []float64{0.5, 1.5, 2.5} {
			alike(t, format, harness.Frame(t, made[format], at), harness.Frame(t, video, at))
		}
	}
	if sound := harness.ProbeFile(t, made["mp3"]).Streams; len(sound) != 1 || sound[0].CodecName != "mp3" {
		t.Errorf("mp3: %+v", sound)
	}
	sheet := decodePicture(t, filepath.Join(dir, "storyboard.jpg"))
	for second := range 3 { // a picture shows the middle of its second
		tile := image.NewNRGBA(image.Rect(0, 0, 160, 90))
		for i := range 160 * 90 {
			tile.Set(i%160, i/160, sheet.At(160*second+i%160, i/160))
		}
		alike(t, "storyboard", tile, halved(harness.Frame(t, video, float64(second)+0.48)))
	}
	archive, err := zip.OpenReader(made["png-sequence"])
	if err != nil || len(archive.File) != 75 {
		t.Fatalf("the sequence: %v", err)
	}
	defer func() { _ = archive.Close() }()
	file, err := archive.File[62].Open()
	if err != nil {
		t.Fatal(err)
	}
	frame, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	alike(t, "png-sequence", frame, harness.Frame(t, video, 2.48))
	thumbnail := decodePicture(t, fetch(*movies["hevc"].Thumbnail, "thumbnail.jpg"))
	for _, format := range []string{"png", "jpg"} {
		alike(t, format, decodePicture(t, made[format]), thumbnail)
	}
}

// alike compares two pictures of one size, by the mean of small squares.
func alike(t *testing.T, what string, got, want image.Image) {
	t.Helper()
	if got.Bounds().Size() != want.Bounds().Size() {
		t.Errorf("%s: %v beside %v", what, got.Bounds(), want.Bounds())
		return
	}
	const side, tolerance = 10, 26 // what a palette of 256 colours, dithering and other codecs change
	for y := 0; y+side <= want.Bounds().Dy(); y += side {
		for x := 0; x+side <= want.Bounds().Dx(); x += side {
			square := image.Rect(x, y, x+side, y+side)
			one, other := harness.Mean(got, square.Add(got.Bounds().Min)), harness.Mean(want, square.Add(want.Bounds().Min))
			if !harness.Near(one, other, tolerance) {
				t.Errorf("%s at %v shows %v, the movie %v", what, square, one, other)
				return
			}
		}
	}
}

// halved is a picture of half the width and height.
func halved(picture image.Image) image.Image {
	size := picture.Bounds().Size().Div(2)
	small := image.NewNRGBA(image.Rectangle{Max: size})
	for i := range size.X * size.Y {
		at := image.Pt(i%size.X, i/size.X)
		c := harness.Mean(picture, image.Rect(2*at.X, 2*at.Y, 2*at.X+2, 2*at.Y+2))
		small.Set(at.X, at.Y, color.NRGBA{c.R, c.G, c.B, 255})
	}
	return small
}

func decodePicture(t *testing.T, path string) image.Image {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	raw, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	picture, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return picture
}

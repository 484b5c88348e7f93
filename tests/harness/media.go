package harness

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Assets is a web server with generated media: a picture, a clip and two sounds.
type Assets struct {
	URL  string // http://127.0.0.1:port
	Host string // 127.0.0.1:port
}

// Colours of the made-up media.
var (
	PictureLeft  = color.NRGBA{R: 200, G: 30, B: 60, A: 255}
	PictureRight = color.NRGBA{R: 30, G: 90, B: 200, A: 255}
)

// ClipSeconds is the length of clip.mp4.
const ClipSeconds = 2.4

// NewAssets serves media: picture.png (1280x720, two colours), clip.mp4 (640x360, 25 fps, ClipSeconds, moving, silent),
// music.m4a (a 440 Hz tone of 30 s), voice.wav (a 1 kHz tone of 1 s). ffmpeg makes them once for all suites of a run.
func NewAssets(t testing.TB) *Assets {
	t.Helper()
	dir := t.TempDir()
	WritePNG(t, filepath.Join(dir, "picture.png"), 1280, 720, PictureLeft, PictureRight)
	for name, args := range map[string][]string{
		"clip.mp4":  {"-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=2.4", "-pix_fmt", "yuv420p"},
		"music.m4a": {"-f", "lavfi", "-i", "sine=frequency=440:duration=30", "-c:a", "aac"},
		"voice.wav": {"-f", "lavfi", "-i", "sine=frequency=1000:duration=1"},
	} {
		path := made(t, name, func(path string) error {
			return Run("", os.Environ(), "ffmpeg", append(append([]string{"-v", "error", "-nostdin", "-y"}, args...), path)...)
		})
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(srv.Close)
	return &Assets{URL: srv.URL, Host: strings.TrimPrefix(srv.URL, "http://")}
}

// WritePNG draws a picture whose left half has one colour and whose right half has another.
func WritePNG(t testing.TB, path string, w, h int, left, right color.Color) {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, image.Rect(0, 0, w/2, h), image.NewUniform(left), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(w/2, 0, w, h), image.NewUniform(right), image.Point{}, draw.Src)
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func ffmpeg(t testing.TB, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("ffmpeg", append([]string{"-v", "error", "-nostdin", "-y"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, stderr.String())
	}
	return stdout.Bytes()
}

// Probe is the description of a file by ffprobe.
type Probe struct {
	Streams []struct {
		CodecType      string `json:"codec_type"`
		CodecName      string `json:"codec_name"`
		Width          int    `json:"width"`
		Height         int    `json:"height"`
		PixFmt         string `json:"pix_fmt"`
		ColorSpace     string `json:"color_space"`
		ColorPrimaries string `json:"color_primaries"`
		ColorTransfer  string `json:"color_transfer"`
		Frames         string `json:"nb_frames"`
		Duration       string `json:"duration"`
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
		Size     string `json:"size"`
	} `json:"format"`
}

// ProbeFile has ffprobe describe a file.
func ProbeFile(t testing.TB, path string) Probe {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", path).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", path, err)
	}
	var p Probe
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Frame decodes the frame shown at a time, in seconds.
func Frame(t testing.TB, path string, at float64) image.Image {
	t.Helper()
	out := ffmpeg(t, "-ss", strconv.FormatFloat(at, 'f', 3, 64), "-i", path, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png",
		"-")
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("frame at %v: %v", at, err)
	}
	return img
}

// Mean is the mean colour of a rectangle.
func Mean(img image.Image, r image.Rectangle) color.NRGBA {
	var sum [3]int
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
			n++
		}
	}
	return color.NRGBA{R: uint8(sum[0] / n), G: uint8(sum[1] / n), B: uint8(sum[2] / n), A: 255}
}

// Near reports whether two colours differ by at most tolerance in every channel.
func Near(a, b color.NRGBA, tolerance int) bool {
	diff := func(x, y uint8) bool { return math.Abs(float64(x)-float64(y)) <= float64(tolerance) }
	return diff(a.R, b.R) && diff(a.G, b.G) && diff(a.B, b.B)
}

// Share is the share of a rectangle's pixels that satisfy want, 0 to 1.
func Share(img image.Image, r image.Rectangle, want func(color.NRGBA) bool) float64 {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if want(color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)) {
				n++
			}
		}
	}
	return float64(n) / float64(r.Dx()*r.Dy())
}

// Loudness is the RMS of each whole second of a file's sound, 0 to 1.
func Loudness(t testing.TB, path string) []float64 {
	t.Helper()
	const rate = 8000
	pcm := ffmpeg(t, "-i", path, "-vn", "-ac", "1", "-ar", strconv.Itoa(rate), "-f", "s16le", "-")
	var seconds []float64
	for ; len(pcm) >= 2*rate; pcm = pcm[2*rate:] {
		var sum float64
		for i := range rate {
			v := float64(int16(uint16(pcm[2*i])|uint16(pcm[2*i+1])<<8)) / 32768
			sum += v * v
		}
		seconds = append(seconds, math.Sqrt(sum/rate))
	}
	return seconds
}

// Receiver is a webhook endpoint that stores what it receives.
type Receiver struct {
	URL  string
	Host string

	mu   sync.Mutex
	hits []Delivery
	// OnHit, when set before the first delivery, runs while the sender waits for the answer.
	OnHit func(Delivery)
}

// Delivery is one request at a Receiver.
type Delivery struct {
	ContentType string
	Body        []byte
	At          time.Time
}

// NewReceiver starts a webhook endpoint that answers 200.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		d := Delivery{ContentType: req.Header.Get("Content-Type"), Body: body, At: time.Now()}
		if r.OnHit != nil {
			r.OnHit(d)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hits = append(r.hits, d)
	}))
	t.Cleanup(srv.Close)
	r.URL, r.Host = srv.URL, strings.TrimPrefix(srv.URL, "http://")
	return r
}

// Hits returns what has been received so far.
func (r *Receiver) Hits() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Delivery(nil), r.hits...)
}

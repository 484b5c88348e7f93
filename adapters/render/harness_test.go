package render_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

func quiet() logrus.FieldLogger {
	log := logrus.New()
	log.SetLevel(logrus.ErrorLevel)
	return log
}

// shelf is an Assets over local files, with the file name as address.
type shelf struct {
	t       testing.TB
	tools   *ffmpeg.Tools
	dir     string
	fetched atomic.Int64
	kept    bool     // files do not change: each is examined once
	known   sync.Map // of assets by address
}

func (s *shelf) Fetch(ctx context.Context, _ domain.AccountID, address string) (commands.Asset, error) {
	s.fetched.Add(1)
	if asset, ok := s.known.Load(address); ok && s.kept {
		return asset.(commands.Asset), nil
	}
	asset, err := s.examine(ctx, address)
	if err == nil {
		s.known.Store(address, asset)
	}
	return asset, err
}

func (s *shelf) examine(ctx context.Context, address string) (commands.Asset, error) {
	path := filepath.Join(s.dir, strings.TrimPrefix(address, "http://x.test/"))
	raw, err := os.ReadFile(path)
	if err != nil {
		return commands.Asset{}, domain.Errorf(domain.Invalid, "asset_download_failed", "Failed to download '%s' (404)", address)
	}
	asset := commands.Asset{Path: path, Hash: fmt.Sprintf("%x", sha256.Sum256(raw))}
	switch ext := strings.TrimPrefix(filepath.Ext(address), "."); ext {
	case "png", "jpeg", "tiff":
		config, err := decodeConfig(path)
		if err != nil {
			return commands.Asset{}, err
		}
		asset.Format = ext
		asset.Facts = timeline.Facts{Width: config.Width, Height: config.Height}
	case "srt":
		asset.Format = commands.CaptionsFormat
	case "gif", "webp":
		asset.Format, asset.Facts = ext, timeline.Facts{Width: 64, Height: 64, Duration: 1, HasVideo: true}
		asset.Media = &commands.Media{Format: ext, Duration: 1, Video: &commands.VideoStream{
			Codec: ext, PixelFormat: "bgra", Width: 64, Height: 64, AspectNum: 1, AspectDen: 1, FrameRate: 2, Duration: 1}}
	default:
		asset.Format = map[string]string{"mp4": "mov", "webm": "matroska", "wav": "wav", "mkv": "matroska", "mov": "mov", "ts": "mpegts",
			"mka": "matroska", "m4a": "mov", "wmv": "asf", "wma": "asf", "ogv": "ogg"}[ext]
		m, err := s.tools.Probe(ctx, path, asset.Format)
		if err != nil {
			return commands.Asset{}, err
		}
		asset.Media = &m
		asset.Facts = timeline.Facts{Duration: m.Duration, HasAudio: m.Audio != nil, HasVideo: m.Video != nil}
		if m.Video != nil {
			asset.Facts.Width, asset.Facts.Height = m.Video.Width, m.Video.Height
		}
	}
	return asset, nil
}

func decodeConfig(path string) (image.Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return image.Config{}, err
	}
	defer f.Close()
	config, _, err := image.DecodeConfig(f)
	return config, err
}

// block is a text drawer whose texts are filled boxes of the text's colour: its pixels are known.
type block struct {
	drawn  atomic.Int64
	onDraw func(n int64) // told how many texts have been drawn, if set
}

func (b *block) Animate(t timeline.Text, w, h int) (text.Animated, error) {
	n := b.drawn.Add(1)
	if b.onDraw != nil {
		b.onDraw(n)
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	c := t.Settings.Color
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{c.R, c.G, c.B, c.A}), image.Point{}, draw.Src)
	return text.Still{Drawing: text.Drawing{Image: img}}, nil
}

// bench is an engine over generated media.
type bench struct {
	*render.Engine
	t     testing.TB
	media *shelf
	words *block
	dir   string
	// project is the id of the next movie; empty: always the same one.
	project string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	tools := ffmpegtest.Tools(t)
	b := &bench{t: t, words: &block{}, dir: t.TempDir()}
	b.media = &shelf{t: t, tools: tools, dir: t.TempDir()}
	b.Engine = b.engine(tools, 2)
	return b
}

func (b *bench) engine(tools *ffmpeg.Tools, cores int) *render.Engine {
	b.t.Helper()
	e, err := render.New(render.Config{Dir: b.dir, Tools: tools, Fetcher: b.media, Text: b.words, Cores: cores, HeldPictures: true, Log: quiet()})
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// generate makes a file of the bench's media with ffmpeg.
func (b *bench) generate(name string, args ...string) {
	b.t.Helper()
	args = append([]string{"-v", "error", "-nostdin", "-y"}, append(args, filepath.Join(b.media.dir, name))...)
	if out, err := exec.CommandContext(b.t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		b.t.Fatalf("generate %s: %v\n%s", name, err, out)
	}
}

// paint writes a picture of one colour, as PNG or JPEG.
func (b *bench) paint(name string, w, h int, c color.NRGBA) {
	b.t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	b.save(name, img)
}

func (b *bench) save(name string, img image.Image) {
	b.t.Helper()
	f, err := os.Create(filepath.Join(b.media.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if filepath.Ext(name) == ".png" {
		err = png.Encode(f, img)
	} else {
		err = jpeg.Encode(f, img, &jpeg.Options{Quality: 95})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

type object = map[string]any

// job is an attempt at a movie.
func (b *bench) job(doc object) commands.RenderJob {
	b.t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		b.t.Fatal(err)
	}
	project := b.project
	if project == "" {
		project = "0123456789abcdef"
	}
	return commands.RenderJob{Account: "account", Project: domain.ProjectID(project), Attempt: 1, Document: raw}
}

// mustRender renders a movie and removes it at the end of the test.
func (b *bench) mustRender(doc object) commands.Rendered {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Minute)
	defer cancel()
	out, err := b.Render(ctx, b.job(doc))
	if err != nil {
		b.t.Fatalf("render: %v", err)
	}
	b.t.Cleanup(out.Close)
	return out
}

// frame decodes one frame of a rendered movie as a player does.
func frame(t testing.TB, path string, n int) *image.NRGBA {
	t.Helper()
	return picked(t, path, fmt.Sprintf("select=eq(n\\,%d),%s", n, toRGB("bt709", "tv")))
}

// decoded is the first frame of a source at 240 × 240, shown with the given matrix and range.
func decoded(t testing.TB, path, matrix, inRange string) *image.NRGBA {
	t.Helper()
	return picked(t, path, toRGB(matrix, inRange)+",scale=240:240:flags=neighbor")
}

func toRGB(matrix, inRange string) string {
	return "scale=in_color_matrix=" + matrix + ":in_range=" + inRange + ":out_range=pc:flags=accurate_rnd+full_chroma_int,format=rgb24"
}

func picked(t testing.TB, path, filters string) *image.NRGBA {
	t.Helper()
	out := filepath.Join(t.TempDir(), "frame.png")
	command := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-y", "-i", path, "-vf", filters, "-frames:v", "1", out)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("take frame with %s: %v\n%s", filters, err, said)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatalf("frame of %s: %v", path, err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	whole := image.NewNRGBA(img.Bounds())
	draw.Draw(whole, whole.Rect, img, image.Point{}, draw.Src)
	return whole
}

// mean is the mean colour of a square of 2·r pixels around a point.
func mean(img *image.NRGBA, x, y, r int) [3]int {
	var sum [3]int
	n := 0
	for dy := -r; dy < r; dy++ {
		for dx := -r; dx < r; dx++ {
			c := img.NRGBAAt(x+dx, y+dy)
			sum[0] += int(c.R)
			sum[1] += int(c.G)
			sum[2] += int(c.B)
			n++
		}
	}
	for i := range sum {
		sum[i] = (sum[i] + n/2) / n
	}
	return sum
}

// requireColor fails unless the picture has that colour around the point, each channel within tolerance.
func requireColor(t testing.TB, what string, img *image.NRGBA, x, y int, want [3]int, tolerance int) {
	t.Helper()
	got := mean(img, x, y, 4)
	for i := range got {
		if d := got[i] - want[i]; d < -tolerance || d > tolerance {
			t.Errorf("%s at %d,%d is %v, want %v within %d", what, x, y, got, want, tolerance)
			return
		}
	}
}

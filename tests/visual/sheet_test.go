package visual_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"moviola/internal/drawing/goldentest"
	"moviola/tests/studio"
)

// scene is one scene of a movie that becomes tiles of a sheet: its frames at some seconds after its beginning.
type scene struct {
	name     string
	elements studio.List
	seconds  float64        // length of the scene; 0: one frame
	at       []float64      // seconds after the beginning of the scene; nil: its first frame
	props    map[string]any // more properties of the scene
}

const fps = 25

// check renders scenes as one movie and compares their tiles with a sheet, and their previews with them.
func check(t *testing.T, s *studio.Studio, file string, w, h, columns int, scenes []scene) {
	t.Helper()
	var all studio.List
	var numbers []int
	var names []string
	begin := 0
	for _, one := range scenes {
		length := max(1, int(math.Round(one.seconds*fps)))
		props := studio.Object{"duration": float64(length) / fps, "background-color": "#34495E", "elements": one.elements}
		for name, value := range one.props {
			props[name] = value
		}
		all = append(all, props)
		if one.at == nil {
			one.at = []float64{0}
		}
		for _, at := range one.at {
			numbers = append(numbers, begin+min(int(math.Round(at*fps)), length-1))
			names = append(names, fmt.Sprintf("%s after %g s", one.name, at))
		}
		begin += length
	}
	checkFrames(t, s, file, w, h, columns, studio.Object{"scenes": all}, numbers, names)
}

// checkFrames renders a movie of w × h pixels and compares frames of it with a sheet, and previews of them with the frames.
func checkFrames(t *testing.T, s *studio.Studio, file string, w, h, columns int, movie studio.Object, numbers []int, names []string) {
	t.Helper()
	movie["width"], movie["height"], movie["fps"], movie["quality"] = w, h, fps, "high"
	out := s.MustRender(movie)
	tiles := make([]goldentest.Tile, len(numbers))
	for i, frame := range studio.Frames(t, out.Movie, w, h, numbers...) {
		tiles[i] = goldentest.Tile{Name: names[i], Size: image.Pt(w, h), Picture: frame}
		if names[i] == "dissolve" { // processors without AVX2 scale its noise otherwise, by 3.5
			tiles[i].Noise = 3
		}
	}
	goldentest.Check(t, file, columns, tiles)
	checkPreviews(t, s, movie, numbers, tiles)
}

// element is an element of a type with some properties.
func element(kind, src string, props studio.Object) studio.Object {
	e := studio.Object{"type": kind, "src": src}
	for name, value := range props {
		e[name] = value
	}
	return e
}

// The art of the sheets: a house under a sun, which looks another way turned, mirrored, squeezed and cut.
const artW, artH = 96, 64

var (
	sky    = color.NRGBA{R: 126, G: 190, B: 235, A: 255}
	ground = color.NRGBA{R: 92, G: 160, B: 76, A: 255}
	wall   = color.NRGBA{R: 226, G: 200, B: 160, A: 255}
	roof   = color.NRGBA{R: 190, G: 60, B: 50, A: 255}
	door   = color.NRGBA{R: 96, G: 62, B: 40, A: 255}
	sun    = color.NRGBA{R: 255, G: 214, B: 60, A: 255}
)

// art draws the house, larger by a factor.
func art(factor int, skyColor color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, artW*factor, artH*factor))
	fill := func(r image.Rectangle, c color.NRGBA) {
		r = image.Rectangle{Min: r.Min.Mul(factor), Max: r.Max.Mul(factor)}
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(image.Rect(0, 0, artW, artH), skyColor)
	fill(image.Rect(0, 46, artW, artH), ground)
	fill(image.Rect(14, 28, 46, 54), wall)
	fill(image.Rect(32, 38, 40, 54), door)
	for y := range 18 {
		fill(image.Rect(30-y-2, 10+y, 30+y+2, 11+y), roof)
	}
	for y := range artH * factor {
		for x := range artW * factor {
			if math.Hypot(float64(x-76*factor), float64(y-16*factor)) < float64(10*factor) {
				img.SetNRGBA(x, y, sun)
			}
		}
	}
	return img
}

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// supplies serves the art as house.png and house.mp4 (where a ball rolls over the ground), other.png (mirrored, by night), and before a green
// screen as green.png and green.mp4; disc.png and wipe.mp4 are masks.
func supplies(t *testing.T, s *studio.Studio) {
	t.Helper()
	green := color.NRGBA{R: 0, G: 177, B: 64, A: 255}
	s.Serve("house.png", encoded(t, art(2, sky)))
	other, day := image.NewNRGBA(image.Rect(0, 0, 2*artW, 2*artH)), art(2, color.NRGBA{R: 28, G: 34, B: 78, A: 255})
	for y := range 2 * artH {
		for x := range 2 * artW {
			c := day.NRGBAAt(2*artW-1-x, y)
			other.SetNRGBA(x, y, color.NRGBA{R: c.R / 2, G: c.G / 2, B: c.B/2 + 40, A: 255})
		}
	}
	s.Serve("other.png", encoded(t, other))
	s.Serve("green.png", encoded(t, art(2, green)))
	disc := image.NewGray(image.Rect(0, 0, 96, 64))
	for y := range 64 {
		for x := range 96 {
			r := math.Hypot(float64(x-48), float64(y-32))
			disc.SetGray(x, y, color.Gray{Y: uint8(255 * max(0, min(1, (30-r)/6)))})
		}
	}
	s.Serve("disc.png", encoded(t, disc))
	ball := "[0]format=rgba[a];color=white:s=16x16:r=25,format=rgba,geq=r=240:g=90:b=200:a='255*lt(hypot(X-8,Y-8),7)'[b];" +
		"[a][b]overlay=x='170*t':y=100:shortest=1,format=yuv420p"
	for _, name := range []string{"house", "green"} {
		sky := map[string]color.NRGBA{"house": sky, "green": green}[name]
		path := file(t, s, name+"-still.png", encoded(t, art(2, sky)))
		s.Generate(name+".mp4", "-loop", "1", "-r", "25", "-t", "1", "-i", path, "-filter_complex", ball, "-t", "1", "-c:v", "libx264", "-crf", "8", "-colorspace", "bt470bg")
	}
	s.Generate("wipe.mp4", "-f", "lavfi", "-i", "color=black:s=96x64:r=25:d=1", "-f", "lavfi", "-i", "color=white:s=96x64:r=25:d=1",
		"-filter_complex", "[0][1]overlay=x='-96+96*t':y=0,format=yuv420p", "-c:v", "libx264")
}

// file keeps a file for ffmpeg.
func file(t *testing.T, s *studio.Studio, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(s.Dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// look is a movie of which one frame is looked at.
type look struct {
	name  string
	movie studio.Object
}

// checkMovies renders movies of w × h pixels and compares the same frame of each with a sheet and with its preview.
func checkMovies(t *testing.T, s *studio.Studio, file string, w, h, columns, number int, all []look) {
	t.Helper()
	var tiles []goldentest.Tile
	for _, one := range all {
		one.movie["width"], one.movie["height"], one.movie["fps"], one.movie["quality"] = w, h, fps, "high"
		frame := studio.Frames(t, s.MustRender(one.movie).Movie, w, h, number)[0]
		tile := goldentest.Tile{Name: one.name, Size: image.Pt(w, h), Picture: frame}
		checkPreviews(t, s, one.movie, []int{number}, []goldentest.Tile{tile})
		tiles = append(tiles, tile)
	}
	goldentest.Check(t, file, columns, tiles)
}

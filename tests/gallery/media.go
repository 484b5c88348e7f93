package main

import (
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/image/font/gofont/gosmallcaps"
)

// makeMedia makes what the movies of the gallery show: picture.jpg (a landscape), portrait.jpg, logo.png (with transparency),
// mask.png, clip.mp4 (with sound), green.mp4 (a ball before green), mask.mp4, ball.webm (a ball with transparency), dots.gif
// (which moves), music.m4a, brand.ttf (a font of small capitals), page.html.
func makeMedia(dir string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	pictures := []struct {
		name string
		img  image.Image
	}{
		{"picture.jpg", landscape(1600, 900)}, {"portrait.jpg", landscape(800, 1200)}, {"logo.png", disc(400)},
		{"mask.png", mask(1280, 720)},
	}
	for _, p := range pictures {
		if err := writePicture(at(p.name), p.img); err != nil {
			return err
		}
	}
	if err := os.WriteFile(at("brand.ttf"), gosmallcaps.TTF, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(at("page.html"), []byte(page), 0o600); err != nil {
		return err
	}
	ball := "color=0x00b140:size=1280x720:rate=25:duration=4[g];color=0xff7f50:size=200x200:rate=25:duration=4,format=rgba," +
		"geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*lt(hypot(X-100,Y-100),98)'[b];[g][b]overlay=x='100+220*t':y=260"
	wipe := "color=black:size=1280x720:rate=25:duration=4[k];color=white:size=1280x720:rate=25:duration=4[w];" +
		"[k][w]overlay=x='-1280+320*t':y=0"
	clear := "color=0xff7f50@0:size=400x400:rate=25:duration=2,format=rgba," +
		"geq=r=255:g='127+80*sin(6*T)':b=80:a='255*lt(hypot(X-200,Y-200),90+90*sin(PI*T/2))'"
	dots := "color=0x0B132B:size=240x80:rate=5:duration=0.6," +
		"geq=r='if(lt(hypot(X-40-80*N,Y-40),30),91,11)':g='if(lt(hypot(X-40-80*N,Y-40),30),192,19)':" +
		"b='if(lt(hypot(X-40-80*N,Y-40),30),190,43)',split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"
	for _, args := range [][]string{
		{"-f", "lavfi", "-i", clear, "-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", at("ball.webm")},
		{"-f", "lavfi", "-i", dots, at("dots.gif")},
		{"-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=6", "-f", "lavfi", "-i", "sine=frequency=330:duration=6",
			"-pix_fmt", "yuv420p", "-shortest", at("clip.mp4")},
		{"-f", "lavfi", "-i", ball, "-pix_fmt", "yuv420p", at("green.mp4")},
		{"-f", "lavfi", "-i", wipe, "-pix_fmt", "yuv420p", at("mask.mp4")},
		{"-f", "lavfi", "-i", "sine=frequency=220:duration=12", "-c:a", "aac", at("music.m4a")},
	} {
		if err := command("ffmpeg", append([]string{"-v", "error", "-y"}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// page is a page that a movie shows by its address.
const page = `<!DOCTYPE html><html lang="en"><title>A page</title>
<body style="margin:0;background:#06D6A0;color:#073B4C;font:32px Inter,sans-serif;text-align:center"><p>a page by its ` +
	`address</p></body></html>`

func writePicture(path string, img image.Image) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if filepath.Ext(path) == ".png" {
		err = png.Encode(out, img)
	} else {
		err = jpeg.Encode(out, img, &jpeg.Options{Quality: 90})
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// landscape draws a sky, a sun and hills.
func landscape(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	sun := image.Pt(w*2/3, h*2/5)
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, landscapeAt(float64(x), float64(y), float64(w), float64(h), sun))
		}
	}
	return img
}

func landscapeAt(x, y, w, h float64, sun image.Point) color.RGBA {
	near := 0.78*h + 0.06*h*math.Sin(3+5*x/w)
	far := 0.62*h + 0.08*h*math.Sin(1+7*x/w)
	switch away := math.Hypot(x-float64(sun.X), y-float64(sun.Y)); {
	case y > near:
		return color.RGBA{R: 24, G: uint8(70 + 40*(y-near)/h), B: 60, A: 255}
	case y > far:
		return color.RGBA{R: 46, G: uint8(96 + 60*(y-far)/h), B: 110, A: 255}
	case away < 0.09*h:
		return color.RGBA{R: 255, G: 236, B: 179, A: 255}
	default:
		glow := math.Exp(-away / (0.3 * h))
		return color.RGBA{R: uint8(90 + 150*y/h*0.8 + 15*glow), G: uint8(120 + 60*y/h + 30*glow), B: uint8(200 - 90*y/h), A: 255}
	}
}

// disc draws a ring on transparency.
func disc(size int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			r := math.Hypot(float64(x-size/2), float64(y-size/2)) / float64(size/2)
			if r < 0.98 && r > 0.55 || r < 0.3 {
				img.SetNRGBA(x, y, color.NRGBA{R: 255, G: 127, B: 80, A: 255})
			}
		}
	}
	return img
}

// mask draws a white disc that fades out on black.
func mask(w, h int) image.Image {
	img := image.NewGray(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.Black, image.Point{}, draw.Src)
	for y := range h {
		for x := range w {
			r := math.Hypot(float64(x-w/2), float64(y-h/2)) / float64(h/2)
			img.SetGray(x, y, color.Gray{Y: uint8(255 * max(0, min(1, 4*(1-r))))})
		}
	}
	return img
}

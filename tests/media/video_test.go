package media_test

import (
	"image"
	"image/color"
	"testing"

	"moviola/tests/studio"
)

// The colours of the samples.
var (
	red   = color.NRGBA{R: 254, A: 255}
	green = color.NRGBA{G: 128, A: 255} // as ffmpeg names it
	blue  = color.NRGBA{B: 254, A: 255}
	white = color.NRGBA{R: 254, G: 254, B: 254, A: 255}
	black = color.NRGBA{A: 255}
)

// of is a movie of one scene at 25 frames a second that shows an element.
func of(w, h int, seconds float64, background string, element studio.Object) studio.Object {
	return studio.Object{"width": w, "height": h, "fps": 25, "quality": "high", "scenes": studio.List{
		studio.Object{"duration": seconds, "background-color": background, "elements": studio.List{element}},
	}}
}

// quarters is a picture of 320 × 180: red and green above, blue and white below.
const quarters = "color=red:s=320x180:r=25:d=1,drawbox=x=160:w=160:h=90:color=green:t=fill,drawbox=y=90:w=160:h=90:color=blue:t=fill," +
	"drawbox=x=160:y=90:w=160:h=90:color=white:t=fill"

// TestVideo_formats: every container and codec of the schema shows its colours. Movie-schema §4.2.
func TestVideo_formats(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	formats := map[string][]string{
		"h264.mp4":      {"-c:v", "libx264"},
		"h264-10.mkv":   {"-pix_fmt", "yuv420p10le", "-c:v", "libx264"},
		"h264-444.mp4":  {"-pix_fmt", "yuv444p", "-c:v", "libx264"},
		"hevc.mp4":      {"-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1"},
		"hevc-10.mov":   {"-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", "log-level=error"},
		"mpeg4.avi":     {"-c:v", "mpeg4", "-q:v", "2"},
		"mpeg2.ts":      {"-c:v", "mpeg2video", "-q:v", "2"},
		"vp8.webm":      {"-c:v", "libvpx", "-b:v", "2M"},
		"vp9.webm":      {"-c:v", "libvpx-vp9", "-b:v", "2M"},
		"av1.mp4":       {"-c:v", "libsvtav1", "-preset", "12"},
		"theora.ogv":    {"-c:v", "libtheora", "-q:v", "9"},
		"mjpeg.avi":     {"-pix_fmt", "yuvj420p", "-c:v", "mjpeg", "-q:v", "2"},
		"prores.mov":    {"-c:v", "prores_ks", "-profile:v", "3"},
		"dnxhr.mov":     {"-vf", "scale=out_color_matrix=bt709,format=yuv422p", "-c:v", "dnxhd", "-profile:v", "dnxhr_hq"},
		"ffv1.mkv":      {"-c:v", "ffv1"},
		"rgb.mkv":       {"-pix_fmt", "bgr0", "-c:v", "ffv1"},
		"wmv.wmv":       {"-c:v", "wmv2", "-q:v", "2"},
		"fragments.mp4": {"-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov", "-g", "5"},
	}
	for name, args := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.For(t)
			s.Generate(name, append([]string{"-f", "lavfi", "-i", quarters + ",format=yuv420p"}, args...)...)
			out := s.MustRender(of(320, 180, 0.6, "#808080", studio.Object{"type": "video", "src": s.URL + "/" + name}))
			img := studio.Frames(t, out.Movie, 320, 180, 7)[0]
			studio.RequireColor(t, "top left", img, 80, 45, red, 6)
			studio.RequireColor(t, "top right", img, 240, 45, green, 6)
			studio.RequireColor(t, "bottom left", img, 80, 135, blue, 6)
			studio.RequireColor(t, "bottom right", img, 240, 135, white, 6)
		})
	}
}

// TestVideo_turned: a phone writes down how it was held; the movie shows the video upright, in its upright size.
func TestVideo_turned(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	s.Generate("lying.mp4", "-f", "lavfi", "-i", quarters+",format=yuv420p", "-c:v", "libx264")
	lying := s.Dir + "/lying.mp4"
	tests := []struct {
		angle    string // anticlockwise, as ffmpeg 5 writes it
		w, h     int
		clockway [4]color.NRGBA // top left, top right, bottom right, bottom left
	}{
		{"0", 320, 180, [4]color.NRGBA{red, green, white, blue}},
		{"90", 180, 320, [4]color.NRGBA{green, white, blue, red}},
		{"180", 320, 180, [4]color.NRGBA{white, blue, red, green}},
		{"270", 180, 320, [4]color.NRGBA{blue, red, green, white}},
	}
	for _, tt := range tests {
		t.Run(tt.angle, func(t *testing.T) {
			t.Parallel()
			s := s.For(t)
			name := "turned" + tt.angle + ".mp4"
			s.Generate(name, "-i", lying, "-c", "copy", "-metadata:s:v", "rotate="+tt.angle)
			out := s.MustRender(of(tt.w, tt.h, 0.4, "#808080", studio.Object{"type": "video", "src": s.URL + "/" + name}))
			img := studio.Frames(t, out.Movie, tt.w, tt.h, 4)[0]
			for i, at := range []image.Point{{tt.w / 4, tt.h / 4}, {tt.w * 3 / 4, tt.h / 4}, {tt.w * 3 / 4, tt.h * 3 / 4}, {tt.w / 4, tt.h * 3 / 4}} {
				studio.RequireColor(t, "turned by "+tt.angle, img, at.X, at.Y, tt.clockway[i], 6)
			}
			// In a frame of another shape nothing is squeezed: the video keeps its sides.
			out = s.MustRender(of(400, 400, 0.4, "#808080", studio.Object{"type": "video", "src": s.URL + "/" + name, "height": 160, "x": 0, "y": 0}))
			img = studio.Frames(t, out.Movie, 400, 400, 4)[0]
			wide := 160 * tt.w / tt.h
			studio.RequireColor(t, "right end", img, wide-8, 150, tt.clockway[2], 8)
			studio.RequireColor(t, "beyond it", img, wide+8, 150, color.NRGBA{R: 128, G: 128, B: 128, A: 255}, 4)
		})
	}
}

// TestVideo_transparent: what is transparent in a video shows what is below it.
func TestVideo_transparent(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	// Left half clear, right half half-transparent red; a full one below.
	alpha := "color=red:s=160x160:r=25:d=1,format=rgba,geq=r=254:g=0:b=0:a='if(gt(Y,79),255,if(lt(X,80),0,128))'"
	formats := map[string][]string{
		"prores.mov": {"-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le"},
		"vp9.webm":   {"-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-b:v", "2M"},
		"vp8.webm":   {"-c:v", "libvpx", "-pix_fmt", "yuva420p", "-b:v", "2M", "-auto-alt-ref", "0"},
		"qtrle.mov":  {"-c:v", "qtrle", "-pix_fmt", "argb"},
		"png.mov":    {"-c:v", "png", "-pix_fmt", "rgba"},
	}
	for name, args := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.For(t)
			s.Generate("alpha-"+name, append([]string{"-f", "lavfi", "-i", alpha}, args...)...)
			out := s.MustRender(of(160, 160, 0.4, "#0000FF", studio.Object{"type": "video", "src": s.URL + "/alpha-" + name}))
			img := studio.Frames(t, out.Movie, 160, 160, 5)[0]
			studio.RequireColor(t, "clear", img, 40, 40, color.NRGBA{B: 255, A: 255}, 6)
			studio.RequireColor(t, "half", img, 120, 40, color.NRGBA{R: 127, B: 127, A: 255}, 8)
			studio.RequireColor(t, "full", img, 80, 120, red, 6)
		})
	}
}

// TestVideo_oddSizes: sides that no encoder takes are shown to the last pixel.
func TestVideo_oddSizes(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	s.Generate("odd.webm", "-f", "lavfi", "-i", "color=red:s=101x67:r=25:d=1,format=yuv420p", "-c:v", "libvpx-vp9", "-b:v", "2M")
	s.Generate("odd.mkv", "-f", "lavfi", "-i", "color=red:s=101x67:r=25:d=1,format=yuv444p", "-c:v", "libx264")
	for _, name := range []string{"odd.webm", "odd.mkv"} {
		out := s.MustRender(of(200, 200, 0.4, "#FFFFFF", studio.Object{"type": "video", "src": s.URL + "/" + name, "x": 31, "y": 53}))
		img := studio.Frames(t, out.Movie, 200, 200, 5)[0]
		for y, line := range map[int][2]int{53: {31, 131}, 86: {31, 131}, 119: {31, 131}} {
			for x := 29; x < 134; x++ {
				inside := x >= line[0] && x <= line[1]
				c := img.NRGBAAt(x, y)
				edge := x-line[0] < 2 && x >= line[0]-2 || x-line[1] < 3 && x >= line[1]-1 || y == 53 || y == 119 // colours are halved there
				if isRed := c.R > 200 && c.G < 90; !edge && isRed != inside {
					t.Errorf("%s: pixel %d,%d is %v", name, x, y, c)
				}
			}
		}
		if c := img.NRGBAAt(80, 51); c.G < 200 {
			t.Errorf("%s: above the video is %v", name, c)
		}
		if c := img.NRGBAAt(80, 121); c.G < 200 {
			t.Errorf("%s: below the video is %v", name, c)
		}
	}
}

// TestVideo_changesItsSize: calls are recorded in the size that the network allows at the moment.
func TestVideo_changesItsSize(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	list := "ffconcat version 1.0\n"
	for i, c := range []string{"red:s=64x64", "blue:s=320x320", "white:s=160x80"} {
		name := string('a'+rune(i)) + ".webm"
		s.Generate(name, "-f", "lavfi", "-i", "color="+c+":r=25:d=0.4", "-c:v", "libvpx", "-deadline", "realtime")
		list += "file " + name + "\n"
	}
	s.Generate("call.webm", "-f", "concat", "-i", write(t, s, "call.txt", []byte(list)), "-c", "copy")
	element := studio.Object{"type": "video", "src": s.URL + "/call.webm", "x": 20, "y": 20, "width": 80, "height": 80}
	out := s.MustRender(of(120, 120, 1.2, "#000000", element))
	frames := studio.Frames(t, out.Movie, 120, 120, 5, 15, 25)
	for i, want := range []color.NRGBA{red, blue, white} {
		for _, at := range []image.Point{{28, 28}, {92, 92}} {
			studio.RequireColor(t, "a part of the call", frames[i], at.X, at.Y, want, 8)
		}
		studio.RequireColor(t, "beside it", frames[i], 110, 110, black, 3)
	}
}

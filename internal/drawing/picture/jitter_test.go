package picture_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os/exec"
	"testing"

	"moviola/internal/drawing/picture"
)

const (
	zoomW, zoomH = 640, 360
	zoomFrames   = 100
	zoomBy       = 0.15 // what is seen at the end is so much larger
	patchSize    = 128  // of the parts whose motion is measured
)

// zoomAt is how large the picture is seen at a frame.
func zoomAt(frame int) float64 { return 1 + zoomBy*float64(frame)/(zoomFrames-1) }

// textured is a picture with detail of many sizes, as a photograph has it.
func textured(w, h int) *image.Gray {
	r := rand.New(rand.NewPCG(20, 5))
	values := make([]float64, w*h)
	for size := 4; size <= 64; size *= 2 {
		columns := w/size + 2
		grid := make([]float64, columns*(h/size+2))
		for i := range grid {
			grid[i] = (r.Float64() - 0.5) * 12 * math.Sqrt(float64(size))
		}
		for y := range h {
			for x := range w {
				i, fx, fy := y/size*columns+x/size, float64(x%size)/float64(size), float64(y%size)/float64(size)
				fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
				top, bottom := grid[i]+(grid[i+1]-grid[i])*fx, grid[i+columns]+(grid[i+columns+1]-grid[i+columns])*fx
				values[y*w+x] += top + (bottom-top)*fy
			}
		}
	}
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i, v := range values {
		img.Pix[i] = uint8(min(max(128+v, 0), 255))
	}
	return img
}

// zoomed are the frames of a zoom by the service's scaler.
func zoomed(source *image.Gray) [][]byte {
	w, h := source.Rect.Dx(), source.Rect.Dy()
	img := image.NewRGBA(source.Rect)
	for y := range h {
		for x := range w {
			v := source.GrayAt(x, y).Y
			img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
		}
	}
	plate := picture.NewPlate(picture.FromRGBA(img, w, h))
	viewer := picture.NewViewer(plate, image.Pt(w, h), image.Rect(0, 0, zoomW, zoomH))
	frames := make([][]byte, zoomFrames)
	for k := range frames {
		size := 1 / zoomAt(k)
		l := &picture.Layer{W: zoomW, H: zoomH, Pix: make([]byte, zoomW*zoomH*5/2)}
		viewer.Draw(picture.View{X: (1 - size) / 2, Y: (1 - size) / 2, W: size, H: size}, l)
		frames[k] = l.Pix[:zoomW*zoomH]
	}
	return frames
}

// zoompanned are the frames of the same zoom by ffmpeg's zoompan.
func zoompanned(t *testing.T, source *image.Gray) [][]byte {
	t.Helper()
	var in, out, said bytes.Buffer
	if err := png.Encode(&in, source); err != nil {
		t.Fatal(err)
	}
	filter := fmt.Sprintf("zoompan=z='1+%g*on/%d':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=%d:s=%dx%d", zoomBy, zoomFrames-1, zoomFrames, zoomW, zoomH)
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-f", "png_pipe", "-i", "pipe:0", "-vf", filter, "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &said
	if err := cmd.Run(); err != nil || out.Len() != zoomFrames*zoomW*zoomH {
		t.Fatalf("ffmpeg: %v, %d bytes\n%s", err, out.Len(), said.String())
	}
	frames := make([][]byte, zoomFrames)
	for k := range frames {
		frames[k] = out.Bytes()[k*zoomW*zoomH:][:zoomW*zoomH]
	}
	return frames
}

// TestViewer_Draw_zoomJitter measures by phase correlation how far each frame of a zoom lies from the one before, in four parts of the
// picture: it differs from how far it should lie by less than a twentieth of a pixel (root of the mean square), and by less than ffmpeg's zoompan.
func TestViewer_Draw_zoomJitter(t *testing.T) {
	t.Parallel()
	for _, percent := range []int{100, 115, 200} {
		source := textured(zoomW*percent/100, zoomH*percent/100)
		ours, theirs := zoomJitter(zoomed(source)), zoomJitter(zoompanned(t, source))
		t.Logf("source of %d %%: %.3f pixels; zoompan %.3f", percent, ours, theirs)
		if ours >= 0.05 || ours >= theirs {
			t.Errorf("a zoom of a source of %d %% trembles by %.3f pixels, zoompan's by %.3f", percent, ours, theirs)
		}
	}
}

// A picture that is moved by a part of a pixel, by arithmetic, is measured to be moved so.
func TestShift(t *testing.T) {
	t.Parallel()
	moved := func(by float64) []complex128 {
		pixels := make([]byte, patchSize*patchSize)
		for i := range pixels {
			x, y := float64(i%patchSize)-by, float64(i/patchSize)+by/2
			pixels[i] = byte(math.Round(128 + 40*math.Sin(x/3)*math.Cos(y/5) + 40*math.Sin((x+2*y)/7)))
		}
		return spectrum(pixels, patchSize, 0, 0)
	}
	still := moved(0)
	for _, by := range []float64{0, 0.05, 0.2, 0.4} {
		if x, y := shift(still, moved(by)); math.Abs(x-by) > 0.02 || math.Abs(y+by/2) > 0.02 {
			t.Errorf("moved by %.2f and %.2f pixels, measured %.3f and %.3f", by, -by/2, x, y)
		}
	}
}

// zoomJitter is the root of the mean square of what the way from one frame to the next differs from what it should be, along an axis. What
// it differs by on average is no jitter.
func zoomJitter(frames [][]byte) float64 {
	var sum float64
	n := 0
	for _, from := range [][2]int{{-160, -80}, {160, -80}, {-160, 80}, {160, 80}} {
		var off [2][]float64
		before := spectrum(frames[0], zoomW, zoomW/2+from[0]-patchSize/2, zoomH/2+from[1]-patchSize/2)
		for k := 1; k < len(frames); k++ {
			now := spectrum(frames[k], zoomW, zoomW/2+from[0]-patchSize/2, zoomH/2+from[1]-patchSize/2)
			x, y := shift(before, now)
			grown := zoomAt(k)/zoomAt(k-1) - 1
			off[0], off[1] = append(off[0], x-grown*float64(from[0])), append(off[1], y-grown*float64(from[1]))
			before = now
		}
		for _, way := range off {
			var mean float64
			for _, d := range way {
				mean += d / float64(len(way))
			}
			for _, d := range way {
				sum += (d - mean) * (d - mean)
			}
			n += len(way)
		}
	}
	return math.Sqrt(sum / float64(n))
}

// shift is how far a part of a picture has moved, in pixels: the slope of the phases by which the coarse waves of both differ, each as
// weighty as it is strong. The way must be shorter than a pixel.
func shift(before, after []complex128) (x, y float64) {
	var uu, uv, vv, up, vp float64
	for j := -patchSize / 4; j < patchSize/4; j++ {
		for i := -patchSize / 4; i < patchSize/4; i++ {
			at := (j+patchSize)%patchSize*patchSize + (i+patchSize)%patchSize
			cross := before[at] * cmplx.Conj(after[at])
			weight, phase := cmplx.Abs(cross), cmplx.Phase(cross)
			u, v := 2*math.Pi*float64(i)/patchSize, 2*math.Pi*float64(j)/patchSize
			uu, uv, vv, up, vp = uu+weight*u*u, uv+weight*u*v, vv+weight*v*v, up+weight*u*phase, vp+weight*v*phase
		}
	}
	det := uu*vv - uv*uv
	return (up*vv - vp*uv) / det, (vp*uu - up*uv) / det
}

// spectrum is the Fourier transform of a part of a picture of which the edges fade into its mean.
func spectrum(pixels []byte, stride, x, y int) []complex128 {
	out := make([]complex128, patchSize*patchSize)
	mean := 0.0
	for i := range out {
		mean += float64(pixels[(y+i/patchSize)*stride+x+i%patchSize]) / float64(len(out))
	}
	for i := range out {
		fade := func(at int) float64 { return 0.5 - 0.5*math.Cos(2*math.Pi*(float64(at)+0.5)/patchSize) }
		value := float64(pixels[(y+i/patchSize)*stride+x+i%patchSize]) - mean
		out[i] = complex(value*fade(i%patchSize)*fade(i/patchSize), 0)
	}
	column := make([]complex128, patchSize)
	for row := range patchSize {
		transform(out[row*patchSize:][:patchSize])
	}
	for i := range patchSize {
		for j := range column {
			column[j] = out[j*patchSize+i]
		}
		transform(column)
		for j, v := range column {
			out[j*patchSize+i] = v
		}
	}
	return out
}

// roots are the roots of one that transform turns values by.
var roots = func() (all [patchSize / 2]complex128) {
	for i := range all {
		all[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/patchSize)
	}
	return all
}()

// transform is the Fourier transform of a power of two of values, patchSize at most, in their place.
func transform(values []complex128) {
	n := len(values)
	if n == 1 {
		return
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for i := range even {
		even[i], odd[i] = values[2*i], values[2*i+1]
	}
	transform(even)
	transform(odd)
	for i := range even {
		turned := odd[i] * roots[i*patchSize/n]
		values[i], values[i+n/2] = even[i]+turned, even[i]-turned
	}
}

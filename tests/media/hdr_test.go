package media_test

import (
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"moviola/tests/studio"
)

// pq is the signal, of 1, of a brightness in nits (SMPTE ST 2084).
func pq(nits float64) float64 {
	const m1, m2, c1, c2, c3 = 2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128
	y := math.Pow(nits/10_000, m1)
	return math.Pow((c1+c2*y)/(1+c3*y), m2)
}

// hlg is the signal, of 1, of a share of the scene's brightest light (ARIB STD-B67).
func hlg(light float64) float64 {
	const a, b, c = 0.17883277, 0.28466892, 0.55991073
	if light <= 1.0/12 {
		return math.Sqrt(3 * light)
	}
	return a*math.Log(12*light-b) + c
}

// coded is the luma and the colour differences, at 10 bits, of a light in linear BT.709, whose 1 is a sheet of white paper: 203 nits.
func coded(light [3]float64, transfer func(nits float64) float64) [3]int {
	wide := [3][3]float64{{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}} // BT.2020
	var v [3]float64
	for i, row := range wide {
		v[i] = transfer(203 * (row[0]*light[0] + row[1]*light[1] + row[2]*light[2]))
	}
	luma := 0.2627*v[0] + 0.6780*v[1] + 0.0593*v[2]
	return [3]int{int(math.Round(64 + 876*luma)), int(math.Round(512 + 896*(v[2]-luma)/1.8814)), int(math.Round(512 + 896*(v[0]-luma)/1.4746))}
}

// patches is a row of patches of 40 × 80 pixels.
func patches(colors [][3]int) string {
	var planes [3]strings.Builder
	for i, c := range colors {
		for p := range planes {
			wide := []int{40, 20, 20}[p]
			fmt.Fprintf(&planes[p], "+between(X,%d,%d)*%d", wide*i, wide*(i+1)-1, c[p])
		}
	}
	return fmt.Sprintf("color=black:s=%dx80:r=25:d=0.4,format=yuv420p10le,geq=lum='%s':cb='%s':cr='%s'", 40*len(colors),
		planes[0].String()[1:], planes[1].String()[1:], planes[2].String()[1:])
}

// shownAs is what a light of high dynamic range becomes: hardly anything changes up to the brightness of paper, and what is up to five
// times as bright still differs. The hue stays.
func shownAs(light [3]float64) [3]float64 {
	const brightest = 4.93 // 1000 nits
	most := max(light[0], light[1], light[2])
	factor := 0.0
	if most > 0 {
		factor = min(1, most/(most+1)*(brightest+1)/brightest) / most
	}
	for i := range light {
		light[i] = 255 * math.Pow(light[i]*factor, 1/2.4)
	}
	return light
}

// TestVideo_highDynamicRange: phones and films of high dynamic range look on ordinary screens as they should, whichever of the two ways
// they are written in.
func TestVideo_highDynamicRange(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	lights := [][3]float64{
		{0, 0, 0}, {0.025, 0.025, 0.025}, {0.1, 0.1, 0.1}, {0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}, {1, 1, 1}, {2, 2, 2}, {4.93, 4.93, 4.93},
		{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.3, 0.2}, {3, 1, 0.5},
	}
	// HLG is about the light of the scene: on a screen of 1000 nits.
	scene := func(nits float64) float64 { return hlg(nits / 1000) }
	for name, transfer := range map[string]func(float64) float64{"smpte2084": pq, "arib-std-b67": scene} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.For(t)
			var colors [][3]int
			for _, light := range lights {
				if name != "smpte2084" {
					// The screen makes of the scene's light what is seen: brighter parts brighter still, by its luminance.
					y := 203.0 / 1000 * (0.2126*light[0] + 0.7152*light[1] + 0.0722*light[2])
					for i := range light {
						light[i] *= math.Pow(max(y, 1e-9), 1/1.2-1)
					}
				}
				colors = append(colors, coded(light, transfer))
			}
			s.Generate(name+".mkv", "-f", "lavfi", "-i", patches(colors), "-c:v", "libx265", "-crf", "2", "-x265-params",
				"log-level=error:colorprim=bt2020:transfer="+name+":colormatrix=bt2020nc:range=limited", "-pix_fmt", "yuv420p10le")
			w := 40 * len(lights)
			out := s.MustRender(of(w, 80, 0.3, "#000000", studio.Object{"type": "video", "src": s.URL + "/" + name + ".mkv"}))
			img := studio.Frames(t, out.Movie, w, 80, 3)[0]
			for i, light := range lights {
				got := studio.Mean(img, image.Rect(40*i+10, 20, 40*i+30, 60))
				want := shownAs(light)
				for k, v := range []uint8{got.R, got.G, got.B} {
					tolerance := 5.0
					if want[k] < 20 && light != [3]float64{} {
						tolerance = 24 // near black the coding itself is coarse
					}
					if math.Abs(float64(v)-want[k]) > tolerance {
						t.Errorf("light %v becomes %v, want %.0f", light, got, want)
						break
					}
				}
			}
		})
	}
}

//go:build !race

package render

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/mp4file"
	"moviola/domain/timeline"
)

// moving is a picture that comes, rests, moves and fades, as filters make it, and what the plan says of its frames.
type moving struct {
	filters string // of the inputs a, b and c, three pictures of 320 × 180 that stay
	row     string
	out     int64 // frames at the end in which the picture becomes black
}

// Windows with rests are as good as those of which every frame is encoded, and about as long.
func TestFavours(t *testing.T) {
	t.Parallel()
	still := strings.Repeat(".", 29)
	for name, tt := range map[string]moving{
		"a picture": {filters: "[a]trim=end_frame=60[o]", row: "x." + still + still},
		"pictures that cut": {
			filters: "[a]trim=end_frame=40[a1];[b]trim=end_frame=30[b1];[c]trim=end_frame=80[c1];[a1][b1][c1]concat=n=3[o]",
			row:     "x.........." + still + "|" + still + "|....................." + still + still,
		},
		"a picture that fades": {
			filters: "[a]trim=end_frame=90,fade=t=in:n=15:s=0,fade=t=out:s=75:n=15[o]",
			row:     strings.Repeat("~", 16) + "." + still + still + strings.Repeat("~", 15),
		},
		"a picture that fades, written": {
			filters: "[a]trim=end_frame=90,fade=t=in:n=15:s=0,fade=t=out:s=75:n=15[o]",
			row:     strings.Repeat("~", 16) + "." + still + still + strings.Repeat("~", 15),
			out:     15,
		},
		"motion, then a cut": {
			filters: "[a]trim=end_frame=30,zoompan=z='1+in/300':d=1:s=320x180:fps=25[a1];[b]trim=end_frame=60[b1];[a1][b1]concat=n=2[o]",
			row:     strings.Repeat("~", 30) + "|." + still + still,
		},
		"words before a picture": {
			filters: "[a]trim=end_frame=192,drawbox=x='60+40*mod(floor((t*25+0.5)/8),4)':y=120:w=38:h=20:c=yellow:t=fill[o]",
			row:     strings.Repeat("x.......", 24),
		},
		"a box before a picture": {
			filters: "[a]trim=end_frame=90,drawbox=x=60:y=40:w=90:h=50:c=white:t=fill:enable='between(n,30,59)'[o]",
			row:     "x" + still + "x" + still + "x" + still,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareRests(t, tt)
		})
	}
}

// ffmpegOf runs ffmpeg; what it prints is returned.
func ffmpegOf(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "ffmpeg", append([]string{"-v", "error", "-nostdin", "-y"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("ffmpeg %q: %v\n%s", args, err, out.String())
	}
	return out.String()
}

func compareRests(t *testing.T, m moving) {
	t.Helper()
	dir := t.TempDir()
	source, plain, held := filepath.Join(dir, "source.y4m"), filepath.Join(dir, "plain.mp4"), filepath.Join(dir, "held.mp4")
	var pictures strings.Builder
	for i, label := range []string{"a", "b", "c"} {
		if strings.Contains(m.filters, "["+label+"]") {
			fmt.Fprintf(&pictures, "mandelbrot=s=320x180:r=25:start_scale=0.%d,trim=end_frame=1,hue=h=%d,noise=alls=5:all_seed=%d,"+
				"format=yuv420p,loop=loop=-1:size=1:start=0,setpts=N/25/TB[%s];", i+2, 90*i, i, label)
		}
	}
	frames := strconv.Itoa(len(m.row))
	ffmpegOf(t, "-filter_complex", pictures.String()+m.filters, "-map", "[o]", "-frames:v", frames, source)
	c := marked(m.row)
	var fades []dissolve
	if end := int64(len(c)); m.out > 0 {
		fades = []dissolve{{span: span{end - m.out + 1, end}, weights: weightsOf(timeline.Color{A: 255}, m.out)}}
		c = c.weighed(fades)
	}
	rests := restsAnd(c, keyframes(favourRate), isolated(c), fades)
	if len(rests.holds) == 0 {
		t.Fatal("nothing rests")
	}
	encodeFavoured(t, []string{"-i", source}, plain, everything(int64(len(c))), timeline.Medium)
	encodeFavoured(t, []string{"-i", source}, held, rests, timeline.Medium)
	if err := mp4file.Lengthen(held, rests.holds); err != nil {
		t.Fatal(err)
	}
	was, is := likeness(t, plain, "-i", source), likeness(t, held, "-i", source)
	before, after := sizeOf(t, plain), sizeOf(t, held)
	t.Logf("PSNR %.2f dB without rests, %.2f with; %d bytes, %d", was, is, before, after)
	if is < was-0.3 {
		t.Errorf("PSNR %.2f dB, without rests %.2f", is, was)
	}
	if float64(after) > 1.05*float64(before) {
		t.Errorf("%d bytes, without rests %d", after, before)
	}
}

// favourRate is the frame rate of what is encoded here.
var favourRate = timeline.Rate{Num: 25, Den: 1}

// encodeFavoured encodes the frames of a window that are to be encoded, with the service's arguments.
func encodeFavoured(t *testing.T, input []string, path string, rests rests, quality timeline.Quality, more ...string) {
	t.Helper()
	arguments := append(encoder(&timeline.Timeline{FPS: favourRate, Quality: quality}, ffmpeg.Encoder{}), "-threads", "1") // the same on any machine
	if len(rests.holds) == 0 {
		ffmpegOf(t, slices.Concat(input, arguments, more, []string{path})...)
		return
	}
	g := &graph{rate: favourRate, top: "0:v", pick: rests.selected(), picked: true}
	last := g.finish(rests)
	ffmpegOf(t, slices.Concat(input, []string{"-filter_complex", g.script(), "-map", "[" + last + "]", "-frames:v", strconv.FormatInt(rests.frames, 10)},
		arguments, rests.encoder(false), []string{path})...)
}

// likeness is the mean PSNR of the luma of a movie's frames, beside what they were made from.
func likeness(t *testing.T, path string, source ...string) float64 {
	t.Helper()
	sum, count := 0.0, 0
	for line := range strings.Lines(ffmpegOf(t, slices.Concat([]string{"-i", path}, source, []string{"-lavfi", "[0:v][1:v]psnr=stats_file=-", "-f", "null", "-"})...)) {
		_, value, _ := strings.Cut(line, "psnr_y:")
		psnr, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum, count = sum+min(psnr, 70), count+1
	}
	return sum / float64(max(count, 1))
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

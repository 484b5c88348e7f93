package bench_test

import (
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

type object = map[string]any

// reel is the media that movies are measured with, made by ffmpeg's own sources, and a server of it.
type reel struct {
	b    *testing.B
	dir  string
	url  string
	host string
	draw *text.Engine
}

func newReel(b *testing.B) *reel {
	b.Helper()
	log := logrus.New()
	log.SetLevel(logrus.ErrorLevel)
	draw, err := text.NewEngine(b.TempDir(), log)
	if err != nil {
		b.Fatal(err)
	}
	r := &reel{b: b, dir: b.TempDir(), draw: draw}
	server := httptest.NewServer(http.FileServer(http.Dir(r.dir)))
	b.Cleanup(server.Close)
	r.url, r.host = server.URL+"/", strings.TrimPrefix(server.URL, "http://")
	r.run("-f", "lavfi", "-i", "mandelbrot=s=2208x1242:r=1:start_scale=0.4", "-frames:v", "1", r.path("photo.png"))
	r.run("-f", "lavfi", "-i", "sine=f=220:d=60:r=48000,volume=0.3", r.path("music.wav"))
	for i := range clips {
		r.run("-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=1920x1080:r=30:d=5,hue=h=%d,noise=alls=%d:allf=t,format=yuv420p", 60*i, 4+4*i),
			"-f", "lavfi", "-i", fmt.Sprintf("sine=f=%d:d=5:r=48000,volume=0.3", 220+110*i), "-c:v", "libx264", "-preset", "veryfast", "-crf", "23",
			"-colorspace", "bt709", "-color_range", "tv", "-color_primaries", "bt709", "-color_trc", "bt709", "-c:a", "aac", r.path(clip(i)))
	}
	return r
}

// clips is how many different ones there are.
const clips = 3

// clipEnv names the variable that says how many seconds a clip of the long movie lasts, for a short run: 1 to 5, which is usual.
const clipEnv = "MOVIOLA_BENCH_CLIP"

func clipSeconds(b *testing.B) int {
	b.Helper()
	text := os.Getenv(clipEnv)
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 5 {
		b.Fatalf("%s is %q: 1 to 5 seconds", clipEnv, text)
	}
	return n
}

func clip(i int) string { return "clip" + strconv.Itoa(i%clips) + ".mp4" }

func (r *reel) path(name string) string { return filepath.Join(r.dir, name) }

// run is ffmpeg, as low in priority as the service runs it.
func (r *reel) run(args ...string) {
	r.b.Helper()
	args = append([]string{"-n", "10", "ffmpeg", "-v", "error", "-nostdin", "-y"}, args...)
	if out, err := exec.CommandContext(context.Background(), "nice", args...).CombinedOutput(); err != nil {
		r.b.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}

// words is a text element in a box, as movies and pictures say it.
type words struct {
	text       string
	x, y, w, h int
}

func (w words) element() object {
	return object{"type": "text", "text": w.text, "x": w.x, "y": w.y, "width": w.w, "height": w.h,
		"settings": object{"font-size": "80px", "font-weight": 700, "background-color": "rgba(0,0,0,0.5)", "padding": "20px"}}
}

// picture draws the same text into a file, for the command that is written by hand: it pays for no text.
func (r *reel) picture(name string, w words) {
	r.b.Helper()
	drawn, err := r.draw.Draw(timeline.Text{Text: w.text, Settings: timeline.TextSettings{
		FontFamily: "Inter", FontSize: 80, FontWeight: 700, Color: timeline.Color{R: 255, G: 255, B: 255, A: 255},
		Background: timeline.Color{A: 128}, Padding: timeline.Sides{Top: 20, Right: 20, Bottom: 20, Left: 20},
		Align: timeline.AlignCenter, Horizontal: timeline.AlignCenter, Vertical: timeline.AlignMiddle,
	}}, w.w, w.h)
	if err != nil {
		r.b.Fatal(err)
	}
	f, err := os.Create(r.path(name))
	if err != nil {
		r.b.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, drawn.Image); err != nil {
		r.b.Fatal(err)
	}
}

// The texts of the standard movie.
var (
	title = words{"The standard movie", 444, 400, 1032, 280}
	third = words{"A lower third", 100, 800, 1032, 200}
	card  = words{"A card with\na few words", 444, 346, 1032, 388}
)

// standard is the movie that engines are compared by: 12 s of 1080p at 30 fps in three scenes. An image with a slow zoom and a title; a noisy
// clip with a lower third that fades; a colour with a card; music over all.
func (r *reel) standard() object {
	lower := third.element()
	lower["start"], lower["duration"], lower["fade-in"], lower["fade-out"] = 0.5, 3, 0.5, 0.5
	return movieOf([]object{
		{"duration": 4, "elements": []object{{"type": "image", "src": r.url + "photo.png", "resize": "cover", "zoom": 1.5}, title.element()}},
		{"duration": 4, "elements": []object{{"type": "video", "src": r.url + clip(2), "resize": "cover", "muted": true}, lower}},
		{"duration": 4, "background-color": "#1e3a8a", "elements": []object{card.element()}},
	}, object{"type": "audio", "src": r.url + "music.wav", "duration": -2})
}

func movieOf(scenes []object, elements ...object) object {
	movie := object{"resolution": "full-hd", "fps": 30, "quality": "medium", "scenes": scenes}
	if len(elements) > 0 {
		movie["elements"] = elements
	}
	return movie
}

const (
	still  = "scale=out_color_matrix=bt709:out_range=tv,format=yuva420p,loop=loop=-1:size=1:start=0"
	titled = 12 // clips of the long movie
)

// encode ends every command written by hand: the encoder's settings are the service's.
func (r *reel) encode(inputs []string, graph string, maps ...string) {
	r.b.Helper()
	var args []string
	for _, in := range inputs {
		if filepath.Ext(in) == ".png" {
			args = append(args, "-framerate", "30")
		}
		args = append(args, "-i", r.path(in))
	}
	args = append(append(args, "-filter_complex", graph), maps...)
	r.run(append(args, "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-profile:v", "high", "-g", "120", "-pix_fmt", "yuv420p",
		"-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
		"-c:a", "aac", "-b:a", "192k", "-movflags", "+faststart", r.path("hand.mp4"))...)
}

// standardByHand is the best command that we could write for the same movie: one graph, every still decoded once, overlays cropped,
// the zoom by zoompan on twice the size, colours right.
func (r *reel) standardByHand() {
	r.b.Helper()
	r.encode([]string{"photo.png", "title.png", clip(2), "third.png", "card.png", "music.wav"},
		"[0:v]scale=3840:2160:out_color_matrix=bt709:out_range=tv,format=yuv420p,"+
			"zoompan=z='1+0.15*on/119':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=120:s=1920x1080:fps=30,setsar=1[z];"+
			"[1:v]"+still+",trim=end_frame=120[t];[z][t]overlay=x=444:y=400:format=yuv420,setsar=1[a];"+
			"[2:v]fps=30,trim=end_frame=120,setpts=N/30/TB,setsar=1[c];"+
			"[3:v]"+still+",trim=end_frame=90,setpts=N/30/TB,fade=t=in:st=0:d=0.5:alpha=1,fade=t=out:st=2.5:d=0.5:alpha=1,setpts=PTS+0.5/TB[l];"+
			"[c][l]overlay=x=100:y=800:format=yuv420:eof_action=pass[bb];"+
			"color=c=0x1e3a8a:s=1920x1080:r=30:d=4,format=rgb24,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p[k];"+
			"[4:v]"+still+",trim=end_frame=120[w];[k][w]overlay=x=444:y=346:format=yuv420,setsar=1[d];[a][bb][d]concat=n=3:v=1:a=0[v]",
		"-map", "[v]", "-map", "5:a", "-t", "12")
}

// clipTitle is the title over a clip of the long movie.
func clipTitle(i int) words {
	return words{fmt.Sprintf("Clip %d of %d", i+1, titled), 444, 760, 1032, 200}
}

// long is a movie of a minute: twelve clips of five seconds, each with its sound and a title.
func (r *reel) long() object {
	var scenes []object
	for i := range titled {
		scenes = append(scenes, object{"duration": clipSeconds(r.b), "elements": []object{{"type": "video", "src": r.url + clip(i)}, clipTitle(i).element()}})
	}
	return movieOf(scenes)
}

// longByHand is the best command for it.
func (r *reel) longByHand() {
	r.b.Helper()
	var inputs []string
	var graph, all string
	length := clipSeconds(r.b)
	for i := range titled {
		inputs = append(inputs, clip(i), fmt.Sprintf("title%d.png", i))
		graph += fmt.Sprintf("[%d:v]%s,trim=end_frame=%d[t%d];[%d:v]trim=end_frame=%[3]d[c%[4]d];[c%[4]d][t%[4]d]overlay=x=444:y=760:format=yuv420,setsar=1[v%[4]d];"+
			"[%[5]d:a]atrim=end=%[6]d[a%[4]d];", 2*i+1, still, 30*length, i, 2*i, length)
		all += fmt.Sprintf("[v%d][a%[1]d]", i)
	}
	r.encode(inputs, fmt.Sprintf("%s%sconcat=n=%d:v=1:a=1[v][a]", graph, all, titled), "-map", "[v]", "-map", "[a]")
}

// slides are ten scenes of three seconds: a picture that comes nearer, and a caption.
func (r *reel) slides(third string) object {
	var scenes []object
	for i := range 10 {
		caption := fmt.Sprintf("Slide number %d", i+1)
		if i == 3 {
			caption = third
		}
		scenes = append(scenes, object{"duration": 3, "elements": []object{
			{"type": "image", "src": r.url + "photo.png", "resize": "cover", "zoom": 1 + 0.2*float64(i)},
			words{caption, 444, 760, 1032, 200}.element(),
		}})
	}
	return movieOf(scenes, object{"type": "audio", "src": r.url + "music.wav", "duration": -2})
}

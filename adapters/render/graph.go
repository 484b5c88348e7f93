package render

import (
	"fmt"
	"image"
	"strconv"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// graph builds the inputs and filters of one window, from bottom to top. Only numbers and names of our own get into the
// filters, no texts of clients.
type graph struct {
	w, h   int
	rate   timeline.Rate
	inputs []ffmpeg.Input
	chains []string
	top    string // label of the composition so far
	labels int
	first  int       // number of this graph's first input; other graphs of the same run use the numbers before it
	name   string    // prefix of the graph's labels
	pick   string    // filter that selects the encoded frames; empty once it has been applied
	picked bool      // the window encodes only some of its frames
	taken  []span    // frames of the window that the filter pick selects
	spans  []span    // frames of the window that remain once the filter pick has been applied; nil: it was not applied
	shared *openings // parts of sources that are decoded once for several windows of one run of ffmpeg; nil: none
}

func (g *graph) label() string {
	g.labels++
	return g.name + "s" + strconv.Itoa(g.labels)
}

// input adds a file and returns its index.
func (g *graph) input(in ffmpeg.Input) int {
	g.inputs = append(g.inputs, in)
	return g.first + len(g.inputs) - 1
}

// chain adds a chain of filters between two stream labels.
func (g *graph) chain(from string, filters []string, to string) {
	g.chains = append(g.chains, "["+from+"]"+strings.Join(filters, ",")+"["+to+"]")
}

// seconds converts a number of frames to seconds for filters.
func (g *graph) seconds(frames float64) string {
	return strconv.FormatFloat(frames*float64(g.rate.Den)/float64(g.rate.Num), 'f', 6, 64)
}

// base begins the composition with one picture for the whole window. Its file is removed after the run.
func (g *graph) base(path string, frames int64) {
	in := g.input(ffmpeg.Input{Path: path, Temporary: true, Format: "rawvideo", Raw: &ffmpeg.Raw{
		PixelFormat: "yuv420p", Width: g.w, Height: g.h, Rate: g.rate,
	}})
	g.top = g.label()
	filters := repeated(frames, 0)
	// The filter g.pick drops the frames that are not encoded. It is applied here, to the lowest picture, so that layers
	// are composited only for the remaining frames: the filter overlay makes one frame for each frame of the lower picture.
	if g.pick != "" {
		filters, g.pick, g.spans = append(filters, g.pick), "", g.taken
	}
	g.chain(pad(in, 0), filters, g.top)
}

// pad returns the label of a stream of an input.
func pad(input, index int) string { return strconv.Itoa(input) + ":" + strconv.Itoa(index) }

// repeated returns the filters that turn one picture into a number of frames, numbered from first.
func repeated(frames, first int64) []string {
	return []string{"loop=loop=-1:size=1:start=0", endFrame(frames), number(first)}
}

func endFrame(n int64) string   { return "trim=end_frame=" + strconv.FormatInt(n, 10) }
func number(first int64) string { return "setpts=N+" + strconv.FormatInt(first, 10) }

// renumbered are the filters that number frames from 0, in frames, after a filter that counts time in another unit.
func (g *graph) renumbered() []string {
	return []string{fmt.Sprintf("settb=%d/%d", g.rate.Den, g.rate.Num), number(0)}
}

// still composites a picture over the result, for the frames that show its layer.
func (g *graph) still(path string, p *picture.Layer, l timeline.Layer) {
	from := pad(g.rawInput(path, p), 0)
	ends := "repeat"
	if fades(l) {
		faded := g.label()
		g.chain(from, append(repeated(l.To-l.From, l.Phase), g.fade(l)...), faded)
		from, ends = faded, "pass"
	}
	g.overlay(from, image.Pt(p.X, p.Y), ends, l)
}

// rawInput adds the file of a drawn layer as an input.
func (g *graph) rawInput(path string, p *picture.Layer) int {
	return g.input(ffmpeg.Input{Path: path, Format: "rawvideo", Raw: &ffmpeg.Raw{
		PixelFormat: picture.PixelFormat, Width: p.W, Height: p.H, Rate: g.rate,
	}})
}

// fades reports whether the layer fades in or out within its window.
func fades(l timeline.Layer) bool {
	in := l.FadeIn > 0 && l.Phase < l.FadeIn
	out := l.FadeOut > 0 && l.Phase+l.To-l.From > l.Life-l.FadeOut
	return in || out
}

// fade returns the filters that fade the alpha of the layer l. The timestamps of the frames that these filters receive must
// count from the start of the element. The timestamps of the frames that they pass on count from the start of the window.
// If g.pick was applied, frames that are not encoded are dropped before they are faded, because fading copies each frame.
func (g *graph) fade(l timeline.Layer) []string {
	var filters []string
	if g.spans != nil {
		filters = append(filters, selecting(g.spans, l.From))
	}
	if l.FadeIn > 0 {
		filters = append(filters, "fade=t=in:st=0:d="+g.seconds(float64(l.FadeIn))+":alpha=1")
	}
	if l.FadeOut > 0 {
		filters = append(filters, "fade=t=out:st="+g.seconds(float64(l.Life-l.FadeOut))+":d="+g.seconds(float64(l.FadeOut))+":alpha=1")
	}
	return append(filters, "setpts=PTS+"+strconv.FormatInt(l.From-l.Phase, 10))
}

// overlay composites a stream over the result, for the frames that show its layer. The overlay starts and ends half way between
// two frames, so that rounding cannot shift it by a frame.
func (g *graph) overlay(from string, at image.Point, ends string, l timeline.Layer) {
	to := g.label()
	g.chain(g.top+"]["+from, []string{fmt.Sprintf("overlay=x=%d:y=%d:format=yuv420:eof_action=%s:enable='between(t,%s,%s)'",
		at.X, at.Y, ends, g.seconds(float64(l.From)-0.5), g.seconds(float64(l.To)-0.5))}, to)
	g.top = to
}

// finish converts the composition to the pixel format of all windows and ends it after the window's frames.
func (g *graph) finish(frames rests) string {
	filters := []string{"format=yuv420p", "setsar=1", endFrame(frames.frames)}
	if g.pick != "" {
		filters = append([]string{g.pick}, filters...)
	}
	if g.picked {
		again := g.renumbered()
		if len(frames.favour) > 0 {
			to := g.label()
			g.chain(g.top, filters, to)
			g.top = to
			g.favour(frames.favour, frames.frames)
			filters = nil
		}
		filters = append(filters, again...)
	}
	to := g.label()
	g.chain(g.top, filters, to)
	return to
}

func (g *graph) script() string { return strings.Join(g.chains, ";\n") + "\n" }

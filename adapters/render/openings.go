package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

// openings are the sources that windows of one process open together: what several of them show is decoded once, and each takes
// its part of the frames.
type openings struct {
	all []*opening
}

// opening is a stretch of a source that is decoded once.
type opening struct {
	path     string
	from, to float64 // seconds of the source; frames that are sampled between them
	uses     int
	name     string
	input    string   // the stream that is decoded; empty until a window takes frames of it
	branches []string // labels of its copies
}

// worthDecoding is how many seconds of a source are decoded, and not shown, rather than opening it again. Opening begins at
// a key frame, which lies up to ten seconds before; on the average half of what the usual encoders leave between two of them.
const worthDecoding = 2.5

// openingsOf finds what windows have in common.
func (r *run) openingsOf(all []*ticket) *openings {
	var plays []opening
	for _, t := range all {
		plays = append(plays, r.playsOf(t.window)...)
	}
	slices.SortStableFunc(plays, func(a, b opening) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.from, b.from))
	})
	o := &openings{}
	for _, p := range plays {
		if n := len(o.all); n > 0 && o.all[n-1].path == p.path && p.from <= o.all[n-1].to+worthDecoding {
			last := o.all[n-1]
			last.to, last.uses = max(last.to, p.to), last.uses+1
			continue
		}
		p.uses, p.name = 1, "o"+strconv.Itoa(len(o.all))
		o.all = append(o.all, &p)
	}
	o.all = slices.DeleteFunc(o.all, func(o *opening) bool { return o.uses < 2 })
	return o
}

// playsOf are the stretches of sources that a window shows, of those sources that can be opened anywhere.
func (r *run) playsOf(w timeline.Window) []opening {
	var all []opening
	for l := range layersOf(w) {
		src := r.sources[l.Source]
		if !r.filmed(l) || !divisible(src) {
			continue
		}
		for _, s := range plays(l, r.plan.FPS) {
			s, _ = s.within(src, r.plan.FPS)
			all = append(all, opening{path: src.path, from: s.at, to: s.end(r.plan.FPS)})
		}
	}
	return all
}

// divisible says that times of a source are exact wherever it is opened: after whole seconds, in these formats.
func divisible(src source) bool { return src.asset.Format == "mov" || src.asset.Format == "matroska" }

func (s play) end(rate timeline.Rate) float64 {
	return s.at + float64(s.frames)*float64(rate.Den)/float64(rate.Num)
}

// branch takes a part of a source from a decoding that windows share: the label of its frames, and the time of the part after the
// first of them. false: it is opened by itself.
func (o *openings) branch(g *graph, src source, s play) (label string, start float64, ok bool) {
	if o == nil || !divisible(src) {
		return "", 0, false
	}
	at := slices.IndexFunc(o.all, func(o *opening) bool {
		return o.path == src.path && o.from <= s.at && s.end(g.rate) <= o.to+1e-6
	})
	if at < 0 {
		return "", 0, false
	}
	shared, v := o.all[at], src.asset.Media.Video
	skip := math.Floor(math.Max(0, shared.from-lead(v)))
	if shared.input == "" {
		in := ffmpeg.Input{Path: src.path, Format: src.asset.Format, Decoder: decoder(v), Steady: v.Rotation == 0}
		in.Seek, in.Length = skip, shared.to-skip+1
		shared.input = pad(g.input(in), v.Index)
	}
	label = shared.name + "b" + strconv.Itoa(len(shared.branches))
	shared.branches = append(shared.branches, label)
	return label, s.at - skip, true
}

// chains are the filters that give each window its copy.
func (o *openings) chains() []string {
	var all []string
	for _, o := range o.all {
		if len(o.branches) > 0 {
			all = append(all, fmt.Sprintf("[%s]split=%d[%s]", o.input, len(o.branches), strings.Join(o.branches, "][")))
		}
	}
	return all
}

// apart is how far windows lie from each other in a source that both show, in seconds; infinitely far if they have none in
// common.
func (r *run) apart(a, b timeline.Window) float64 {
	least := math.Inf(1)
	others := r.playsOf(b)
	for _, one := range r.playsOf(a) {
		for _, other := range others {
			if one.path == other.path {
				least = min(least, math.Abs(one.from-other.from))
			}
		}
	}
	return least
}

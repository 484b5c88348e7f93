package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"moviola/adapters/render/artwork"
	"moviola/domain/timeline"
)

// openings are the parts of sources that are used several times in one run of ffmpeg: usually by several windows, or by
// several of the short windows that are encoded as one (a group). Each part is decoded once, and each use takes its
// frames from the result.
type openings struct {
	all []*opening
}

// opening is a part of a source that is decoded once for all windows that show it.
type opening struct {
	path     string
	from, to float64 // start and end in the source, in seconds
	uses     int
	name     string
	input    string   // label of the decoded stream; empty until a window uses it
	branches []string // labels of the copies of the decoded stream, one for each use
}

// worthDecoding is the largest gap, in seconds, between two needed parts of a source that are decoded in one go. Decoding
// the gap usually costs less than opening the source a second time, because decoding begins at a key frame, often seconds
// earlier.
const worthDecoding = 2.5

// openingsOf returns the parts of sources that the windows show more than once.
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

// playsOf returns the parts of videos and animated pictures that the window w shows. It leaves out sources that are not
// divisible.
func (r *run) playsOf(w timeline.Window) []opening {
	var all []opening
	for _, l := range layersOf(w) {
		src := r.sources[l.Source]
		if !r.filmed(l) || !divisible(src) {
			continue
		}
		for _, s := range plays(l, r.plan.FPS) {
			all = append(all, opening{path: src.Path, from: s.at, to: s.end(r.plan.FPS)})
		}
	}
	return all
}

// divisible reports whether decoding of the source can begin at any given second, with exact times. That depends on its
// format.
func divisible(src artwork.Source) bool {
	return src.Asset.Format == "mov" || src.Asset.Format == "matroska"
}

func (s play) end(rate timeline.Rate) float64 {
	return s.at + float64(s.frames)*float64(rate.Den)/float64(rate.Num)
}

// branch lets a window use the frames of a part of a source that is decoded once for several windows. It returns the label
// of a stream with these frames, and the time in seconds at which the part s begins in the stream. ok is false if s is not
// decoded for several windows; the window then has to open the source itself.
func (o *openings) branch(g *graph, src artwork.Source, s play) (label string, start float64, ok bool) {
	if o == nil || !divisible(src) {
		return "", 0, false
	}
	at := slices.IndexFunc(o.all, func(o *opening) bool {
		return o.path == src.Path && o.from <= s.at && s.end(g.rate) <= o.to+1e-6
	})
	if at < 0 {
		return "", 0, false
	}
	shared := o.all[at]
	skip := math.Floor(math.Max(0, shared.from-lead(src)))
	if shared.input == "" {
		shared.input = pad(g.input(videoFrom(src, skip)), src.Asset.Media.Video.Index)
	}
	label = shared.name + "b" + strconv.Itoa(len(shared.branches))
	shared.branches = append(shared.branches, label)
	return label, s.at - skip, true
}

// chains returns the filters that copy the frames of each part of a source that is decoded once for several windows: one
// copy for each use by a window.
func (o *openings) chains() []string {
	var all []string
	for _, o := range o.all {
		if len(o.branches) > 0 {
			all = append(all, fmt.Sprintf("[%s]split=%d[%s]", o.input, len(o.branches), strings.Join(o.branches, "][")))
		}
	}
	return all
}

// apart is the distance in seconds between the parts of the same source that two windows show; infinite if they have no source in
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

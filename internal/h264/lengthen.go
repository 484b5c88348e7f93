package h264

import (
	"fmt"
	"slices"
)

// Stream is a video as an encoder has written it: what stands before its pictures, and these in the order in which they are
// decoded. Its NAL units have neither start codes nor lengths.
type Stream struct {
	Sequence []byte   // the parameter set
	Pictures [][]byte // likewise: an encoder writes one, Lengthen two
	Frames   []Frame
}

// Frame is an encoded picture.
type Frame struct {
	Units [][]byte
	Key   bool // an IDR: whoever begins to read can begin here
	Shown int  // its place in the order of display. Lengthen finds it by itself
}

// Hold is a rest: pictures of a stream that look the same, after one of which More are to be shown that look like it.
type Hold struct {
	First, Last int // of those that look the same, as displayed
	More        int
}

// Lengthen returns the stream with its rests. Streams of one encoder that differ in nothing but how it weighs references have the
// same parameter sets afterwards. Every picture that it had is decoded to what it was. Holds come in the order of display and do
// not overlap. ErrUnknown: the stream is not written as x264 writes them, or none of the pictures of a rest ends a group; that of
// a last one, and of one before a key frame, does.
func Lengthen(in Stream, holds []Hold) (Stream, error) {
	data := unescape(in.Sequence)
	s, err := parseSequence(data)
	if err != nil {
		return Stream{}, err
	}
	if len(in.Pictures) != 1 {
		return Stream{}, fmt.Errorf("%w: %d parameter sets of pictures", ErrUnknown, len(in.Pictures))
	}
	about := unescape(in.Pictures[0])
	p, err := parsePictures(about)
	if err != nil {
		return Stream{}, err
	}
	if p.weights == byDistance && len(holds) > 0 {
		return Stream{}, fmt.Errorf("%w: its weights follow from distances", ErrUnknown)
	}
	l := lengthener{sequence: s, pictures: p, skipped: skipped(s.blocks), holds: holds}
	out := Stream{Sequence: s.widened(data), Pictures: p.both(about)}
	for from := 0; from < len(in.Frames); {
		to := from + 1
		for to < len(in.Frames) && !in.Frames[to].Key {
			to++
		}
		frames, err := l.period(in.Frames[from:to], from)
		if err != nil {
			return Stream{}, err
		}
		out.Frames = append(out.Frames, frames...)
		from = to
	}
	if len(l.holds) > 0 {
		return Stream{}, fmt.Errorf("%w: no picture ends at %d", ErrUnknown, l.holds[0].First)
	}
	return out, nil
}

type lengthener struct {
	sequence sequence
	pictures pictures
	skipped  []byte
	holds    []Hold // that are still to come
	shown    int    // pictures written before the period
}

// coded is a picture of a period: its slices, and its place in the period.
type coded struct {
	slice
	units  [][]byte
	slices []slice // of its units; those of others are zero
	datas  [][]byte
	shown  int
}

// read reads the pictures from one key frame to the next.
func (l *lengthener) read(frames []Frame) ([]coded, error) {
	all := make([]coded, len(frames))
	taken := make([]bool, len(frames)) // places in the order of display
	order := displayOrder{size: int64(1) << l.sequence.orderBits}
	for i, f := range frames {
		c, err := l.picture(f, i == 0)
		if err != nil {
			return nil, err
		}
		full := order.full(c.slice)
		if full < 0 || full%2 != 0 || full/2 >= int64(len(frames)) {
			return nil, fmt.Errorf("%w: its pictures are displayed in another order", ErrUnknown)
		}
		c.shown = int(full / 2)
		if taken[c.shown] {
			return nil, fmt.Errorf("%w: two pictures at one place", ErrUnknown)
		}
		taken[c.shown] = true
		all[i] = c
	}
	return all, nil
}

// picture reads the slices of a picture, which speak of the same one.
func (l *lengthener) picture(f Frame, key bool) (coded, error) {
	c := coded{units: f.Units, slices: make([]slice, len(f.Units)), datas: make([][]byte, len(f.Units))}
	found := false
	for k, unit := range f.Units {
		if len(unit) == 0 || unit[0]&31 != sliceNAL && unit[0]&31 != keySliceNAL {
			continue
		}
		data := unescape(unit)
		h, err := parseSlice(data, l.sequence, l.pictures)
		if err != nil {
			return c, err
		}
		if found && !h.samePicture(c.slice) || h.key != key {
			return c, fmt.Errorf("%w: the slices of a picture differ", ErrUnknown)
		}
		c.slices[k], c.datas[k] = h, data
		if !found {
			c.slice, found = h, true
		}
	}
	if !found {
		return c, fmt.Errorf("%w: a picture without a slice", ErrUnknown)
	}
	return c, nil
}

// displayOrder follows the places of pictures in the order of display, of which streams have the lower bits only.
type displayOrder struct {
	size int64  // of what the bits count
	high int64  // the upper part, at the last reference
	last uint32 // the lower part there
}

// full is the whole place of the next picture: the one of all that its bits may mean which is nearest to the last reference.
func (d *displayOrder) full(s slice) int64 {
	full := d.high + int64(s.order)
	switch step := int64(s.order) - int64(d.last); {
	case step <= -d.size/2:
		full += d.size
	case step > d.size/2:
		full -= d.size
	}
	if s.reference {
		d.high, d.last = full-int64(s.order), s.order
	}
	return full
}

// period writes the pictures from one key frame to the next, of which so many lie before it in the stream as it was.
func (l *lengthener) period(frames []Frame, before int) ([]Frame, error) {
	all, err := l.read(frames)
	if err != nil {
		return nil, err
	}
	rests, err := l.rests(all, before)
	if err != nil {
		return nil, err
	}
	var out []Frame
	var kept []uint32 // numbers of the references, the newest last
	numbers := uint32(1) << l.sequence.numberBits
	next, added := uint32(0), 0 // the number of a picture that is no reference
	for i, c := range all {
		out = append(out, l.moved(c, frames[i].Key, added))
		if c.reference {
			for _, back := range c.dropped {
				kept = slices.DeleteFunc(kept, func(n uint32) bool { return n == (c.number-back)%numbers })
			}
			if len(c.dropped) == 0 && len(kept) == l.sequence.references {
				kept = kept[1:]
			}
			kept = append(kept, c.number)
			next = (c.number + 1) % numbers
		}
		more := rests[i]
		if more == 0 {
			continue
		}
		like := all[slices.IndexFunc(all, func(o coded) bool { return o.shown == i })] // what is shown now: the order is closed here
		if !like.reference || !slices.Contains(kept, like.number) {
			return nil, fmt.Errorf("%w: the picture of a rest is no reference", ErrUnknown)
		}
		for range more {
			added++
			at := uint32(2 * (i + added))
			unit := skip(l.sequence, l.pictures, l.skipped, next, (next-like.number)%numbers, at)
			out = append(out, Frame{Units: [][]byte{unit}, Shown: l.shown + i + added})
		}
	}
	if len(out) >= 1<<(orderBits-2) {
		return nil, fmt.Errorf("%w: too many pictures without a key frame", ErrUnknown)
	}
	l.shown += len(out)
	return out, nil
}

// rests says after which picture, as decoded, how many are to be added: the last of a hold before which all is decoded that is
// shown before it, and nothing else.
func (l *lengthener) rests(all []coded, before int) (map[int]int, error) {
	ends := make([]bool, len(all)) // after which decoding and display have come equally far
	highest := -1
	for i, c := range all {
		highest = max(highest, c.shown)
		ends[i] = highest == i
	}
	rests := map[int]int{}
	for len(l.holds) > 0 && l.holds[0].First < before+len(all) {
		h := l.holds[0]
		if h.First < before || h.Last < h.First || h.Last >= before+len(all) || h.More < 0 {
			return nil, fmt.Errorf("%w: a rest goes over a key frame", ErrUnknown)
		}
		at := h.Last - before
		for at >= h.First-before && !ends[at] {
			at--
		}
		if at < h.First-before {
			return nil, fmt.Errorf("%w: no picture ends a group from %d to %d", ErrUnknown, h.First, h.Last)
		}
		rests[at] += h.More
		l.holds = l.holds[1:]
	}
	return rests, nil
}

// moved is a picture at its new place.
func (l *lengthener) moved(c coded, key bool, added int) Frame {
	f := Frame{Key: key, Shown: l.shown + c.shown + added, Units: make([][]byte, len(c.units))}
	for k, unit := range c.units {
		f.Units[k] = unit
		if c.datas[k] != nil {
			f.Units[k] = c.slices[k].moved(c.datas[k], l.sequence, l.pictures.id(), uint32(2*(c.shown+added)))
		}
	}
	return f
}

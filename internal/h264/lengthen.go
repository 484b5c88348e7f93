package h264

import (
	"fmt"
	"slices"
)

// Stream is an encoded video: its parameter sets, and its pictures in decoding order. Its NAL units have neither start codes nor
// length prefixes.
type Stream struct {
	Sequence []byte   // sequence parameter set
	Pictures [][]byte // picture parameter sets: an encoder writes one, Lengthen two
	Frames   []Frame
}

// Frame is an encoded picture.
type Frame struct {
	Units [][]byte
	Key   bool // an IDR picture, at which decoding can begin
	Shown int  // position of the picture in display order; set by Lengthen
}

// Hold is an order to lengthen a sequence of equal pictures. Lengthen inserts More repeats of these pictures.
type Hold struct {
	// First and Last are the positions of the first and the last picture of the sequence, counted from 0 in the display
	// order of the original stream.
	First, Last int
	More        int // number of repeats to insert
	// Out are the weights of further pictures, which are inserted after the repeats. Each is computed from the picture at
	// Last. For this, the first Last+1 pictures in decoding order must also be the first Last+1 pictures in display
	// order, and the P slices of the stream must have weights.
	Out []Weight
}

// Lengthen returns the stream with the pictures inserted that holds ask for. Every existing picture is decoded as before.
// The holds must be in display order and must not overlap. The returned parameter sets are the same for all streams of
// one encoder that differ only in how B pictures weight their references.
//
// Pictures can be inserted only at a point where the pictures decoded so far are exactly the pictures displayed so far,
// and the last one displayed is a reference. If the sequence of equal pictures of a hold has no such point, the error
// wraps ErrUnknown. In a stream of x264, a sequence at the end of the stream, or just before a key frame, has one. The
// error also wraps ErrUnknown if the stream does not have the form that x264 writes.
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
	holds    []Hold // orders to insert pictures that have not been carried out yet
	shown    int    // number of pictures returned for earlier periods; a period goes from one key frame to the next
}

// coded is a picture of a period (a key frame and the pictures up to the next one): its slices, and its position in the
// display order of the period.
type coded struct {
	slice
	units  [][]byte
	slices []slice // headers of the picture's NAL units; zero for units that are no slices
	datas  [][]byte
	shown  int
}

// read parses frames, the pictures of a period: a key frame and the pictures up to the next one.
func (l *lengthener) read(frames []Frame) ([]coded, error) {
	all := make([]coded, len(frames))
	taken := make([]bool, len(frames)) // taken[n]: a picture with position n in display order was read already
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

// picture parses the slices of one picture, and checks that they belong together.
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

// displayOrder reconstructs the full display positions of pictures, of which streams store the lower bits only.
type displayOrder struct {
	size int64  // number of different values that the stored bits can have
	high int64  // upper part of the position of the last reference
	last uint32 // lower part of the position of the last reference
}

// full returns the full display position of the next picture. The stream gives only its lower bits. Of all positions with these
// lower bits, it is the one nearest to the last reference.
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

// period returns frames, which are a key frame and the pictures up to the next one, with the pictures inserted that the
// holds ask for. before is the number of pictures before frames in the original stream.
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
	var kept []uint32 // frame numbers of the references, the newest last
	numbers := uint32(1) << l.sequence.numberBits
	next, added := uint32(0), 0 // next is the frame number for inserted pictures, added the number of inserted pictures
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
		if len(rests[i]) == 0 {
			continue
		}
		// The pictures are inserted after all[i] in decoding order, and are computed from the picture that is displayed
		// just before them. At this point the first i+1 pictures in decoding order are also the first i+1 in display
		// order. So that picture has position i in display order.
		like := all[slices.IndexFunc(all, func(o coded) bool { return o.shown == i })]
		if !like.reference || !slices.Contains(kept, like.number) {
			return nil, fmt.Errorf("%w: the picture of a rest is no reference", ErrUnknown)
		}
		for _, weight := range rests[i] {
			added++
			out = append(out, l.repeat(weight, next, (next-like.number)%numbers, i+added))
		}
	}
	if len(out) >= 1<<(orderBits-2) {
		return nil, fmt.Errorf("%w: too many pictures without a key frame", ErrUnknown)
	}
	l.shown += len(out)
	return out, nil
}

// repeat returns a new picture that is computed from an earlier one, its reference. number is the frame number of the new
// picture. back is number minus the frame number of the reference. place is the display position of the new picture,
// counted from the last key frame.
func (l *lengthener) repeat(weight Weight, number, back uint32, place int) Frame {
	unit := skip(l.sequence, l.pictures, l.skipped, weight, number, back, uint32(2*place))
	return Frame{Units: [][]byte{unit}, Shown: l.shown + place}
}

// rests returns the weights of the pictures to insert among the pictures all, which are a key frame and the pictures up
// to the next one, in decoding order. The pictures under the key i of the map are to be inserted after all[i]. before is
// the number of pictures displayed before all. Pictures can be inserted only at a point where the pictures decoded so far
// are exactly the pictures displayed so far. For each Hold that begins in all, rests uses the last such point in its
// sequence of equal pictures, and removes the Hold from l.holds.
func (l *lengthener) rests(all []coded, before int) (map[int][]Weight, error) {
	ends := make([]bool, len(all)) // ends[i]: the first i+1 decoded pictures are also the first i+1 displayed ones
	highest := -1
	for i, c := range all {
		highest = max(highest, c.shown)
		ends[i] = highest == i
	}
	rests := map[int][]Weight{}
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
		if len(h.Out) > 0 && (at != h.Last-before || !l.pictures.weighted) {
			return nil, fmt.Errorf("%w: nothing can be made of picture %d", ErrUnknown, h.Last)
		}
		rests[at] = slices.Concat(rests[at], make([]Weight, h.More), h.Out)
		l.holds = l.holds[1:]
	}
	return rests, nil
}

// moved returns the picture c with its new display position: later by added, the number of pictures that were inserted between
// the last key frame and c. key says whether c is a key frame itself.
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

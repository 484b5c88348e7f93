package mp4file

import (
	"cmp"
	"math"
	"slices"

	"moviola/domain/timeline"
)

// Follows returns an error if the file visibly does not match the timeline plan that it was made from. It compares the
// pictures, their times, the length of the sound and the places of the samples. every is the largest permitted distance
// between key frames, in frames. Design §5: a file that does not match is a failed render.
func (m *Inspected) Follows(plan *timeline.Timeline, every int64) error {
	if m.width != plan.Width || m.height != plan.Height {
		return unfit("it is %d × %d instead of %d × %d", m.width, m.height, plan.Width, plan.Height)
	}
	// The profiles that x264 chooses below High 10 have 8 bits per sample, and chroma at half the width and height.
	if len(m.parameters) < 2 || m.parameters[1] > highProfile {
		return unfit("its pictures have another profile than High")
	}
	if err := m.video.shows(plan.Frames, every); err != nil {
		return err
	}
	if got, want := m.video.scale*uint64(plan.FPS.Den), m.video.even*uint64(plan.FPS.Num); got != want {
		return unfit("its frames last %d of %d, at %d/%d frames a second", m.video.even, m.video.scale, plan.FPS.Num, plan.FPS.Den)
	}
	frame := float64(plan.FPS.Den) / float64(plan.FPS.Num)
	planned := float64(plan.Frames) * frame
	heard := float64(int64(m.audio.length)-m.audio.begins) / float64(m.audio.scale)
	if math.Abs(heard-planned) > frame+soundSlack {
		return unfit("its sound lasts %.3f s instead of %.3f s", heard, planned)
	}
	return m.filled()
}

const (
	highProfile = 100
	soundSlack  = 0.03 // largest difference between the lengths of sound and movie in seconds; frames of sound are about 1/50 s long
)

// shows returns an error unless a track has the given number of frames, each displayed at its time. The first frame must be a key
// frame. The parameter every is the largest permitted distance between key frames, in frames.
func (s *inspectedTrack) shows(frames, every int64) error {
	if int64(len(s.sizes)) != frames || s.even == 0 || len(s.shifts) != len(s.sizes) {
		return unfit("it has %d frames instead of %d, which last %d", len(s.sizes), frames, s.even)
	}
	seen := make([]bool, frames)
	for i, shift := range s.shifts {
		at := int64(i)*int64(s.even) + shift - s.begins
		n := at / int64(s.even)
		if at%int64(s.even) != 0 || n < 0 || n >= frames || seen[n] {
			return unfit("frame %d is shown at %d", i, at)
		}
		seen[n] = true
	}
	last := int64(1)
	if len(s.keys) == 0 || s.keys[0] != 1 {
		return unfit("it does not begin with a key frame")
	}
	for _, key := range append(s.keys[1:], uint32(frames)) {
		if gap := int64(key) - last; gap > every {
			return unfit("there is no key frame for %d frames", gap)
		}
		last = int64(key)
	}
	return nil
}

// filled returns an error unless every byte of the sample data belongs to exactly one sample.
func (m *Inspected) filled() error {
	chunks := append(slices.Clone(m.video.chunks), m.audio.chunks...)
	slices.SortFunc(chunks, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	at := m.data[0]
	for _, c := range chunks {
		if c.from != at {
			return unfit("samples lie at %d instead of %d", c.from, at)
		}
		at = c.to
	}
	if at != m.data[1] {
		return unfit("samples end at %d instead of %d", at, m.data[1])
	}
	return nil
}

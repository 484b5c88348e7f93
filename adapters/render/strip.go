package render

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/mp4file"
)

// strip is a sequence of windows that one encoder encodes, one after the other. Each of them begins with a key frame, where the
// result is cut afterwards.
type strip struct{ shots []shot }

// shot is a window of a strip.
type shot struct {
	ticket   *ticket
	frames   rests
	folder   string // name of the window's folder
	warnings []string
}

// stripsOf divides windows into strips. A strip contains windows that need the same settings of the encoder. Windows whose frames
// are not held have a strip each: only h264 knows how to cut, and it reads what x264 writes.
func (r *run) stripsOf(ctx context.Context, all []*ticket) ([]strip, error) {
	var strips []strip
	for i, t := range r.inSourceOrder(all) {
		ways, err := r.waysOf(ctx, t)
		if err != nil {
			return nil, err
		}
		one := shot{ticket: t, frames: ways[0], folder: "w" + strconv.Itoa(i)}
		at := slices.IndexFunc(strips, func(s strip) bool { return r.cuts(t) && s.suits(one) })
		if at < 0 {
			at, strips = len(strips), append(strips, strip{})
		}
		strips[at].shots = append(strips[at].shots, one)
	}
	return strips, nil
}

// cuts reports whether a window can be cut out of the file of a strip.
func (r *run) cuts(t *ticket) bool { return r.held() && !t.matte }

// suits reports whether a window can be encoded with the settings of a strip.
func (s strip) suits(one shot) bool {
	first := s.shots[0].frames
	return first.calm == one.frames.calm && (len(first.holds) > 0) == (len(one.frames.holds) > 0)
}

// inSourceOrder sorts windows that show a source by the time in it. Frames that are decoded once for all of them then reach the
// encoder in the order in which they are decoded, and none has to be kept in memory until an earlier window is encoded.
func (r *run) inSourceOrder(all []*ticket) []*ticket {
	first := map[*ticket]opening{}
	for _, t := range all {
		if plays := r.playsOf(t.window); len(plays) > 0 {
			first[t] = plays[0]
		}
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *ticket) int { return first[a].compare(first[b]) })
	return all
}

// rests returns the plan by which one encoder encodes all windows of a strip: the encoded frames of one window after the other,
// with a key frame at the start of each window.
func (s strip) rests() rests {
	all := rests{calm: s.shots[0].frames.calm, holds: s.shots[0].frames.holds}
	for i, one := range s.shots {
		if i > 0 {
			all.keys = append(all.keys, all.frames)
		}
		for _, key := range one.frames.keys {
			all.keys = append(all.keys, all.frames+key)
		}
		all.frames += one.frames.frames
	}
	return all
}

// after returns the plan of a window that follows another one in a strip. Such a window begins with a key frame. x264 encodes
// this key frame better than the first frame of a stream, unless the frame before is a key frame too. The plan reduces the
// quality of the frame by the same number of quantiser steps.
func (r rests) after(before rests) rests {
	last := int64(0) // the last key frame before the window
	if n := len(before.keys); n > 0 {
		last = before.keys[n-1]
	}
	if last == before.frames-1 {
		return r
	}
	first, others := favour{span{0, 1}, -keySteps}, r.favour
	if len(others) > 0 && others[0].from == 0 {
		first.steps, others = first.steps+others[0].steps, others[1:]
	}
	r.favour = append([]favour{first}, others...)
	return r
}

// shootStrips adds to a run of ffmpeg the inputs, filters and outputs that compose and encode the windows of strips.
func (r *run) shootStrips(ctx context.Context, c *ffmpeg.Command, strips []strip, shared *openings) error {
	var thumbnail []string
	for _, s := range strips {
		var labels []string
		for i := range s.shots {
			one := &s.shots[i]
			frames := one.frames
			if i > 0 {
				frames = frames.after(s.shots[i-1].frames)
			}
			if err := os.Mkdir(filepath.Join(c.Dir, one.folder), 0o700); err != nil {
				return err
			}
			p, err := r.picture(ctx, c, one.ticket, frames, one.folder, shared)
			if err != nil {
				return err
			}
			one.warnings, labels, thumbnail = p.warnings, append(labels, p.label), append(thumbnail, p.thumbnail...)
		}
		from := labels[0]
		if len(labels) > 1 {
			from = s.shots[0].folder + "all"
			c.Graph = strings.TrimSuffix(c.Graph, "\n") + fmt.Sprintf(";\n[%s]concat=n=%d,settb=%d/%d,%s[%s]",
				strings.Join(labels, "]["), len(labels), r.plan.FPS.Den, r.plan.FPS.Num, number(0), from)
		}
		c.Output = append(c.Output, r.encoding(s.shots[0].ticket, s.rests(), from, s.shots[0].folder)...)
	}
	c.Output = append(c.Output, thumbnail...)
	c.Graph = strings.Join(append(shared.chains(), c.Graph), ";\n")
	return nil
}

// encoded counts the frames of a strip that have been encoded.
func (s strip) encoded(frames int64) {
	for _, one := range s.shots {
		if frames <= 0 {
			return
		}
		one.ticket.count.reached(one.frames.shown(min(frames, one.frames.frames)))
		frames -= one.frames.frames
	}
}

// keepStrip stores the windows of an encoded strip. A window that cannot be used is logged, and remains to be rendered by itself.
func (r *run) keepStrip(ctx context.Context, dir string, s strip) {
	err := r.cutStrip(dir, s)
	for _, one := range s.shots {
		failed := err
		if failed == nil {
			failed = r.keepWindow(ctx, one.ticket, filepath.Join(dir, one.folder, windowFile), one.warnings)
		}
		if failed != nil {
			r.log.WithError(failed).
				Debug("window that was encoded together with others cannot be used; it is rendered again by itself")
		}
	}
}

// cutStrip cuts the file of a strip, in the folder of its first window, into a file for each window.
func (r *run) cutStrip(dir string, s strip) error {
	if !r.cuts(s.shots[0].ticket) {
		return nil
	}
	reel, err := mp4file.OpenReel(filepath.Join(dir, s.shots[0].folder, windowFile))
	if err != nil {
		return err
	}
	if int64(reel.Frames()) != s.rests().frames {
		return mp4file.ErrTrack
	}
	at := 0
	for _, one := range s.shots {
		to := at + int(one.frames.frames)
		if err := reel.Cut(at, to, one.frames.holds, filepath.Join(dir, one.folder, windowFile)); err != nil {
			return err
		}
		at = to
	}
	return nil
}

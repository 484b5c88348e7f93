package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// lead is how many seconds before the start of a needed part the source is opened: the frame shown at the start began before it.
// ffmpeg then decodes from the last key frame before that time, except in transport streams, which have no index: there it
// decodes from the next one.
func lead(src artwork.Source) float64 {
	if src.Asset.Format == "mpegts" {
		return unindexed
	}
	return math.Max(0.5, 3/math.Max(src.Asset.Media.Video.FrameRate, 0.1))
}

// unindexed is more seconds than usually lie between two key frames of a video. Many encoders set one every 250 frames.
const unindexed = 12

// place is the position of a video on the canvas. The video, after its crop, is scaled to the rectangle box. visible is
// the part of box that the frames show: the part on the canvas, or all of box while effects need it. After a rotation,
// box is the larger rectangle around the rotated video.
type place struct{ box, visible image.Rectangle }

func (g *graph) place(l timeline.Layer) place {
	box := image.Rect(l.Box.X, l.Box.Y, l.Box.X+l.Box.W, l.Box.Y+l.Box.H)
	return place{box: box, visible: box.Intersect(image.Rect(0, 0, g.w, g.h))}
}

// covers reports whether the video hides everything below it.
func (g *graph) covers(l timeline.Layer, src artwork.Source, frames int64) bool {
	return l.From <= 0 && l.To >= frames && !fades(l) && !transparent(src.Asset.Media.Video) && !reveals(l.Effects) &&
		g.place(l).visible == image.Rect(0, 0, g.w, g.h)
}

// video composites a video over the result, or begins the composition with it.
func (c *composer) video(ctx context.Context, l timeline.Layer) error {
	src := c.sources[l.Source]
	p := c.place(l)
	if reach(l, p.box).Intersect(image.Rect(0, 0, c.w, c.h)).Empty() {
		return nil
	}
	if whole(l.Effects) {
		if int64(p.box.Dx())*int64(p.box.Dy()) > artwork.MaxTurned {
			return artwork.Blame(l.Ref, "The element is too large to be moved, turned or masked: make 'width' or 'height' smaller")
		}
		p.visible = p.box
	}
	from, ok := c.looped(l, src, p)
	if !ok {
		from = c.played(l, src, p)
	}
	from, p, err := c.applyEffects(ctx, l, src, from, p)
	if err != nil {
		return err
	}
	c.put(l, from, p)
	return nil
}

// stretch opens the source for one repetition and returns the label of its frames, in the colours of the canvas and the
// size of their place. After the source's last frame, this frame is repeated.
func (g *graph) stretch(s play, src artwork.Source, l timeline.Layer, p place) string {
	v := src.Asset.Media.Video
	from, start, shared := g.shared.branch(g, src, s)
	var filters []string
	if shared {
		filters = g.steady(v, start, start+s.end(g.rate)-s.at+1)
	} else {
		var in ffmpeg.Input
		in, filters = g.opened(l.Ref, src, s.at, s.frames)
		from = pad(g.input(in), v.Index)
	}
	filters = append(filters, shape(v, l, p)...)
	filters = append(filters, "tpad=stop_mode=clone:stop=-1", endFrame(s.frames), number(0))
	to := g.label()
	g.chain(from, filters, to)
	return to
}

// opened returns an input that reads the source src from the time at, in seconds. It also returns the filters that turn
// what is read into frames at the movie's rate, numbered from 0. frames is the number of frames that are needed.
// ref is the element that is blamed for a damaged WebP.
func (g *graph) opened(ref timeline.Ref, src artwork.Source, at float64, frames int64) (ffmpeg.Input, []string) {
	v := src.Asset.Media.Video
	if src.Asset.Format == "webp" {
		return g.webp(ref, src, at, frames), []string{number(0)}
	}
	if end := src.Asset.Facts.Duration; end > 0 {
		at = min(at, end) // all later times show the last frame, and a transport stream cannot be opened far behind it
	}
	start := at
	skip := at - lead(src)
	// A GIF cannot be opened in the middle: it is decoded from its start.
	if skip > 0 && src.Asset.Format != "gif" {
		start = lead(src)
	} else {
		skip = 0
	}
	end := start + float64(frames)*float64(g.rate.Den)/float64(g.rate.Num) + 1
	return videoFrom(src, skip), g.steady(v, start, end)
}

// videoFrom returns an input that reads the frames of a video from a time in seconds, and earlier ones from a key frame on: the
// frame that is shown at this time can have begun long before, and a video can end before its sound.
func videoFrom(src artwork.Source, at float64) ffmpeg.Input {
	v := src.Asset.Media.Video
	return ffmpeg.Input{
		Path: src.Path, Format: src.Asset.Format, Decoder: decoder(v), Seek: at, Early: true,
		// For a rotated video, ffmpeg's own rotation filters would come before the scale filter that Steady requires.
		Steady: v.Rotation == 0,
	}
}

// steady are the filters that sample frames at the movie's rate, from start seconds to at most end seconds after the opening.
func (g *graph) steady(v *commands.VideoStream, start, end float64) []string {
	filters := g.sampled(start, end)
	if v.Rotation == 0 {
		// Video calls are recorded in sizes that vary with the network: all frames are scaled to the size that the file
		// states. Frames of that size are not changed.
		filters = append(filters, fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic", v.Width, v.Height))
	}
	return filters
}

// webp plays an animated WebP at the movie's rate.
func (g *graph) webp(ref timeline.Ref, src artwork.Source, at float64, frames int64) ffmpeg.Input {
	v := src.Asset.Media.Video
	return ffmpeg.Input{
		Format: "rawvideo", Raw: &ffmpeg.Raw{PixelFormat: "rgba", Width: v.Width, Height: v.Height, Rate: g.rate},
		Feed: func(ctx context.Context, to io.Writer) (err error) {
			player, err := picture.OpenWebP(src.Path)
			if err != nil {
				return artwork.ImageFault(ref, err)
			}
			defer func() { err = errors.Join(err, player.Close()) }()
			if player.Size() != image.Pt(v.Width, v.Height) {
				return errors.New("the size of a WebP has changed")
			}
			for n := range frames {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				img, err := player.At(at + float64(n)*float64(g.rate.Den)/float64(g.rate.Num))
				if err != nil {
					return artwork.ImageFault(ref, err)
				}
				if _, err := to.Write(img.Pix); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// tieBreak is the fraction of a frame by which sampling times are shifted. Without it, a sampling time can lie exactly half way
// between two frames of a source. Rounding would then choose between the two, differently in windows with different starts.
const tieBreak = 0.02

// lastFrames is how often the last frame of a source is repeated before frames are sampled, to give it a length: the filter fps
// drops a last frame that has none.
const lastFrames = 1000

// sampled returns the filters that sample frames at the movie's rate, from start seconds to end seconds. Earlier frames get the
// time start: if there are no others, the last of them is shown. Later frames get the time end: for a frame that a damaged file
// dates hours or years later, the filter fps would fill in all frames before it, and no later filter could stop fps.
func (g *graph) sampled(start, end float64) []string {
	first := ffmpeg.FormatSeconds(start - tieBreak*float64(g.rate.Den)/float64(g.rate.Num))
	last := ffmpeg.FormatSeconds(end)
	return []string{
		"tpad=stop_mode=clone:stop=" + strconv.Itoa(lastFrames), // before setpts, which hides the rate from it since ffmpeg 7
		fmt.Sprintf("setpts='if(lt(PTS,%[1]s/TB),%[1]s/TB,if(gt(PTS,%[2]s/TB),%[2]s/TB,PTS))'", first, last),
		"fps=fps=" + ffmpeg.FormatRate(g.rate) + ":start_time=" + first + ":round=near",
	}
}

// put composites frames, numbered from 0, over the result at their time and place.
func (g *graph) put(l timeline.Layer, from string, p place) {
	if g.top == "" {
		g.top = from
		return
	}
	var filters []string
	at := image.Pt(p.visible.Min.X&^1, p.visible.Min.Y&^1)
	if odd := p.visible.Min.Sub(at); odd != (image.Point{}) || p.visible.Dx()%2 != 0 || p.visible.Dy()%2 != 0 {
		// Overlays need even positions: other positions are padded with transparent pixels, in a format with full-size chroma.
		filters = append(filters, "format=yuva444p", fmt.Sprintf("pad=w=%d:h=%d:x=%d:y=%d:color=black@0",
			(p.visible.Dx()+odd.X+1)&^1, (p.visible.Dy()+odd.Y+1)&^1, odd.X, odd.Y))
	}
	filters = append(filters, "format=yuva420p")
	if fades(l) {
		filters = append(filters, number(l.Phase))
		filters = append(filters, g.fade(l)...)
	} else {
		filters = append(filters, number(l.From))
	}
	to := g.label()
	g.chain(from, filters, to)
	g.overlay(to, at, "pass", l)
}

// shape returns the filters that crop, scale and convert the frames of a video.
func shape(v *commands.VideoStream, l timeline.Layer, p place) []string {
	var filters []string
	if l.Crop != (timeline.Box{}) {
		filters = append(filters, crop(codedCrop(v, l.Crop)))
	}
	if !(l.Crop == timeline.Box{} && fitting(v, p.box.Size())) {
		filters = append(filters, scaled(v, p.box.Dx(), p.box.Dy())...)
	}
	if p.visible != p.box {
		filters = append(filters, crop(p.visible.Sub(p.box.Min)))
	}
	return append(filters, "setsar=1")
}

func crop(r image.Rectangle) string {
	return fmt.Sprintf("crop=w=%d:h=%d:x=%d:y=%d:exact=1", r.Dx(), r.Dy(), r.Min.X, r.Min.Y)
}

// codedCrop converts a rectangle of the displayed picture to one of the coded picture, whose pixels need not be square.
func codedCrop(v *commands.VideoStream, b timeline.Box) image.Rectangle {
	r := image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H)
	squeeze := func(x int) int { return int(math.Round(float64(x) * float64(v.AspectDen) / float64(v.AspectNum))) }
	if v.Rotation%180 == 0 {
		r.Min.X, r.Max.X = squeeze(r.Min.X), max(squeeze(r.Max.X), squeeze(r.Min.X)+1)
	} else {
		r.Min.Y, r.Max.Y = squeeze(r.Min.Y), max(squeeze(r.Max.Y), squeeze(r.Min.Y)+1)
	}
	return r
}

package artwork

import (
	"context"
	"image"
	"image/color"
	"math"

	"moviola/domain/timeline"
)

// EnvelopeRate is the resolution of an envelope: peaks per second of sound.
const EnvelopeRate = 100

// Envelope is the peak level of the movie's sound over time, 0 to 1.
type Envelope struct{ Peaks []float32 }

// Loudest is the highest peak in a time interval of the movie, in seconds.
func (e *Envelope) Loudest(from, to float64) float64 {
	first, last := int(math.Floor(from*EnvelopeRate)), int(math.Ceil(to*EnvelopeRate))
	var peak float32
	for i := max(first, 0); i < min(max(last, first+1), len(e.Peaks)); i++ {
		peak = max(peak, e.Peaks[i])
	}
	return float64(peak)
}

// waveform is the content of an AudiogramLayer: bars around a horizontal middle line that move to the left with the sound.
// The middle of the box is the current moment. The layer's field Seek is the time, in seconds, at which the element starts
// in the movie.
type waveform struct {
	layer    timeline.Layer
	box      image.Rectangle
	seen     image.Rectangle // the part of box that is drawn
	envelope *Envelope
	rate     timeline.Rate
}

const (
	waveSeconds = 2.0 // seconds of sound that are visible at once
	waveBars    = 80
)

func (s *Drawer) waveform(l timeline.Layer, box, seen image.Rectangle) (Content, error) {
	return &lateWave{stills: s, wave: waveform{layer: l, box: box, seen: seen, rate: s.Rate}}, nil
}

// lateWave measures the sound when it is first drawn, not when the layer is opened.
type lateWave struct {
	stills *Drawer
	wave   waveform
}

// Settled implements Content.
func (l *lateWave) Settled() int64 { return l.wave.layer.Life }

// At implements Content.
func (l *lateWave) At(ctx context.Context, k int64) (*image.RGBA, error) {
	if l.wave.envelope == nil {
		e, err := l.stills.Sound(ctx)
		if err != nil {
			return nil, err
		}
		l.wave.envelope = e
	}
	return l.wave.draw(k), nil
}

func (w *waveform) draw(k int64) *image.RGBA {
	img := image.NewRGBA(w.seen)
	now := w.layer.Seek + float64(k)*float64(w.rate.Den)/float64(w.rate.Num)
	pitch := math.Max(float64(w.box.Dx())/waveBars, 2)
	span := waveSeconds * pitch / float64(w.box.Dx()) // duration of a bar in seconds
	half := float64(w.box.Dy()) / 2
	c := w.layer.Audiogram.Color
	paint := color.RGBAModel.Convert(color.NRGBA{c.R, c.G, c.B, c.A}).(color.RGBA)
	// Every bar shows a fixed interval of the sound, so that bars move without flickering.
	first := int(math.Floor((now - waveSeconds/2) / span))
	for i := first; ; i++ {
		x := (float64(i)*span - now + waveSeconds/2) / span * pitch
		if x >= float64(w.box.Dx()) {
			return img
		}
		height := w.envelope.Loudest(float64(i)*span, float64(i+1)*span) * w.layer.Audiogram.Amplitude / 5 * half
		w.bar(img, x, x+pitch*0.6, math.Min(math.Max(height, 1), half), paint)
	}
}

// bar draws a bar around the middle line. Its edges are antialiased.
func (w *waveform) bar(img *image.RGBA, x0, x1, height float64, c color.RGBA) {
	middle := float64(w.box.Dy()) / 2
	seen := w.seen.Sub(w.box.Min)
	for x := max(seen.Min.X, int(math.Floor(x0))); x < min(seen.Max.X, int(math.Ceil(x1))); x++ {
		wide := math.Min(float64(x+1), x1) - math.Max(float64(x), x0)
		for y := max(seen.Min.Y, int(math.Floor(middle-height))); y < min(seen.Max.Y, int(math.Ceil(middle+height))); y++ {
			share := wide * (math.Min(float64(y+1), middle+height) - math.Max(float64(y), middle-height))
			p := img.Pix[(y-seen.Min.Y)*img.Stride+4*(x-seen.Min.X):]
			for i, v := range [4]uint8{c.R, c.G, c.B, c.A} {
				p[i] = uint8(min(255, float64(p[i])+float64(v)*share+0.5))
			}
		}
	}
}

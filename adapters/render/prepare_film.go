package render

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

// picture writes content that never changes as a PNG.
func (p *prepared) picture(ctx context.Context, c artwork.Content) error {
	img, err := c.At(ctx, 0)
	if err != nil {
		return err
	}
	path := filepath.Join(p.run.dir, "drawn.png")
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a drawing: %w", err)
	}
	full := straight(img, p.Width, p.Height)
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, full); err != nil {
		_ = f.Close() // an error of Close is ignored: the error of the encoder is returned
		return fmt.Errorf("write a drawing: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write a drawing: %w", err)
	}
	return p.finish(path, ".png", "image/png")
}

// straight returns a drawing on a transparent canvas, with straight (not premultiplied) alpha.
func straight(img *image.RGBA, w, h int) *image.NRGBA {
	full := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(full, img.Rect, img, img.Rect.Min, draw.Src)
	return full
}

// Some pictures have a format that browsers cannot show. For such a picture a short film is made, which browsers can play.
const (
	stillFrames  = 10   // number of frames of the film, which lasts one second
	maxStillSide = 3840 // largest width and height of the film in pixels, the same as for movies
)

// playableStill makes a film of a picture that browsers cannot show. Spec: Preload item result, webURL, which is WebM or MP4.
func (p *prepared) playableStill(ctx context.Context) error {
	w, h := within(p.Width, p.Height, maxStillSide)
	p.still.Box = image.Rect(0, 0, w, h)
	img, err := p.still.Pixels(p.still.Box)
	if err != nil {
		return fmt.Errorf("decode a prepared picture: %w", err)
	}
	pixels := straight(img, w, h).Pix
	feed := func(_ context.Context, to io.Writer) error {
		for range stillFrames {
			if _, err := to.Write(pixels); err != nil {
				return nil // the run of ffmpeg that has closed the pipe returns the cause
			}
		}
		return nil
	}
	rate := timeline.Rate{Num: stillFrames, Den: 1}
	return p.web(ctx, webForm(!img.Opaque()), ffmpeg.Command{Inputs: []ffmpeg.Input{{
		Format: "rawvideo", Raw: &ffmpeg.Raw{PixelFormat: "rgba", Width: w, Height: h, Rate: rate}, Feed: feed,
	}}})
}

// within scales a size down until its longer side has at most the number of pixels in the parameter most. Both sides of the
// result are at least 2 pixels.
func within(w, h, most int) (int, int) {
	if side := max(w, h); side > most {
		w, h = w*most/side, h*most/side
	}
	return max(w, 2), max(h, 2)
}

// film writes moving content as a ProRes film with transparency, at full quality.
func (p *prepared) film(ctx context.Context, c artwork.Content, frames int64) error {
	dir, err := os.MkdirTemp(p.run.dir, "film-") // a movie may keep several films
	if err != nil {
		return fmt.Errorf("make a folder for a film: %w", err)
	}
	rate := p.run.plan.FPS
	feed := func(ctx context.Context, to io.Writer) error { return p.feed(ctx, c, frames, to) }
	err = p.run.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{{
			Format: "rawvideo", Raw: &ffmpeg.Raw{PixelFormat: "rgba", Width: p.Width, Height: p.Height, Rate: rate}, Feed: feed,
		}},
		Output: []string{"-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le", "-vendor", "apl0", "drawn.mov"},
		Dir:    dir,
	})
	if err != nil {
		return fmt.Errorf("write a film: %w", err)
	}
	path := filepath.Join(dir, "drawn.mov")
	m, err := p.run.engine.cfg.Tools.Probe(ctx, path, "mov")
	if err != nil {
		return fmt.Errorf("read a film: %w", err)
	}
	m.Format = "mov"
	p.media, p.Duration = &m, rate.Seconds(frames).Float()
	return p.finish(path, ".mov", "video/quicktime")
}

// feed writes all frames, row by row. After the content has settled, the last frame is repeated.
func (p *prepared) feed(ctx context.Context, c artwork.Content, frames int64, to io.Writer) error {
	var last *image.NRGBA
	for k := range frames {
		if last == nil || k <= c.Settled() {
			img, err := c.At(ctx, k)
			if err != nil {
				return err
			}
			last = straight(img, p.Width, p.Height)
		}
		if _, err := to.Write(last.Pix); err != nil {
			return nil // the run of ffmpeg that has closed the pipe returns the cause
		}
	}
	return nil
}

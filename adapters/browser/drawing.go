package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

// drawingWork is the processor time that an SVG drawing may take.
const drawingWork = 2 * time.Second

var errWork = errors.New("the page takes too much processor time")

// loaded is a script that yields true when the only picture of a page could be decoded.
const loaded = `document.images[0].complete && document.images[0].naturalWidth > 0`

// Drawing draws the part v of the SVG drawing svg as v.W × v.H pixels. The browser treats the drawing as a picture: it runs
// no scripts, loads nothing, and shows the state of the drawing at time 0. Meanwhile all network requests of the browser
// are refused.
//
// A *domain.Error says what is wrong with the drawing, or that no browser is installed. Other errors have other causes,
// such as this machine or the end of ctx.
func (p *Pool) Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (*image.NRGBA, error) {
	page := Page{
		Width: v.W, Height: v.H, sealed: true, work: drawingWork,
		HTML: fmt.Sprintf(`<style>html,body{margin:0;overflow:hidden}`+
			`img{position:absolute;left:0;top:0;width:%gpx;height:%gpx;transform-origin:0 0;`+
			`transform:translate(%gpx,%gpx) scale(%g,%g)}</style>`+
			`<img src="data:image/svg+xml;base64,%s">`, v.Width, v.Height, v.X, v.Y, v.ScaleX, v.ScaleY,
			base64.StdEncoding.EncodeToString(svg)),
	}
	var drawn *image.NRGBA
	err := p.show(ctx, page, func(ctx context.Context, t *tab) error {
		var ok bool
		if err := t.evaluate(ctx, loaded, &ok); err != nil {
			return err
		}
		if !ok {
			return fault("The page cannot be read: it is damaged or not complete")
		}
		var err error
		drawn, err = t.shoot(ctx)
		return err
	})
	return drawn, ofDrawing(err)
}

// ofDrawing rewords the error of a page for a drawing.
func ofDrawing(err error) error {
	var refused *domain.Error
	if !errors.As(err, &refused) {
		return err
	}
	worded := *refused
	if worded.Code != codeMissing && worded.Code != commands.PageCrashed {
		worded.Code = "svg_failed"
	}
	worded.Message = strings.NewReplacer("The page", "The SVG drawing", "Web pages", "SVG drawings").Replace(worded.Message)
	return &worded
}

// Drawing draws a part of an SVG drawing. See Pool.Drawing.
func (e Elements) Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (*image.NRGBA, error) {
	return e.Pool.Drawing(ctx, svg, v)
}

// watchWork calls tooMuch when a process and its descendants have taken more processor time than limit, counted from now, until
// done is closed.
func watchWork(pid int, limit time.Duration, done <-chan struct{}, tooMuch func()) {
	ticker := time.NewTicker(memoryLook)
	defer ticker.Stop()
	before := workOf(pid)
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		if workOf(pid)-before > limit {
			tooMuch()
			return
		}
	}
}

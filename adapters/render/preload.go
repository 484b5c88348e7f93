package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"strconv"

	"golang.org/x/sync/errgroup"

	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/preload"
	"moviola/domain/timeline"
)

// preload prepares the items of the movie's property preload, before anything else, and fills in the parts of the document that
// depend on the items. An item that fails ends the render. Spec: Movie, preload; decision 46.
func (r *run) preload(ctx context.Context, doc *document.Movie) (*document.Movie, error) {
	if len(doc.Preload) == 0 {
		return doc, nil
	}
	defer r.whileSourcesMayTake()()
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(fetchers)
	all := make([]map[string]any, len(doc.Preload))
	for i := range doc.Preload {
		group.Go(func() (err error) {
			all[i], err = r.preloaded(groupCtx, doc, i)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if r.gaveWay.Load() {
		return nil, commands.ErrGiveWay
	}
	r.values = map[string]any{}
	for _, values := range all {
		maps.Copy(r.values, values)
	}
	doc, err := doc.Resolve(document.Known{Natural: r.natural, Values: r.values})
	if err != nil {
		return nil, err
	}
	return doc, document.Validate(doc)
}

// preloaded prepares one preload item and returns the variables that the item defines. If the item is a page, and the slot
// is wanted by other work before the page is ready, preloaded sets r.gaveWay and returns no error. An error would cancel
// the other items, whose providers would then be paid again in the next attempt.
func (r *run) preloaded(ctx context.Context, doc *document.Movie, index int) (map[string]any, error) {
	item := doc.Preload[index]
	job := commands.PrepareJob{
		Account: r.job.Account, Batch: string(r.job.Project), Index: index, Attempt: r.job.Attempt, Item: item,
		FetchedSince: r.job.FetchedSince, Now: r.clock(),
	}
	waits, end := ctx, func() {}
	if item.Type == preload.HTML {
		waits, end = r.untilLapsed(ctx)
	}
	made, err := r.engine.Prepare(waits, job)
	gaveWay := errors.Is(context.Cause(waits), commands.ErrGiveWay)
	end()
	if err != nil && gaveWay {
		r.gaveWay.Store(true)
		return nil, nil
	}
	if err != nil {
		return nil, ofItem(item.ID, err)
	}
	defer made.Close()
	r.warn(made.Warnings...)
	address, _ := item.Properties["src"].(string)
	web := ""
	if r.job.Preloaded != nil {
		var warning string
		if address, web, warning, err = r.job.Preloaded(ctx, job, made); err != nil {
			return nil, err
		}
		if warning != "" {
			r.warn(fmt.Sprintf("Preload item '%s': %s", item.ID, warning))
		}
	}
	return document.PreloadValues(item.ID, address, web, made.Duration, made.Width, made.Height), nil
}

// keepMade stores generated content in the media library, for elements that ask for it. A failure is a warning only: the movie is
// finished. Decision 47.
func (r *run) keepMade(ctx context.Context, doc *document.Movie) {
	if r.job.Keep == nil {
		return
	}
	named := map[string]int{} // number of assets that are stored under a name
	for _, item := range doc.Preload {
		if item.Save {
			named[item.ID]++
		}
	}
	for e := range doc.All() {
		if !e.Keep {
			continue
		}
		name := nameOf(e)
		named[name]++
		if err := r.keepElement(ctx, e, name, named[name]-1); err != nil {
			var fault *domain.Error
			reason := "an internal error"
			if errors.As(err, &fault) {
				reason = fault.Message
			} else {
				r.log.WithError(err).Warn("the asset that an element generated is not saved to the media library; " +
					"the movie is finished with a warning")
			}
			r.warn(fmt.Sprintf("%s: The asset was not kept in the media library: %s", artwork.ElementName(e.Ref), reason))
		}
	}
}

// nameOf returns the id of an element or, without one, its number.
func nameOf(e *document.Element) string {
	name := e.ID
	if name == "" {
		name = strconv.Itoa(e.Ref.Element)
		if e.Ref.Scene > 0 {
			name = strconv.Itoa(e.Ref.Scene) + "-" + name
		}
	}
	return name
}

// keepElement stores the generated content of one element under a name. before is how many assets have the name before it.
func (r *run) keepElement(ctx context.Context, e *document.Element, name string, before int) error {
	p := prepared{run: r}
	var err error
	if e.Ref.Type == document.TypeHTML || e.Ref.Type == document.TypeComponent {
		layer, frames, ok := r.layerOf(e.Ref)
		if !ok {
			return nil // an element that is never shown is not drawn, so there is nothing to store in the media library
		}
		err = p.draw(ctx, layer, frames)
	} else {
		err = p.source(e.Src)
	}
	if err != nil {
		return err
	}
	return r.job.Keep(ctx, name, before, p.Prepared)
}

// layerOf returns the layer of an element, moved to the corner of the canvas, and its length in frames.
func (r *run) layerOf(ref timeline.Ref) (timeline.Layer, int64, bool) {
	for _, w := range r.plan.Windows {
		for _, l := range layersOf(w) {
			if l.Ref == ref {
				l.Box.X, l.Box.Y = 0, 0
				return l, l.Life, true
			}
		}
	}
	return timeline.Layer{}, 0, false
}

// draw draws a layer in the corner of the canvas: as a picture if it never changes, otherwise as a film of the given number of
// frames.
func (p *prepared) draw(ctx context.Context, l timeline.Layer, frames int64) error {
	box := image.Rect(0, 0, l.Box.W, l.Box.H)
	c, err := p.run.stills.Content(ctx, l, box, box)
	if err != nil {
		return err
	}
	p.Width, p.Height = l.Box.W, l.Box.H
	if c.Settled() <= 0 {
		return p.picture(ctx, c)
	}
	return p.film(ctx, c, frames)
}

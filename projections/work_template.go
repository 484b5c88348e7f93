package projections

import (
	"context"
	"slices"

	"moviola/domain/movie"
	"moviola/domain/template"
)

// lineTemplate is the line of work of templates. The subject is the template.
const lineTemplate = "template/"

// WorkSweep is what is left to do of a deleted template: removing what is stored of it. It is due when nobody asks for it any more.
const WorkSweep = "sweep"

// templateTouched names the items that an event of a template moves.
func templateTouched(e Event) []string {
	switch e.Data.(type) {
	case template.Deleted, template.Swept:
		return []string{lineTemplate + e.ID}
	}
	return nil
}

// sweep follows a template from its deletion until nothing of it is stored. Its movies may be delivered again for as long as their files
// are kept, and a submission that has read it before its deletion may still be on its way.
func (w workModel) sweep(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(template.Deleted); ok {
		return i.ready(WorkSweep, d.At.Add(max(w.fileRetention, w.abandonAfter))), true
	}
	return i, false
}

// usesOf names the templates that a movie was made of.
func usesOf(submitted movie.Submitted) []string { return templateIDs(submitted.Templates) }

// Uses says whether a movie that is still to be rendered, or to be delivered for the first time, was made of a template. It may trail
// the log.
func (w *Work) Uses(ctx context.Context, id template.ID) (bool, error) {
	for _, line := range []struct{ kind, state string }{
		{WorkRender, workWaiting}, {WorkRender, WorkReady}, {WorkRender, WorkClaimed}, {WorkStop, WorkReady}, {WorkStop, WorkClaimed},
		{WorkDeliver, workWaiting}, {WorkDeliver, WorkReady}, {WorkDeliver, WorkClaimed}, {WorkBatch, WorkReady},
	} {
		for item, err := range w.all(ctx, line.kind, line.state) {
			if err != nil || slices.Contains(item.Templates, string(id)) {
				return err == nil, err
			}
		}
	}
	return false, nil
}

package projections

import (
	"context"
	"slices"

	"moviola/domain/movie"
	"moviola/domain/template"
)

// lineTemplate is the line of work on templates: the prefix of the ids of these work items, followed by the template.
const lineTemplate = "template/"

// WorkSweep removes the files of a deleted template, when no movie needs them any more. It is due Config.FileRetention after
// the deletion, or Config.AbandonAfter after it if that is later.
const WorkSweep = "sweep"

// templateTouched returns the ids of the work items that an event of a template changes.
func templateTouched(e Event) []string {
	switch e.Data.(type) {
	case template.Deleted, template.Swept:
		return []string{lineTemplate + e.ID}
	}
	return nil
}

// sweep folds an event into the work item of a deleted template. The item is open until the template's files are removed. The
// files are kept for a time: movies of the template may be delivered again while the files of these movies exist, and a
// submission that read the template before its deletion may still be in progress.
func (w workModel) sweep(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(template.Deleted); ok {
		return i.ready(WorkSweep, d.At.Add(max(w.fileRetention, w.abandonAfter))), true
	}
	return i, false
}

// usesOf returns the ids of the templates that a movie was made of.
func usesOf(submitted movie.Submitted) []string { return templateIDs(submitted.Templates) }

// Uses reports whether a movie that waits for its render or first delivery, or a batch that is not complete, is made of a
// template. It may lag behind the log.
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

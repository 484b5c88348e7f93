package projections

import (
	"slices"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
)

// touched returns the ids of the work items that an event changes. Each category of events has a function of its own.
func (workModel) touched(e Event) []string {
	if ids := ledgerTouched(e); ids != nil {
		return ids
	}
	if ids := movieTouched(e); ids != nil {
		return ids
	}
	return slices.Concat(mediaTouched(e), accountTouched(e), templateTouched(e), batchTouched(e))
}

func ledgerTouched(e Event) []string {
	switch d := e.Data.(type) {
	case ledger.CreditsHeld:
		return onLines(d.Project, lineHold)
	case ledger.CreditsCharged:
		if d.Zero {
			return append(onLines(d.Project, lineHold), lineZero+e.ID)
		}
		return onLines(d.Project, lineHold)
	case ledger.CreditsReleased:
		return onLines(d.Project, lineHold)
	case ledger.MovieCounted:
		return onLines(d.Project, lineHold)
	case ledger.DraftCounted:
		return onLines(d.Project, lineHold)
	case ledger.CountKept:
		return onLines(d.Project, lineHold)
	case ledger.CountReleased:
		return onLines(d.Project, lineHold)
	}
	return nil
}

func movieTouched(e Event) []string {
	on := func(lines ...string) []string { return onLines(domain.ProjectID(e.ID), lines...) }
	switch d := e.Data.(type) {
	case movie.Submitted:
		return on(linesOf(d)...)
	case movie.SubmissionAbandoned:
		return on(lineHold)
	case movie.SourcesFetchStarted, movie.SourcesFetchReleased:
		return on(lineFetch)
	case movie.SourcesFetched:
		return on(lineFetch, lineRender)
	case movie.RenderStarted:
		if d.Attempt == 1 { // the render timeout runs from the first attempt
			return on(lineFetch, lineRender, lineTimeout)
		}
		return on(lineRender)
	case movie.RenderReleased:
		return on(lineRender)
	case movie.RenderTimedOut:
		return on(lineRender, lineTimeout, lineHold)
	case movie.RenderFinished:
		return on(lineFetch, lineRender, lineTimeout, lineHold, lineDeliver, lineFile)
	case movie.Cancelled:
		return on(lineFetch, lineRender, lineTimeout, lineHold, lineDeliver)
	case movie.FileDeleted:
		return on(lineFile)
	case movie.DeliveryStarted, movie.DeliveryReleased, movie.DeliveryFinished, movie.RedeliveryRequested:
		return on(lineDeliver)
	}
	return nil
}

// linesOf returns those lines of work (first parts of the ids of work items) in which the submission of a movie opens
// an item or changes one.
func linesOf(d movie.Submitted) []string {
	lines := []string{lineHold, lineRender}
	if d.Sources {
		lines = append(lines, lineFetch)
	}
	if d.Destinations > 0 {
		lines = append(lines, lineDeliver)
	}
	return lines
}

func onLines(project domain.ProjectID, lines ...string) []string {
	ids := make([]string, len(lines))
	for i, line := range lines {
		ids[i] = line + string(project)
	}
	return ids
}

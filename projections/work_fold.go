package projections

import (
	"strings"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// The lines of work on movies, and on the holds of preload items. A line of work is the first part of a work item's id.
// The subject of the item follows it.
const (
	lineFetch   = "fetch/"
	lineRender  = "render/"
	lineTimeout = "timeout/"
	lineHold    = "hold/"
	lineDeliver = "deliver/"
	lineFile    = "file/"
)

// workModel is the work list: what the log says is still to be done. It has a document for each work item that is open.
// The id of an item is made of its line of work, such as render/, and its subject, such as a project. The method
// touched returns the ids of the items that an event may change. For each of them, apply calls fold, which calls the
// method of the item's line. That method returns the item as it is after the event, and whether it is still open.
//
// The table shows what the main events of a movie usually do to the items of that movie. A row is an item, by its line;
// the columns are the events, in the order of time. ● opens the item, which becomes due later. ○ lets the item wait,
// because there is nothing to do yet. ▶ makes the item ready for a worker, and "as" names its new kind. ■ closes the
// item. Submitted also opens the item of render/, that of fetch/ if the movie may name files, and that of deliver/ if it
// has destinations.
//
//	            Submitted   SourcesFetched   RenderStarted   RenderTimedOut   RenderFinished, Cancelled   DeliveryFinished
//	fetch/          ▶             ■          ■ (attempt 1)                               ■
//	render/         ▶ or ○        ▶             claimed      ▶ as WorkStop               ■
//	timeout/                                 ● (attempt 1)         ■                     ■
//	hold/           ○                                       ▶ as WorkSettle       ▶ as WorkSettle; ■ by the ledger's event
//	deliver/        ○                                                                    ▶                       ■
//	file/                                                                        ● RenderFinished; ■ FileDeleted
//
// The item of hold/ is opened before all others, when credits are held or a movie is counted. If no movie follows, it
// becomes due as WorkAbandon, except in a batch (see held). It follows both the ledger's and the movie's stream.
// Therefore each document names the position in the log of its last event, and an event at or before this position is
// not folded again.
//
// A worker's claim on an item of fetch/, render/ or deliver/ is an event too: SourcesFetchStarted, RenderStarted or
// DeliveryStarted. It makes the item claimed, and the release of the claim makes the item ready again. When an item is
// claimed that was claimed already, the worker before counts as dead: Deaths counts this.
type workModel struct {
	renderTimeout time.Duration
	abandonAfter  time.Duration
	fileRetention time.Duration
	tempRetention time.Duration
	moveAfter     time.Duration
	zeroRetention time.Duration
	clearAgain    time.Duration
	batchAfter    time.Duration
}

// The indexes of the work list.
const (
	indexTurns = "turns" // items of a kind and state, by account, oldest first
	indexDue   = "due"   // the items of a kind and state, by due time
)

func (workModel) name() string { return "work" }

// shape returns the version of the documents' fields. Version 6 added Correlation, version 8 Traceparent.
func (workModel) shape() int { return 8 }

// oldestShape returns the oldest shape (version of the documents' fields) of stored work items that this program can
// read. No later shape has changed a field that was there before.
func (workModel) oldestShape() int { return 5 }
func (workModel) declare() []Index {
	return []Index{
		{Name: indexTurns, Fields: []Field{{Name: "kind"}, {Name: "state"}, {Name: "account"}, {Name: "due"}}},
		{Name: indexDue, Fields: []Field{{Name: "kind"}, {Name: "state"}, {Name: "due"}}},
	}
}
func (workModel) decode(body Body) (any, error) { return decodeAs[WorkItem](body) }

// apply implements model.
func (w workModel) apply(id string, doc any, gone bool, e Event) (folded, error) {
	have, exists := doc.(WorkItem)
	if exists && e.Position.Compare(have.position()) <= 0 {
		return folded{doc: have, gone: gone}, nil
	}
	next, open := w.fold(id, have, exists && !gone, e)
	switch {
	case open:
		if next.Correlation == "" {
			next.Correlation, next.Traceparent = e.Correlation, e.Traceparent
		}
		next.Commit, next.Prepare = int64(e.Position.Commit), int64(e.Position.Prepare)
		return folded{doc: next, changed: true}, nil
	case exists:
		have.Commit, have.Prepare = int64(e.Position.Commit), int64(e.Position.Prepare)
		return folded{doc: have, gone: true, changed: true}, nil
	default:
		return folded{}, nil // the item never existed
	}
}

func (i WorkItem) position() eventstore.Position {
	return eventstore.Position{Commit: uint64(i.Commit), Prepare: uint64(i.Prepare)}
}

// fold returns the item after an event, and whether it is still open.
func (w workModel) fold(id string, i WorkItem, open bool, e Event) (WorkItem, bool) {
	if !open {
		i = WorkItem{ID: id, Account: string(e.Account), Subject: id[strings.Index(id, "/")+1:]}
	}
	switch {
	case strings.HasPrefix(id, lineFetch):
		return w.fetch(i, open, e)
	case strings.HasPrefix(id, lineRender):
		return w.render(i, open, e)
	case strings.HasPrefix(id, lineTimeout):
		return w.timeout(i, e)
	case strings.HasPrefix(id, lineHold):
		return w.hold(i, open, e)
	case strings.HasPrefix(id, lineFile):
		return w.file(i, e)
	case strings.HasPrefix(id, lineMove):
		return w.move(i, e)
	case strings.HasPrefix(id, lineMedia):
		return w.media(i, e)
	case strings.HasPrefix(id, lineConfirm):
		return w.confirm(i, e)
	case strings.HasPrefix(id, lineItem):
		return w.itemFetch(i, open, e)
	case strings.HasPrefix(id, linePreload):
		return w.preload(i, open, e)
	case strings.HasPrefix(id, lineDeliver):
		return w.deliver(i, open, e)
	case strings.HasPrefix(id, lineTemplate):
		return w.sweep(i, e)
	case strings.HasPrefix(id, lineBatch):
		return w.batch(i, open, e)
	default:
		return w.ofAccount(i, e)
	}
}

// fetch folds an event into the work item that fetches a movie's sources. The item is open until the sources are fetched, the
// render starts without them, or the movie is closed.
func (workModel) fetch(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case movie.Submitted:
		i.Account, i.Templates = string(d.Account), usesOf(d)
		return i.ready(WorkFetch, d.At), true
	case movie.SourcesFetchStarted:
		i.Suspect = i.Suspect || d.Alone || d.Death != domain.Unexplained
		return i.claimed(d.Attempt, d.Worker, d.At), open
	case movie.SourcesFetchReleased:
		i.Suspect = i.Suspect || d.Memory
		return i.ready(WorkFetch, i.Due), open
	default:
		return i, false
	}
}

// render folds an event into the work item that renders a movie. The item is open from the submission of the movie to its
// close. It is work for renderers, and after a timeout usually for the keeper (decision 19: due at twice the render timeout,
// or when nobody renders the movie any more).
func (w workModel) render(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case movie.Submitted:
		i.Account, i.Templates = string(d.Account), usesOf(d)
		i = i.ready(WorkRender, d.At)
		if d.Sources {
			i.State = workWaiting
		}
		return i, true
	case movie.SourcesFetched:
		if i.State == workWaiting {
			i = i.ready(WorkRender, i.Due)
		}
		return i, open
	case movie.RenderStarted:
		i.Suspect = i.Suspect || d.Alone || d.Death != domain.Unexplained
		i = i.claimed(d.Attempt, d.Worker, d.At)
		i.Shared = false
		if i.TimedOut {
			i.Kind, i.Due = WorkStop, i.Since.Add(2*w.renderTimeout)
		}
		return i, open
	case movie.RenderReleased:
		return i.released(d), open
	case movie.RenderTimedOut:
		return w.timedOut(i, d), open
	default:
		return i, false
	}
}

// released makes a render available again that its worker has released.
func (i WorkItem) released(d movie.RenderReleased) WorkItem {
	i.Suspect, i.Shared = i.Suspect || d.Memory, d.Shared
	switch {
	case i.Kind == WorkStop && d.Shared: // the time-out waits while another account has the movie's slot
		return i.ready(WorkRender, *i.Since)
	case i.Kind == WorkStop:
		i.Due = millis(d.At)
	}
	return i.ready(i.Kind, i.Due)
}

// timedOut turns a render into one to be stopped. A movie that waits because another account has its slot stays a render.
func (w workModel) timedOut(i WorkItem, d movie.RenderTimedOut) WorkItem {
	i.TimedOut = true
	if i.State == WorkReady && i.Shared {
		return i
	}
	i.Kind = WorkStop
	i.Due = millis(d.At)
	if i.State == WorkClaimed {
		i.Due = i.Since.Add(2 * w.renderTimeout)
	}
	return i
}

// timeout folds an event into the work item that times a movie out. The item is due when the render timeout has passed since the
// first RenderStarted.
func (w workModel) timeout(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(movie.RenderStarted); ok {
		return i.ready(WorkTimeout, d.At.Add(w.renderTimeout)), true
	}
	return i, false
}

// hold folds an event into the work item of the credits held for a movie or preload item, or of a movie's count on a counted
// plan: a hold without a movie is abandoned, a hold whose movie has an outcome is settled.
func (w workModel) hold(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case ledger.CreditsHeld:
		return w.held(i, e, d.At, d.Batch), true
	case ledger.MovieCounted:
		return w.held(i, e, d.At, d.Batch), true
	case ledger.DraftCounted:
		return w.held(i, e, d.At, d.Batch), true
	case movie.Submitted:
		i = i.ready(WorkSettle, d.At)
		i.State = workWaiting
		return i, open
	case movie.SubmissionAbandoned:
		return i.ready(WorkSettle, d.At), open
	case preload.Requested:
		i = i.ready(WorkSettle, d.At)
		i.State = workWaiting
		return i, open
	case preload.ItemFinished:
		return i.settle(d.At), open
	case movie.RenderTimedOut:
		return i.settle(d.At), open
	case movie.RenderFinished:
		return i.settle(d.At), open
	case movie.Cancelled:
		return i.settle(d.At), open
	default:
		return i, false
	}
}

// held makes the item due when the hold is to be abandoned, for the case that no movie or preload batch follows. The
// parameter `of` is the batch of movies that the hold belongs to; empty: none. For a hold of a batch of movies, the
// item waits instead, because the worker that has the work item of the batch submits the movie or abandons the hold.
func (w workModel) held(i WorkItem, e Event, since time.Time, of domain.BatchID) WorkItem {
	i.Account = e.ID
	i = i.ready(WorkAbandon, since.Add(w.abandonAfter))
	if of != "" {
		i.State = workWaiting
	}
	return i
}

// file folds an event into the work item that removes a rendered file. The item is due when the retention of the file ends. Spec:
// Limits, Retention.
func (w workModel) file(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(movie.RenderFinished); ok && d.File != nil && d.File.Key != "" {
		return i.ready(WorkExpire, d.At.Add(w.fileRetention)), true
	}
	return i, false
}

// deliver folds an event into the work item that delivers a movie to its destinations. The item waits until the movie is closed.
func (w workModel) deliver(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case movie.Submitted:
		i.Account, i.Templates = string(d.Account), usesOf(d)
		i = i.ready(WorkDeliver, d.At)
		i.State = workWaiting
		return i, true
	case movie.RenderFinished:
		return i.ready(WorkDeliver, d.At), open
	case movie.Cancelled:
		return i.ready(WorkDeliver, d.At), open
	case movie.DeliveryStarted:
		return i.claimed(d.Run, d.Worker, d.At), open
	case movie.DeliveryReleased:
		return i.ready(WorkDeliver, i.Due), open
	case movie.RedeliveryRequested:
		return i.ready(WorkDeliver, d.At), true
	default:
		return i, false
	}
}

// ready makes the item available to any worker from a time on.
func (i WorkItem) ready(kind string, due time.Time) WorkItem {
	i.Kind = kind
	i.State = WorkReady
	i.Due = millis(due)
	i.Worker = ""
	return i
}

// claimed records a worker's claim of the item.
func (i WorkItem) claimed(attempt int, worker string, now time.Time) WorkItem {
	if i.State == WorkClaimed { // claimed and never released: the worker of that claim has died
		i.Deaths++
	}
	i.State = WorkClaimed
	i.Attempt = attempt
	i.Worker = worker
	if i.Since == nil {
		i.Since = at(now)
	}
	return i
}

// settle makes the hold due for settling at the movie's first outcome; later outcomes change nothing.
func (i WorkItem) settle(now time.Time) WorkItem {
	if i.State != workWaiting {
		return i
	}
	return i.ready(WorkSettle, now)
}

package projections

import (
	"strconv"
	"strings"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/preload"
)

// The lines of work on the media library and on preloads. A line of work is the first part of a work item's id. The
// item's subject follows it. The subject of move/, media/ and confirm/ is the id of a path's stream. The subject of
// preload/ and fetchitem/ is <preload>/<index>: a preload batch and the index of an item in it.
const (
	lineMove    = "move/"
	lineMedia   = "media/"
	linePreload = "preload/"
	lineItem    = "fetchitem/"
	lineConfirm = "confirm/"
)

// The kinds of work of the media library and of preloads.
const (
	// WorkMove is the move of a file that has neither arrived nor been aborted. It is due once the request that began the move has
	// surely ended.
	WorkMove    = "move"
	WorkMedia   = "media"   // due when a temporary file's retention ends, or media.UploadTime after a registration expires
	WorkConfirm = "confirm" // a registration whose bytes may come to the storage directly: open until they arrive or it ends
	WorkPreload = "preload" // open until a preload item is ready or has failed
)

// PreloadWorkID is the id of the work on an item of a preload batch. Its worker shows its presence under this id.
func PreloadWorkID(id preload.ID, index int) string {
	return linePreload + string(id) + "/" + strconv.Itoa(index)
}

// ItemOfFetch parses the id of work that fetches the sources of a preload item; false for other ids.
func ItemOfFetch(work string) (id preload.ID, index int, ok bool) {
	subject, ok := strings.CutPrefix(work, lineItem)
	if !ok {
		return "", 0, false
	}
	return PreloadSubject(subject)
}

// itemLines returns the ids of the two work items of a preload item: that for fetching its sources, and that for preparing it.
func itemLines(e Event, index int) []string {
	work := PreloadWorkID(preload.ID(e.ID), index)
	return []string{lineItem + strings.TrimPrefix(work, linePreload), work}
}

// mediaTouched returns the ids of the work items that an event of the media library or of a preload batch changes.
func mediaTouched(e Event) []string {
	switch d := e.Data.(type) {
	case media.FileMoveStarted, media.FileMoveAborted:
		return []string{lineMove + e.ID}
	case media.FileMovedOut:
		return []string{lineMove + e.ID, lineMedia + e.ID}
	case media.FileRegistered, media.FileUploaded, media.FileDeleted:
		return []string{lineMedia + e.ID, lineConfirm + e.ID}
	case media.FileMovedIn:
		return []string{lineMedia + e.ID}
	case preload.Requested:
		ids := make([]string, len(d.Items))
		for i, item := range d.Items {
			ids[i] = PreloadWorkID(preload.ID(e.ID), i)
			if item.Sources {
				ids = append(ids, itemLines(e, i)[0])
			}
			if item.Held > 0 {
				ids = append(ids, holdOfItem(e, i))
			}
		}
		return ids
	case preload.ItemFetchStarted:
		return itemLines(e, d.Index)[:1]
	case preload.ItemFetchReleased:
		return itemLines(e, d.Index)[:1]
	case preload.ItemFetched:
		return itemLines(e, d.Index)
	case preload.ItemStarted:
		return itemLines(e, d.Index)
	case preload.ItemReleased:
		return []string{PreloadWorkID(preload.ID(e.ID), d.Index)}
	case preload.ItemFinished:
		return append(itemLines(e, d.Index), holdOfItem(e, d.Index))
	default:
		return nil
	}
}

// holdOfItem returns the id of the work on the credits held for a preload item.
func holdOfItem(e Event, index int) string {
	return lineHold + string(ledger.Item(preload.ID(e.ID), index))
}

// move folds an event into the work item of a file's move. The item is open from FileMoveStarted until the move has ended.
func (w workModel) move(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(media.FileMoveStarted); ok {
		i.Account = string(media.AccountOf(e.ID))
		return i.ready(WorkMove, d.At.Add(w.moveAfter)), true
	}
	return i, false
}

// confirm folds an event into the work item that waits for the bytes of a registration. The item is open until they have arrived,
// or the registration has ended.
func (workModel) confirm(i WorkItem, e Event) (WorkItem, bool) {
	i.Account = string(media.AccountOf(e.ID))
	if d, ok := e.Data.(media.FileRegistered); ok {
		return i.ready(WorkConfirm, d.At), true
	}
	return i, false
}

// media folds an event into the work item that removes a file or a registration. The item is due when the retention of a
// temporary file ends, or after a registration expires.
func (w workModel) media(i WorkItem, e Event) (WorkItem, bool) {
	i.Account = string(media.AccountOf(e.ID))
	switch d := e.Data.(type) {
	case media.FileRegistered:
		return i.ready(WorkMedia, d.ExpiresAt.Add(media.UploadTime)), true
	case media.FileUploaded:
		return i.ready(WorkMedia, d.At.Add(w.tempRetention)), d.Path().Temporary()
	case media.FileMovedIn:
		return i.ready(WorkMedia, d.At.Add(w.tempRetention)), d.Path().Temporary()
	default:
		return i, false
	}
}

// preload folds an event into the work item that prepares a preload item. The work item is open until the preload item has a
// result.
func (w workModel) preload(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case preload.Requested:
		i.Account = string(d.Account)
		i = i.ready(WorkPreload, d.At)
		if _, index, ok := PreloadSubject(i.Subject); ok && index < len(d.Items) && d.Items[index].Sources {
			i.State = workWaiting
		}
		return i, true
	case preload.ItemFetched:
		if i.State == workWaiting {
			i = i.ready(WorkPreload, i.Due)
		}
		return i, open
	case preload.ItemStarted:
		i.Suspect = i.Suspect || d.Alone || d.Death != domain.Unexplained
		return i.claimed(d.Attempt, d.Worker, d.At), open
	case preload.ItemReleased:
		i.Suspect = i.Suspect || d.Memory
		return i.ready(WorkPreload, i.Due), open
	default:
		return i, false
	}
}

// itemFetch folds an event into the work item that fetches the sources of a preload item. The work item is closed by
// the first of these: the sources are fetched, the preparation of the preload item starts without waiting for them any
// longer, or the preload item has a result.
func (workModel) itemFetch(i WorkItem, open bool, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case preload.Requested:
		i.Account = string(d.Account)
		return i.ready(WorkFetch, d.At), true
	case preload.ItemFetchStarted:
		i.Suspect = i.Suspect || d.Alone || d.Death != domain.Unexplained
		return i.claimed(d.Attempt, d.Worker, d.At), open
	case preload.ItemFetchReleased:
		i.Suspect = i.Suspect || d.Memory
		return i.ready(WorkFetch, i.Due), open
	default:
		return i, false
	}
}

// PreloadSubject parses the subject of work on a preload item.
func PreloadSubject(subject string) (id preload.ID, index int, ok bool) {
	i := len(subject) - 1
	for i >= 0 && subject[i] != '/' {
		i--
	}
	if i < 0 {
		return "", 0, false
	}
	index, err := strconv.Atoi(subject[i+1:])
	return preload.ID(subject[:i]), index, err == nil
}

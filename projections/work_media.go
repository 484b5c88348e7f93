package projections

import (
	"strconv"
	"strings"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/preload"
)

// The lines of work of the media library and of preloads. The subject of the first two is the id of a path's stream, that of the third
// a batch and the place of an item in it: <preload>/<index>.
const (
	lineMove    = "move/"
	lineMedia   = "media/"
	linePreload = "preload/"
	lineItem    = "fetchitem/"
	lineConfirm = "confirm/"
)

// The kinds of work of the media library and of preloads.
const (
	WorkMove    = "move"    // a move that was started and neither arrived nor aborted: due when its request must have ended
	WorkMedia   = "media"   // a temporary file, or a registration, whose time has come
	WorkConfirm = "confirm" // a registration whose bytes go to the storage itself: open until they have come
	WorkPreload = "preload" // open while an item is neither ready nor failed
)

// PreloadWorkID is the id of the work on an item of a batch, under which its worker shows its presence.
func PreloadWorkID(id preload.ID, index int) string {
	return linePreload + string(id) + "/" + strconv.Itoa(index)
}

// ItemOfFetch takes the id of the work of fetching for an item of a batch apart; false when it is the fetching for something else.
func ItemOfFetch(work string) (id preload.ID, index int, ok bool) {
	subject, ok := strings.CutPrefix(work, lineItem)
	if !ok {
		return "", 0, false
	}
	return PreloadSubject(subject)
}

// itemLines names the items of the work on an item of a batch: that on fetching, and on preparing it.
func itemLines(e Event, index int) []string {
	work := PreloadWorkID(preload.ID(e.ID), index)
	return []string{lineItem + strings.TrimPrefix(work, linePreload), work}
}

// mediaTouched names the items that an event of the media library or of a batch moves.
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

// holdOfItem is the id of the work on what is held for an item of a batch.
func holdOfItem(e Event, index int) string {
	return lineHold + string(ledger.Item(preload.ID(e.ID), index))
}

// move follows a move from its start to its end.
func (w workModel) move(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(media.FileMoveStarted); ok {
		i.Account = string(media.AccountOf(e.ID))
		return i.ready(WorkMove, d.At.Add(w.moveAfter)), true
	}
	return i, false
}

// confirm follows a registration until its bytes have come, or it has gone.
func (workModel) confirm(i WorkItem, e Event) (WorkItem, bool) {
	i.Account = string(media.AccountOf(e.ID))
	if d, ok := e.Data.(media.FileRegistered); ok {
		return i.ready(WorkConfirm, d.At), true
	}
	return i, false
}

// media waits for the time of a registration, and of a temporary file.
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

// preload follows an item of a batch until it has a result.
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

// itemFetch follows the fetching for an item of a batch until its files are at hand, it is prepared without that, or it has a result.
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

// PreloadSubject takes the subject of a preload item apart.
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

package projections

import (
	"context"
	"time"

	"moviola/domain/preload"
	"moviola/eventstore"
)

// The statuses of preload batches and of their items. Spec: Preload batch and items.
const (
	PreloadPending = "pending"
	PreloadRunning = "running"
	PreloadDone    = "done"
	PreloadReady   = "ready"
	PreloadError   = "error"
)

// Preload is the read model of one preload batch. Its id is the batch's id.
type Preload struct {
	ID        string        `json:"id"`
	Account   string        `json:"account"` // empty for a batch that was never requested, whose credits were held
	Revision  int64         `json:"revision"`
	Status    string        `json:"status"` // pending, running, done
	CreatedAt time.Time     `json:"created_at"`
	EndedAt   *time.Time    `json:"ended_at"`
	Items     []PreloadItem `json:"items"`
}

// PreloadItem is one item of a preload batch.
type PreloadItem struct {
	ID     string          `json:"id"`
	Type   string          `json:"type"`
	Status string          `json:"status"` // pending, running, ready, error
	Result *preload.Result `json:"result"`
}

// foldPreload applies one event of a preload batch's stream.
func foldPreload(p Preload, e Event) Preload {
	p.ID = e.ID
	switch d := e.Data.(type) {
	case preload.Requested:
		p.Account, p.Status, p.CreatedAt = string(d.Account), PreloadPending, millis(d.At)
		for _, item := range d.Items {
			p.Items = append(p.Items, PreloadItem{ID: item.ID, Type: string(item.Type), Status: PreloadPending})
		}
	case preload.ItemStarted:
		p.Status = PreloadRunning
		p = p.with(d.Index, PreloadRunning, nil)
	case preload.ItemFinished:
		status := PreloadReady
		if d.Result.Error != "" {
			status = PreloadError
		}
		p = p.with(d.Index, status, &d.Result)
	case preload.Finished:
		p.Status, p.EndedAt = PreloadDone, at(d.At)
	}
	return p
}

// with returns a copy of the batch in which the item at an index has the given status and result.
func (p Preload) with(index int, status string, result *preload.Result) Preload {
	items := append([]PreloadItem(nil), p.Items...)
	items[index].Status, items[index].Result = status, result
	p.Items = items
	return p
}

// preloadModel has no index: batches are read by id only.
var preloadModel = streamModel[Preload]{
	modelName: "preloads", modelShape: 2, oldShape: 1, category: preload.StreamCategory, forOwners: true,
	revision: func(p *Preload) *int64 { return &p.Revision },
	fold:     foldPreload,
}

// Preloads answers queries for preload batches.
type Preloads struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns a preload batch, and false when there is none. For a batch that is not done, it folds the events that the document
// lacks.
func (p *Preloads) Get(ctx context.Context, id preload.ID) (Preload, bool, error) {
	doc, known, err := preloadModel.load(ctx, p.at, string(id))
	if err != nil || known && doc.Status == PreloadDone {
		return doc, known, err
	}
	return preloadModel.catchUp(ctx, p.log, doc, known, string(id))
}

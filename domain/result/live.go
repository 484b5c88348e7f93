package result

import (
	"encoding/json"

	"moviola/domain"
	"moviola/domain/connection"
)

// LiveRender is the content of a live event about a render. Decision 79.
type LiveRender struct {
	Event      connection.LiveEvent `json:"event"`
	Project    domain.ProjectID     `json:"project"`
	ID         string               `json:"id,omitempty"`
	ClientData json.RawMessage      `json:"client-data"`
	// share of the render that is done, 0 to 100 per cent; set only in the event render.progress
	Percent   *float64 `json:"progress,omitempty"`
	Timestamp string   `json:"timestamp"` // in the form of domain.FormatTime
}

// LiveBatch is the content of the live event batch.finished. Decision 79.
type LiveBatch struct {
	Event     connection.LiveEvent `json:"event"`
	Batch     domain.BatchID       `json:"batch"`
	Template  string               `json:"template"`
	Movies    int                  `json:"movies"`  // number of valid rows of the batch
	Invalid   int                  `json:"invalid"` // number of invalid rows of the batch
	Cancelled bool                 `json:"cancelled"`
	Timestamp string               `json:"timestamp"` // in the form of domain.FormatTime
}

// Payload returns the event as a flat JSON object.
func (e LiveRender) Payload() ([]byte, error) {
	if len(e.ClientData) == 0 {
		e.ClientData = json.RawMessage("{}")
	}
	return encode(e)
}

// Payload returns the event as a flat JSON object.
func (e LiveBatch) Payload() ([]byte, error) { return encode(e) }

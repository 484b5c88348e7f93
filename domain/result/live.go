package result

import (
	"encoding/json"

	"moviola/domain"
	"moviola/domain/connection"
)

// LiveRender is what a live event tells about a render. Decision 79.
type LiveRender struct {
	Event      connection.LiveEvent `json:"event"`
	Project    domain.ProjectID     `json:"project"`
	ID         string               `json:"id,omitempty"`
	ClientData json.RawMessage      `json:"client-data"`
	Percent    *float64             `json:"progress,omitempty"` // of render.progress
	Timestamp  string               `json:"timestamp"`          // as domain.FormatTime writes it
}

// LiveBatch is what batch.finished tells. Decision 79.
type LiveBatch struct {
	Event     connection.LiveEvent `json:"event"`
	Batch     domain.BatchID       `json:"batch"`
	Template  string               `json:"template"`
	Movies    int                  `json:"movies"`  // rows of which movies were made
	Invalid   int                  `json:"invalid"` // rows of which none could be made
	Cancelled bool                 `json:"cancelled"`
	Timestamp string               `json:"timestamp"` // as domain.FormatTime writes it
}

// Payload is the flat JSON object of the event.
func (e LiveRender) Payload() ([]byte, error) {
	if len(e.ClientData) == 0 {
		e.ClientData = json.RawMessage("{}")
	}
	return encode(e)
}

// Payload is the flat JSON object of the event.
func (e LiveBatch) Payload() ([]byte, error) { return encode(e) }

//go:build moviola_newer

package eventstore

import (
	"moviola/domain"
	"moviola/domain/movie"
)

// Looked is an event type that only the build for tests of upgrades knows.
type Looked struct {
	Attempt int `json:"attempt"`
}

// EventType implements domain.Event.
func (Looked) EventType() string { return "MovieLooked" }

// EventKey implements domain.Event.
func (l Looked) EventKey() string { return movie.RenderStarted{Attempt: l.Attempt}.EventKey() }

// defineNewer adds the type Looked, and a newer version of an existing type.
func defineNewer(c *Codec) {
	define[Looked](c)
	define[movie.RenderFinished](c, func(payload []byte) ([]byte, error) { return payload, nil })
}

// newer returns, for each event of the type movie.RenderStarted in events, one event of the type Looked.
func newer(events []domain.Event) []domain.Event {
	var more []domain.Event
	for _, event := range events {
		if started, ok := event.(movie.RenderStarted); ok {
			more = append(more, Looked{Attempt: started.Attempt})
		}
	}
	return more
}

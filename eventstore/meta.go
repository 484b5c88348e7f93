package eventstore

import (
	"strings"
	"time"

	"moviola/domain"
)

// Meta is what the caller of an append gives as metadata of its events.
type Meta struct {
	Account     domain.AccountID
	Correlation string // correlation id: the same for all events that follow from one request
	Causation   string // causation id: the event or request that led to this event
	Traceparent string // trace context of the request or work that led to this event; empty: it is not traced
	Time        time.Time
}

// Metadata is the stored form of Meta, with the version of the event's payload.
type Metadata struct {
	Version     int              `json:"v"`
	Correlation string           `json:"$correlationId,omitempty"`
	Causation   string           `json:"$causationId,omitempty"`
	Traceparent string           `json:"traceparent,omitempty"`
	Account     domain.AccountID `json:"account,omitempty"`
	Time        time.Time        `json:"time"`
}

// SplitStream takes a stream's name apart at its first dash. A name without a dash is a category without id.
func SplitStream(name string) (category, id string) {
	category, id, _ = strings.Cut(name, "-")
	return category, id
}

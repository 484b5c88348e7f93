package projections

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// HistoryEntry is one event of a movie, for its owner. Fields that the event does not speak of are zero.
type HistoryEntry struct {
	Number      int64     // of the event in its stream, from 0
	Event       string    // its persisted name: MovieSubmitted, RenderStarted, …
	At          time.Time //
	Status      string    // of the movie after it
	Correlation string    // of everything that follows from one request
	Causation   string    // the request or message that led to it

	Worker   string // who renders or delivers
	Attempt  int    // of the render, or of the fetching of its sources
	Success  *bool  // of a render that finished
	Message  string // why a render failed, or what came of a try
	Credits  int64  // what a finished render costs
	Reason   string // why a file was deleted: user, expired, purged
	Delivery *HistoryDelivery
}

// HistoryDelivery is what an event says of a delivery.
type HistoryDelivery struct {
	Run        int
	Index      *int // of the destination; nil: all of them
	Try        int
	Type       string
	ID         string // of a saved connection
	Result     string // ok, error, skipped
	Final      bool   // no further try follows in this run
	HTTPStatus int
	DurationMS int64
}

// History returns every event of an account's movie, in order, straight from its stream; false when the account has no such
// movie.
func (m *Movies) History(ctx context.Context, account domain.AccountID, project domain.ProjectID) ([]HistoryEntry, bool, error) {
	var entries []HistoryEntry
	var doc Movie
	for recorded, err := range m.log.Store().ReadStream(ctx, movie.Stream(project), eventstore.Forwards, 0) {
		if err != nil {
			return nil, false, fmt.Errorf("read the history of movie %s: %w", project, err)
		}
		data, meta, err := m.log.Codec().Decode(recorded)
		if err != nil {
			return nil, false, fmt.Errorf("read the history of movie %s: %w", project, err)
		}
		doc = foldMovie(doc, Event{ID: string(project), Data: data})
		entry := HistoryEntry{
			Number: int64(recorded.Revision), Event: recorded.Type, At: millis(meta.Time), Status: doc.Status,
			Correlation: meta.Correlation, Causation: meta.Causation,
		}
		entries = append(entries, entry.of(data))
	}
	if doc.Account != string(account) || doc.Status == statusAbandoned || doc.Status == "" {
		return nil, false, nil
	}
	return entries, true, nil
}

// of fills in what the event itself says. Addresses and tokens of files are not part of a history.
func (h HistoryEntry) of(data domain.Event) HistoryEntry {
	switch e := data.(type) {
	case movie.SourcesFetchStarted:
		h.Attempt, h.Worker = e.Attempt, e.Worker
	case movie.SourcesFetchReleased:
		h.Attempt, h.Worker = e.Attempt, e.Worker
	case movie.SourcesFetched:
		h.Attempt, h.Worker = e.Attempt, e.Worker
	case movie.RenderStarted:
		h.Attempt, h.Worker = e.Attempt, e.Worker
	case movie.RenderReleased:
		h.Attempt, h.Worker = e.Attempt, e.Worker
	case movie.RenderFinished:
		h.Attempt, h.Worker = e.Attempt, e.Worker
		h.Success, h.Message, h.Credits = &e.Success, e.Message, e.Credits
	case movie.FileDeleted:
		h.Reason = string(e.Reason)
	case movie.DeliveryStarted:
		h.Worker, h.Delivery = e.Worker, &HistoryDelivery{Run: e.Run}
	case movie.DeliveryReleased:
		h.Worker, h.Delivery = e.Worker, &HistoryDelivery{Run: e.Run}
	case movie.DeliveryFinished:
		h.Delivery = &HistoryDelivery{Run: e.Run}
	case movie.RedeliveryRequested:
		h.Delivery = &HistoryDelivery{Index: e.Index}
	case movie.DeliveryAttempted:
		h.Message = e.Message
		h.Delivery = &HistoryDelivery{
			Run: e.Run, Index: &e.Index, Try: e.Try, Type: e.Type, ID: e.ID, Result: string(e.Status), Final: e.Final,
			HTTPStatus: e.HTTPStatus, DurationMS: e.DurationMS,
		}
	}
	return h
}

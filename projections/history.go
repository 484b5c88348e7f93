package projections

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// HistoryEntry is one event of a movie, for the movie's owner. Fields that the event does not concern are zero.
type HistoryEntry struct {
	Number      int64     // revision of the event in its stream, from 0
	Event       string    // stored name of the event's type: MovieSubmitted, RenderStarted, …
	At          time.Time //
	Status      string    // status of the movie after the event
	Correlation string    // correlation id, the same for everything that follows from one request
	Causation   string    // id of the request or message that caused the event

	Worker  string // id of the worker that fetches sources, renders or delivers
	Attempt int    // number of the attempt to render, or to fetch sources
	Success *bool  // outcome of a finished render
	Message string // why a render failed, or the message of a try
	Credits int64  // price of a finished render
	// Spent says what a finished attempt's time was spent on; nil: it was not measured.
	Spent *MovieSpent
	// CachedFrom is the project whose file was copied; empty: the movie was rendered.
	CachedFrom string

	Reason   string // why a file was deleted: user, expired, purged
	Delivery *HistoryDelivery
}

// HistoryDelivery is what a HistoryEntry says about the delivery to one destination, or to all.
type HistoryDelivery struct {
	Run        int
	Index      *int // index of the destination, from 0; nil: all destinations
	Try        int
	Type       string
	ID         string // id of a saved connection
	Result     string // result of the try: ok, error, skipped
	Final      bool   // no further automatic try follows in this run
	HTTPStatus int
	DurationMS int64
}

// History returns every event of an account's movie in order, read from the movie's stream; false when the account has no such
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

// of fills in the fields from the event. Addresses and tokens of files are left out.
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
		h.Spent, h.CachedFrom = spentOf(e.Spent), string(e.CachedFrom)
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

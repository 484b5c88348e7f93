package accounts

import (
	"context"
	"fmt"
	"time"

	"moviola/domain/key"
	"moviola/eventstore"
)

// EndSession ends a session of the console. The caller makes sure that the session is the user's own.
type EndSession struct {
	Key     string // id of the API key with which the session was begun
	Session string
	Began   time.Time
	Until   time.Time // when the session expires
}

// EndSessionHandler handles EndSession.
type EndSessionHandler struct {
	log *eventstore.Log
	now eventstore.Clock
}

// NewEndSessionHandler returns a handler.
func NewEndSessionHandler(log *eventstore.Log, now func() time.Time) EndSessionHandler {
	return EndSessionHandler{log: log, now: now}
}

// Handle ends the session in all processes: each process that accepts the API key of the session reads from the log that the
// session has ended. Decision 62.
func (h EndSessionHandler) Handle(ctx context.Context, cmd EndSession) error {
	k := key.New()
	_, err := h.log.Decide(ctx, key.Stream(cmd.Key), k, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := k.EndSession(cmd.Key, key.SessionEnded{Session: cmd.Session, Began: cmd.Began, Until: cmd.Until, At: at})
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, k.Issued().Account, at), Events: events}, err
	})
	if err != nil {
		return fmt.Errorf("end a session of key %s: %w", cmd.Key, err)
	}
	return nil
}

package connections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// DeleteConnection deletes a saved connection of an account.
type DeleteConnection struct {
	Account domain.AccountID
	ID      string
}

// DeleteConnectionHandler handles DeleteConnection.
type DeleteConnectionHandler struct{ connections }

// NewDeleteConnectionHandler returns a handler.
func NewDeleteConnectionHandler(log *eventstore.Log, now func() time.Time) DeleteConnectionHandler {
	return DeleteConnectionHandler{connections{log: log, now: now}}
}

// Handle deletes the connection. A connection that does not exist is NotFound. Running deliveries
// that use it continue.
func (h DeleteConnectionHandler) Handle(ctx context.Context, cmd DeleteConnection) (eventstore.Position, error) {
	return h.decide(ctx, cmd.Account, cmd.ID, func(found *connection.Connection) ([]domain.Event, error) {
		return found.Delete(cmd.ID, h.now.Stamp())
	})
}

package connections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// RecordConnectionTest records the result of a test of a connection, or what the first use of a connection has shown.
type RecordConnectionTest struct {
	Account domain.AccountID
	ID      string
	Version int // version of the connection that was tested: OpenedConnection.Version
	Success bool
	Message string // result in words; of addresses it names only scheme and host
	HostKey string // fingerprint of the host key of an SFTP server; empty: none was seen
}

// RecordConnectionTestHandler handles RecordConnectionTest.
type RecordConnectionTestHandler struct{ connections }

// NewRecordConnectionTestHandler returns a handler.
func NewRecordConnectionTestHandler(log *eventstore.Log, now func() time.Time) RecordConnectionTestHandler {
	return RecordConnectionTestHandler{connections{log: log, now: now}}
}

// Handle records the result. When the connection was saved again or deleted meanwhile, it does nothing.
func (h RecordConnectionTestHandler) Handle(ctx context.Context, cmd RecordConnectionTest) (eventstore.Position, error) {
	return h.decide(ctx, cmd.Account, cmd.ID, func(found *connection.Connection) ([]domain.Event, error) {
		return found.RecordTest(cmd.Version, connection.Tested{
			Success: cmd.Success, Message: cmd.Message, HostKey: cmd.HostKey, At: h.now.Stamp(),
		}), nil
	})
}

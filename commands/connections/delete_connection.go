package connections

import (
	"context"
	"time"

	"moviola/commands"
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

// RecordConnectionTest records the result of a test of a connection, or of its first use.
type RecordConnectionTest struct {
	Account domain.AccountID
	ID      string
	Success bool
	Message string // names only scheme and host of addresses
	HostKey string // host key of an SFTP server, if it was seen
}

// RecordConnectionTestHandler handles RecordConnectionTest.
type RecordConnectionTestHandler struct{ connections }

// NewRecordConnectionTestHandler returns a handler.
func NewRecordConnectionTestHandler(log *eventstore.Log, now func() time.Time) RecordConnectionTestHandler {
	return RecordConnectionTestHandler{connections{log: log, now: now}}
}

// Handle records the result. When the connection was deleted meanwhile, it does nothing.
func (h RecordConnectionTestHandler) Handle(ctx context.Context, cmd RecordConnectionTest) (eventstore.Position, error) {
	return h.decide(ctx, cmd.Account, cmd.ID, func(found *connection.Connection) ([]domain.Event, error) {
		return found.RecordTest(connection.Tested{
			Success: cmd.Success, Message: cmd.Message, HostKey: cmd.HostKey, At: h.now.Stamp(),
		}), nil
	})
}

// ResealConnection encrypts the secrets of a connection again when they were encrypted with another key than the vault's present
// one. Nothing else changes.
type ResealConnection struct {
	Account domain.AccountID
	ID      string
}

// ResealConnectionHandler handles ResealConnection.
type ResealConnectionHandler struct{ connections }

// NewResealConnectionHandler returns a handler.
func NewResealConnectionHandler(log *eventstore.Log, vault commands.Vault, now func() time.Time) ResealConnectionHandler {
	return ResealConnectionHandler{connections{log, vault, now}}
}

// Handle encrypts the secrets again if necessary, and reports whether it did.
func (h ResealConnectionHandler) Handle(ctx context.Context, cmd ResealConnection) (bool, error) {
	resealed := false
	_, err := h.decide(ctx, cmd.Account, cmd.ID, func(found *connection.Connection) ([]domain.Event, error) {
		saved := found.Saved()
		if resealed = found.Exists() && saved.Sealed.Key != h.vault.Key(); !resealed {
			return nil, nil
		}
		secrets, err := h.secrets(cmd.Account, cmd.ID, saved)
		if err != nil {
			return nil, err
		}
		return h.save(cmd.Account, cmd.ID, found, saved.Kind, saved.Settings, secrets)
	})
	return resealed && err == nil, err
}

package connections

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// ResealConnection encrypts the secrets of a connection again if they were not encrypted with the key that the vault uses now.
// Nothing else changes.
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

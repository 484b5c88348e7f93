package accounts

import (
	"context"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
)

// RevokeKey revokes an API key of an account.
type RevokeKey struct {
	ID      string           // id of the API key: 32 hex digits
	Account domain.AccountID // account to which the API key must belong; empty for operators, who may revoke every API key
}

// Revocation is the result of revoking an API key.
type Revocation struct {
	Account  domain.AccountID // account of the API key
	At       time.Time        // time of the first revocation
	Position eventstore.Position
}

// RevokeKeyHandler handles RevokeKey.
type RevokeKeyHandler struct {
	log *eventstore.Log
	now eventstore.Clock
}

// NewRevokeKeyHandler returns a handler.
func NewRevokeKeyHandler(log *eventstore.Log, now func() time.Time) RevokeKeyHandler {
	return RevokeKeyHandler{log: log, now: now}
}

// Handle revokes the API key. A repeated call returns the time of the first revocation. An API key of another account is
// NotFound, like one that does not exist. Renders that were submitted with the API key continue. Decision 49.
func (h RevokeKeyHandler) Handle(ctx context.Context, cmd RevokeKey) (Revocation, error) {
	k := key.New()
	stream := key.Stream(cmd.ID)
	_, err := h.log.Decide(ctx, stream, k, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := k.Revoke(cmd.ID, cmd.Account, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, k.Issued().Account, at), Events: events}, err
	})
	if err != nil {
		return Revocation{}, fmt.Errorf("revoke key %s: %w", cmd.ID, err)
	}
	// Of two concurrent revocations, the store takes the second append for a retry of the first. So
	// the time of the revocation must be read from the stream.
	k = key.New()
	at, err := h.log.CatchUp(ctx, stream, eventstore.Appended{Revision: eventstore.NoStream}, k.Apply)
	if err != nil {
		return Revocation{}, fmt.Errorf("load key %s: %w", cmd.ID, err)
	}
	if k.RevokedAt() == nil {
		return Revocation{}, fmt.Errorf("load key %s: %w", cmd.ID, commands.ErrUnseen)
	}
	return Revocation{Account: k.Issued().Account, At: *k.RevokedAt(), Position: at.Position}, nil
}

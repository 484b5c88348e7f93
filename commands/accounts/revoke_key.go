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

// RevokeKey ends a key of an account.
type RevokeKey struct {
	ID      string           // 32 hex digits
	Account domain.AccountID // whose key it has to be; empty for operators, who may revoke every key
}

// Revocation is a revoked key.
type Revocation struct {
	Account  domain.AccountID // whose key it was
	At       time.Time        // of the first revocation
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

// Handle revokes the key, once; after that it returns when that was. A key that is not the account's is NotFound, like one that
// does not exist. Renders that were begun with the key go on. Decision 49.
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
	// Of two revocations at once, the store takes the second for a repetition of the first: only the stream knows the time.
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

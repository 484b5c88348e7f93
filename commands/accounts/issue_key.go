package accounts

import (
	"context"
	"fmt"
	"io"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
)

// IssueKey gives an account another API key.
type IssueKey struct {
	Account   domain.AccountID
	Name      string
	Role      key.Role   // ignored for a legacy key, whose kind determines the role
	Legacy    key.Legacy // set for legacy API keys only, which only operators issue. Decision "Roles"
	ExpiresAt *time.Time // nil: the API key does not expire
}

// IssuedKey is a new API key. Value is the text that clients send: it is shown once and not stored.
type IssuedKey struct {
	Value     string
	ID        string
	Name      string
	Role      key.Role
	ExpiresAt *time.Time
	Position  eventstore.Position
}

// IssueKeyHandler handles IssueKey.
type IssueKeyHandler struct {
	log    *eventstore.Log
	random io.Reader
	now    eventstore.Clock
}

// NewIssueKeyHandler returns a handler. random is the source of random bytes for API keys: crypto/rand.Reader, except in tests.
func NewIssueKeyHandler(log *eventstore.Log, random io.Reader, now func() time.Time) IssueKeyHandler {
	return IssueKeyHandler{log: log, random: random, now: now}
}

// Handle issues the API key. An account that was never opened is NotFound; an invalid name, role or expiry is Invalid. Decision
// 49.
func (h IssueKeyHandler) Handle(ctx context.Context, cmd IssueKey) (IssuedKey, error) {
	a := account.New(cmd.Account)
	if _, err := h.log.CatchUp(ctx, account.Stream(cmd.Account), eventstore.Appended{Revision: eventstore.NoStream},
		a.Apply); err != nil {
		return IssuedKey{}, fmt.Errorf("load account %s: %w", cmd.Account, err)
	}
	if err := a.RequireOpen(); err != nil {
		return IssuedKey{}, err
	}
	value, err := key.Generate(h.random)
	if err != nil {
		return IssuedKey{}, err
	}
	hash := key.Hash(value)
	k := key.New()
	appended, err := h.log.Decide(ctx, key.Stream(key.ID(hash)), k, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := k.Issue(key.Issued{
			Account: cmd.Account, Name: cmd.Name, Role: cmd.Role, Legacy: cmd.Legacy, Hash: hash,
			ExpiresAt: stampOf(cmd.ExpiresAt), At: at,
		})
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.Account, at), Events: events}, err
	})
	if err != nil {
		return IssuedKey{}, fmt.Errorf("issue a key of account %s: %w", cmd.Account, err)
	}
	issued := k.Issued()
	return IssuedKey{
		Value: value, ID: key.ID(hash), Name: issued.Name, Role: issued.Role, ExpiresAt: issued.ExpiresAt, Position: appended.Position,
	}, nil
}

// stampOf returns a time in the precision that events have; nil for nil.
func stampOf(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC().Truncate(time.Millisecond)
	return &at
}

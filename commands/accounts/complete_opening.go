package accounts

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
)

// firstGrant is the reference of the grant of an account's first credits.
const firstGrant = "opening"

// CompleteOpening gives an opened account its first credits and its first API key.
type CompleteOpening struct {
	Account domain.AccountID
}

// CompleteOpeningConfig is what NewCompleteOpeningHandler needs. Every field is required.
type CompleteOpeningConfig struct {
	Log     *eventstore.Log
	Ledgers *ledgers.Ledgers
	// FirstKeys is the secret from which the first API keys of accounts are derived: 32 bytes, the same in every process, never
	// changed.
	FirstKeys []byte
	Now       func() time.Time
}

// CompleteOpeningHandler handles CompleteOpening.
type CompleteOpeningHandler struct {
	log       *eventstore.Log
	ledgers   *ledgers.Ledgers
	firstKeys []byte
	now       eventstore.Clock
}

// NewCompleteOpeningHandler returns a handler.
func NewCompleteOpeningHandler(cfg CompleteOpeningConfig) CompleteOpeningHandler {
	return CompleteOpeningHandler{log: cfg.Log, ledgers: cfg.Ledgers, firstKeys: cfg.FirstKeys, now: cfg.Now}
}

// Handle takes the remaining steps of the opening (first credits, first API key). It returns the API key when this call has
// issued it. ErrNothingToDo: the opening is complete, or the account was closed meanwhile.
func (h CompleteOpeningHandler) Handle(ctx context.Context, cmd CompleteOpening) (OpenedAccount, error) {
	opened, issued, err := h.finish(ctx, cmd.Account)
	if err == nil && !issued {
		return OpenedAccount{}, commands.ErrNothingToDo
	}
	return opened, err
}

// finish takes the remaining steps of an opening, and reports whether it has issued the API key. The ids of the grant and of the
// API key depend on the account alone. So a step that is repeated, after a crash or by another process at the same time, makes
// the same event.
func (h CompleteOpeningHandler) finish(ctx context.Context, id domain.AccountID) (OpenedAccount, bool, error) {
	a := account.New(id)
	at, err := h.log.CatchUp(ctx, account.Stream(id), eventstore.Appended{Revision: eventstore.NoStream}, a.Apply)
	if err != nil {
		return OpenedAccount{}, false, fmt.Errorf("load account %s: %w", id, err)
	}
	credits, begun := a.FirstCredits()
	if !begun || !a.ClosedAt().IsZero() {
		return OpenedAccount{Account: id, Position: at.Position}, false, nil
	}
	if credits > 0 {
		if _, err := h.ledgers.Grant(ctx, ledgers.Grant{Account: id, Reference: firstGrant, Amount: credits}); err != nil {
			return OpenedAccount{}, false, fmt.Errorf("grant the first credits of account %s: %w", id, err)
		}
	}
	return h.issueKey(ctx, id)
}

// issueKey gives the account its first API key, which has the role admin. This is the last step of an opening.
func (h CompleteOpeningHandler) issueKey(ctx context.Context, id domain.AccountID) (OpenedAccount, bool, error) {
	random, err := h.bytesFor(id)
	if err != nil {
		return OpenedAccount{}, false, err
	}
	value, err := key.Generate(random)
	if err != nil {
		return OpenedAccount{}, false, err
	}
	hash := key.Hash(value)
	k, issued := key.New(), false
	appended, err := h.log.Decide(ctx, key.Stream(key.ID(hash)), k, func() (eventstore.Decision, error) {
		if issued = k.Issued().Hash == ""; !issued {
			return eventstore.Decision{}, nil
		}
		at := h.now.Stamp()
		events, err := k.Issue(key.Issued{Account: id, Name: "admin", Role: key.Admin, Hash: hash, First: true, At: at})
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, id, at), Events: events}, err
	})
	if err != nil {
		return OpenedAccount{}, false, fmt.Errorf("issue the first key of account %s: %w", id, err)
	}
	return OpenedAccount{Account: id, Key: value, Position: appended.Position}, issued, nil
}

// bytesFor returns the bytes from which an account's first API key is made. They are derived from FirstKeys: without that secret
// nobody can tell them from random bytes.
func (h CompleteOpeningHandler) bytesFor(id domain.AccountID) (io.Reader, error) {
	const plenty = 512 // number of derived bytes; generating an API key reads about 42 of them
	if len(h.firstKeys) < sha256.Size {
		return nil, fmt.Errorf("derive the first key of account %s: the secret has %d bytes only", id, len(h.firstKeys))
	}
	derived, err := hkdf.Expand(sha256.New, h.firstKeys, "first key of account "+string(id), plenty)
	if err != nil {
		return nil, fmt.Errorf("derive the first key of account %s: %w", id, err)
	}
	return bytes.NewReader(derived), nil
}

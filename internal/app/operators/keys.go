package operators

import (
	"context"

	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/eventstore"
	"moviola/handlers/http/admin"
	"moviola/handlers/http/keys"
	"moviola/internal/secret"
	"moviola/projections/keyring"
)

// NewKeys wires the operations on API keys.
func (s *Operators) NewKeys(secret secret.Secret, log logrus.FieldLogger) (*keys.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	return keys.New(keys.Config{
		Keys: s.Models.Keys, Issue: s.Do.IssueKey, Revoke: s.keyRevoker(), Projected: s.Models.Reader, CursorKey: cursorKey, Log: log,
	})
}

// keyCalls wires the operators' operations on API keys.
func (s *Operators) keyCalls(lists *keys.API) admin.KeyCalls {
	return admin.KeyCalls{List: lists, Issue: s.Do.IssueKey, Revoke: s.keyRevoker()}
}

func (s *Operators) keyRevoker() revoker {
	return revoker{revoke: s.Do.RevokeKey, ring: s.Keys}
}

// revoker revokes API keys, and makes this process refuse them before the answer is sent.
type revoker struct {
	revoke accounts.RevokeKeyHandler
	ring   *keyring.Ring
}

// Handle implements keys.Revoker.
func (r revoker) Handle(ctx context.Context, cmd accounts.RevokeKey) (accounts.Revocation, error) {
	revocation, err := r.revoke.Handle(ctx, cmd)
	r.ring.Forget(cmd.ID) // the cached key is dropped after an error too, because the revocation may have been appended
	return revocation, err
}

// closer closes accounts, and makes this process refuse their API keys before the answer is sent.
type closer struct {
	close accounts.CloseAccountHandler
	ring  *keyring.Ring
}

// Handle implements admin.AccountCloser.
func (c closer) Handle(ctx context.Context, cmd accounts.CloseAccount) (eventstore.Position, error) {
	position, err := c.close.Handle(ctx, cmd)
	c.ring.ForgetAccount(cmd.Account)
	return position, err
}

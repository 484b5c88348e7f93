package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

// Keys finds the holders of API keys. Package keyring implements it.
type Keys interface {
	access.Keys
	Session(ctx context.Context, id, session string, began time.Time) (keyring.Holder, bool, error)
	Forget(id string)
}

// Ender ends sessions in all processes.
type Ender interface {
	Handle(ctx context.Context, cmd accounts.EndSession) error
}

var errBody = domain.Errorf(domain.Invalid, "body_invalid", `The body must be {"key":"…"}`)

// keyDoor signs in holders of API keys.
type keyDoor struct {
	keys Keys
	end  Ender
}

func (d keyDoor) enter(r *http.Request, body []byte) (guest, string, error) {
	var asked struct{ Key string }
	if json.Unmarshal(body, &asked) != nil {
		return nil, "", errBody
	}
	asked.Key = strings.TrimSpace(asked.Key)
	if !key.Check(asked.Key) {
		return nil, "", access.ErrKeyInvalid
	}
	hash := key.Hash(asked.Key)
	holder, ok, err := d.keys.Holder(r.Context(), hash)
	if err != nil {
		return nil, "", fmt.Errorf("look up an API key: %w", err)
	}
	if !ok {
		return nil, "", access.ErrKeyInvalid
	}
	return keyHolder(holder), key.ID(hash), nil
}

// begun does nothing. Sessions of accounts are not listed, and an earlier session of the same browser stays valid.
func (keyDoor) begun(context.Context, beginning) error { return nil }

func (d keyDoor) resume(ctx context.Context, one session, _ time.Time) (guest, bool, error) {
	holder, ok, err := d.keys.Session(ctx, one.byID(), one.name(), one.began)
	if err != nil {
		return nil, false, fmt.Errorf("look up the key of a session: %w", err)
	}
	return keyHolder(holder), ok, nil
}

func (d keyDoor) leave(ctx context.Context, one session) error {
	err := d.end.Handle(ctx, accounts.EndSession{Key: one.byID(), Session: one.name(), Began: one.began, Until: one.until()})
	d.keys.Forget(one.byID()) // Forget is called after an error too, because the event may have been written all the same.
	return err
}

// keyHolder is the owner of a session that began with a key.
type keyHolder keyring.Holder

// keySession is the description of a session for the page.
type keySession struct {
	Success bool     `json:"success"`
	Account string   `json:"account"`
	Role    key.Role `json:"role"`
	KeyID   string   `json:"key_id"`
	Until   string   `json:"until"`
}

func (h keyHolder) shown(one session) any {
	return keySession{Success: true, Account: string(h.Account), Role: h.Role, KeyID: one.byID(), Until: web.Stamp(one.until())}
}

func (h keyHolder) within(ctx context.Context) context.Context {
	return access.WithHolder(ctx, keyring.Holder(h))
}

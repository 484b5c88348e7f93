package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/key"
)

// Key is the read model of one API key, for lists. Its id is the first 32 hex digits of Hash. Authentication reads the log
// (package keyring), since a read model may lag.
type Key struct {
	ID        string     `json:"id"`
	Revision  int64      `json:"revision"` // revision of the last event of the key's stream that was folded in
	Account   string     `json:"account"`
	Name      string     `json:"name"`
	Role      key.Role   `json:"role"`
	Legacy    key.Legacy `json:"legacy"` // kind of a key from before keys had roles: primary or secondary; empty for every other key
	Hash      string     `json:"hash"`   // hex SHA-256 of the key
	IssuedAt  time.Time  `json:"issued_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	Revoked   bool       `json:"revoked"`
	RevokedAt *time.Time `json:"revoked_at"`
}

// foldKey applies one event of the key's stream.
func foldKey(k Key, e Event) Key {
	switch d := e.Data.(type) {
	case key.Issued:
		k.ID = e.ID
		k.Account = string(d.Account)
		k.Name = d.Name
		k.Role = d.Role
		k.Legacy = d.Legacy
		k.Hash = d.Hash
		k.IssuedAt = millis(d.At)
		k.ExpiresAt = millisOf(d.ExpiresAt)
	case key.Revoked:
		at := millis(d.At)
		k.Revoked, k.RevokedAt = true, &at
	}
	return k
}

// indexIssued orders an account's keys. Keys that are not revoked come before revoked ones. Within each of the two
// groups, newer keys come before older ones.
const indexIssued = "issued"

var keyModel = streamModel[Key]{
	modelName: "keys", modelShape: 3, oldShape: 2, category: key.StreamCategory, forOwners: true,
	indexes: []Index{{Name: indexIssued, Fields: []Field{{Name: "account"}, {Name: "revoked"},
		{Name: "issued_at", Descending: true}}}},
	revision: func(k *Key) *int64 { return &k.Revision },
	fold:     foldKey,
}

// Keys answers queries for API keys.
type Keys struct{ at *catalogue }

// KeyList selects a page of an account's keys. Its JSON is the cursor of GET /keys.
type KeyList struct {
	Account    domain.AccountID `json:"a"`
	Limit      int              `json:"l"` // maximum of keys in the page, 1 to 100
	*KeyCursor                  // the last key of the previous page; nil: the first page
}

// KeyCursor is a key's place in the list.
type KeyCursor struct {
	IssuedAt time.Time `json:"i"`
	ID       string    `json:"k"`
}

// KeyPage is a page of keys.
type KeyPage struct {
	Keys []Key
	More bool // more keys follow
}

// Cursor returns the key's place in the list.
func (k Key) Cursor() KeyCursor { return KeyCursor{IssuedAt: k.IssuedAt, ID: k.ID} }

// List returns a page of an account's keys that were not revoked, expired ones included: newest first, then by id. It may lag
// behind changes of other processes.
func (k *Keys) List(ctx context.Context, list KeyList) (KeyPage, error) {
	q := Query{Index: indexIssued, Equal: []any{string(list.Account), false}, Limit: list.Limit + 1}
	if after := list.KeyCursor; after != nil {
		q.After = []any{after.IssuedAt, after.ID}
	}
	keys, err := page[Key](ctx, k.at, keyModel.modelName, q)
	if err != nil {
		return KeyPage{}, err
	}
	if len(keys) > list.Limit {
		return KeyPage{Keys: keys[:list.Limit], More: true}, nil
	}
	return KeyPage{Keys: keys}, nil
}

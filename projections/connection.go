package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
)

// Connection is the read model of one saved connection. Its id is connection.Name. It holds no secrets, not even encrypted ones.
type Connection struct {
	ID       string              `json:"id"`
	Revision int64               `json:"revision"` // revision of the last event of the connection's stream that was folded in
	Account  string              `json:"account"`
	Name     string              `json:"name"` // the id that the account has given to the connection
	Kind     connection.Kind     `json:"kind"`
	Settings connection.Settings `json:"settings"`
	Secrets  []string            `json:"secrets"` // names of the secrets that are set
	Signing  int                 `json:"signing"` // number of valid signing secrets
	KeyID    string              `json:"key_id"`  // id of the key that encrypts the secrets
	HostKey  string              `json:"host_key"`
	SavedAt  time.Time           `json:"saved_at"`
	Deleted  bool                `json:"deleted"`

	TestedAt    *time.Time `json:"tested_at"`
	TestSuccess bool       `json:"test_success"`
	TestMessage string     `json:"test_message"`
}

// indexConnections orders an account's connections: first those that exist, then the deleted ones; in both groups by name.
const indexConnections = "account"

var connectionModel = streamModel[Connection]{
	modelName: "connections", modelShape: 2, oldShape: 1, category: connection.StreamCategory, forOwners: true,
	indexes:  []Index{{Name: indexConnections, Fields: []Field{{Name: "account"}, {Name: "deleted"}, {Name: "name"}}}},
	revision: func(c *Connection) *int64 { return &c.Revision },
	fold:     foldConnection,
}

// foldConnection applies one event of the connection's stream.
func foldConnection(c Connection, e Event) Connection {
	c.ID = e.ID
	account := string(e.Account)
	switch d := e.Data.(type) {
	case connection.Saved:
		saved := Connection{
			ID: e.ID, Revision: c.Revision, Account: account, Name: e.ID[min(len(account)+1, len(e.ID)):],
			Kind: d.Kind, Settings: d.Settings, Secrets: d.Secrets, Signing: d.Signing, KeyID: d.Sealed.Key, SavedAt: millis(d.At),
		}
		if !c.Deleted {
			saved.HostKey = d.Settings.KeptHostKey(c.Settings, c.HostKey)
		}
		return saved
	case connection.Tested:
		at := millis(d.At)
		c.TestedAt, c.TestSuccess, c.TestMessage = &at, d.Success, d.Message
		if c.HostKey == "" {
			c.HostKey = c.Settings.KeptHostKey(c.Settings, d.HostKey)
		}
	case connection.Deleted:
		c.Deleted = true
	}
	return c
}

// Connections answers queries for saved connections.
type Connections struct{ at *catalogue }

// ConnectionList selects a page of an account's connections. Its JSON is the cursor of GET /connections.
type ConnectionList struct {
	Account domain.AccountID `json:"a"`
	Limit   int              `json:"l"` // maximum of connections in the page, 1 to 100
	After   string           `json:"n"` // name of the last connection of the previous page; empty: the first page
}

// List returns a page of an account's connections by name, and whether more follow.
func (c *Connections) List(ctx context.Context, list ConnectionList) ([]Connection, bool, error) {
	q := Query{Index: indexConnections, Equal: []any{string(list.Account), false}, Limit: list.Limit + 1}
	if list.After != "" {
		q.After = []any{list.After}
	}
	found, err := page[Connection](ctx, c.at, connectionModel.modelName, q)
	if err != nil || len(found) <= list.Limit {
		return found, false, err
	}
	return found[:list.Limit], true, nil
}

// hearingPages is the maximum of pages of an account's connections that Hearing reads.
const hearingPages = 10

// Hearing returns the ids of an account's webhooks that subscribe to a live event: at most as many as the parameter most says,
// the first ones by id. It looks at the account's first 1,000 connections only.
func (c *Connections) Hearing(
	ctx context.Context, account domain.AccountID, event connection.LiveEvent, most int,
) ([]string, error) {
	var ids []string
	list := ConnectionList{Account: account, Limit: 100}
	for range hearingPages {
		found, more, err := c.List(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			if one.Kind.Hears(one.Settings, event) {
				ids = append(ids, one.Name)
			}
			if len(ids) == most {
				return ids, nil
			}
		}
		if !more {
			break
		}
		list.After = found[len(found)-1].Name
	}
	return ids, nil
}

// All returns a page of the connections of all accounts by id, deleted ones included, and whether more follow. It is for
// operators.
func (c *Connections) All(ctx context.Context, after string, limit int) ([]Connection, bool, error) {
	q := Query{Index: IDIndex, Limit: limit + 1}
	if after != "" {
		q.After = []any{after}
	}
	found, err := page[Connection](ctx, c.at, connectionModel.modelName, q)
	if err != nil || len(found) <= limit {
		return found, false, err
	}
	return found[:limit], true, nil
}

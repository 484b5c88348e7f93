package clearing

import (
	"context"

	"moviola/commands/accounts"
	"moviola/commands/connections"
	"moviola/domain/account"
	"moviola/eventstore"
	"moviola/projections"
)

// SavedList lists the connections of an account that were not deleted. projections.Connections implements it.
type SavedList interface {
	List(ctx context.Context, list projections.ConnectionList) ([]projections.Connection, bool, error)
}

// SavedConnections removes the connections of a closed account in the final removal (the field Last of Clearing): until then,
// deliveries of movies that the closing has cancelled may use them. A purge at a balance of zero removes no connections.
type SavedConnections struct {
	Saved  SavedList
	Delete answering[connections.DeleteConnection, eventstore.Position]
}

// connectionsAtOnce is how many connections one page of SavedList has.
const connectionsAtOnce = 100

// Clear implements processors.Cleaner.
func (s SavedConnections) Clear(ctx context.Context, what accounts.Clearing) error {
	if what.Reason != account.Departure || !what.Last {
		return nil
	}
	list := projections.ConnectionList{Account: what.Account, Limit: connectionsAtOnce}
	for more := true; more; {
		var saved []projections.Connection
		var err error
		if saved, more, err = s.Saved.List(ctx, list); err != nil {
			return err
		}
		for _, connection := range saved {
			list.After = connection.Name
			_, err := s.Delete.Handle(ctx, connections.DeleteConnection{Account: what.Account, ID: connection.Name})
			if err != nil && !notFound(err) {
				return err
			}
		}
	}
	return nil
}

package eventstores

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"moviola/eventstore/eventstoredb"
)

// OpenLog opens the log of another event store or, when from is empty, that of the data folder, whether a service runs there or
// not.
func OpenLog(ctx context.Context, data, from string, logger *logrus.Logger) (*eventstoredb.Store, func() error, error) {
	source, stop, err := copySource(ctx, filepath.Join(data, "events"), from)
	if err != nil {
		return nil, nil, err
	}
	source.Log = logger.WithField("part", "eventstore-client")
	store, err := eventstoredb.Open(source)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the event store: %w", err), stop())
	}
	return store, stop, nil
}

package app

import (
	"slices"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/handlers/http/access"
	"moviola/handlers/http/batches"
	"moviola/internal/secret"
)

// newBatches wires the operations on batches of movies.
func (s *service) newBatches(secret secret.Secret, submit commands.SubmitMovieHandler, log logrus.FieldLogger) (*batches.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	return batches.New(batches.Config{
		Request:   commands.NewRequestBatchHandler(commands.RequestBatchConfig{Submit: submit, NewID: commands.NewBatchID}),
		Cancel:    commands.NewCancelBatchHandler(s.stores.Log, time.Now),
		Batches:   s.models.Batches,
		Projected: s.models.Reader,
		PublicURL: s.cfg.PublicURL,
		Tokens:    s.tokens,
		CursorKey: cursorKey,
		Log:       log,
	})
}

// newMany wires the operations on batches, of movies and of assets.
func (s *service) newMany(secret secret.Secret, submit commands.SubmitMovieHandler, log logrus.FieldLogger) ([]access.Operation, error) {
	prepared, err := s.newPreloads(log)
	if err != nil {
		return nil, err
	}
	movies, err := s.newBatches(secret, submit, log)
	if err != nil {
		return nil, err
	}
	return slices.Concat(prepared.Operations(), movies.Operations()), nil
}

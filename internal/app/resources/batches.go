package resources

import (
	"slices"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/handlers/http/access"
	"moviola/handlers/http/batches"
	"moviola/internal/secret"
)

// newBatches wires the operations on batches of movies.
func (s *Resources) newBatches(
	secret secret.Secret, submit commands.SubmitMovieHandler, log logrus.FieldLogger,
) (*batches.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	return batches.New(batches.Config{
		Request:   commands.NewRequestBatchHandler(commands.RequestBatchConfig{Submit: submit, NewID: commands.NewBatchID}),
		Cancel:    s.Do.CancelBatch,
		Batches:   s.Models.Batches,
		Projected: s.Models.Reader,
		PublicURL: s.Config.PublicURL,
		Tokens:    s.Tokens,
		CursorKey: cursorKey,
		Log:       log,
	})
}

// NewMany wires the operations on batches of movies and on preloads.
func (s *Resources) NewMany(
	secret secret.Secret, submit commands.SubmitMovieHandler, log logrus.FieldLogger,
) ([]access.Operation, error) {
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

package resources

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/handlers/http/access"
	"moviola/handlers/http/movies"
	"moviola/internal/app/roads"
	"moviola/internal/drawing/survey"
	"moviola/internal/drawing/text"
	"moviola/internal/secret"
)

// NewMovies wires the operations on movies.
func (s *Resources) NewMovies(
	secret secret.Secret, gate *access.Gate, submit commands.SubmitMovieHandler, log logrus.FieldLogger,
) (*movies.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	guard, err := roads.NewGuard(s.Config)
	if err != nil {
		return nil, err
	}
	elog, bucket := s.Stores.Log, s.Stores.Files
	documents := commands.SealDocuments(bucket, s.Vault)
	return movies.New(movies.Config{
		Movies:    s.Models.Movies,
		Gate:      gate,
		Accounts:  s.Models.Accounts,
		Balances:  s.Models.Balances,
		Plans:     s.Plans,
		Presence:  s.Models.Presence,
		Files:     documents,
		Submit:    submit,
		Previews:  s.newPreviews(submit),
		Delete:    commands.NewDeleteFileHandler(elog, bucket, time.Now),
		Cancel:    commands.NewCancelMovieHandler(elog, time.Now),
		Redeliver: deliveries.NewRequestRedeliveryHandler(elog, time.Now),
		History:   s.Models.Movies,
		Projected: s.Models.Reader,
		PublicURL: s.Config.PublicURL,
		Tokens:    s.Tokens,
		CursorKey: cursorKey,
		Survey:    s.surveyor(),
		Outside:   roads.NewMovieChecks(s.Config, guard, connections.NewConnections(elog, s.Vault), s.Emails().Allows),
		Log:       log,
	})
}

// surveyor lays movies out to validate them, with the fonts of this machine if it has any. They are looked for when they are
// first needed.
func (s *Resources) surveyor() commands.Surveyor {
	return survey.New(sync.OnceValues(func() (*text.Engine, error) {
		return text.NewEngine(filepath.Join(s.WorkFolder(), "fonts"), s.Logger)
	}))
}

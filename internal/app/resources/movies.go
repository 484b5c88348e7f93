package resources

import (
	"path/filepath"
	"sync"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/connections"
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
	return movies.New(movies.Config{
		Movies:    s.Models.Movies,
		Gate:      gate,
		Accounts:  s.Models.Accounts,
		Balances:  s.Models.Balances,
		Plans:     s.Plans,
		Presence:  s.Models.Presence,
		Files:     commands.SealDocuments(s.Stores.Files, s.Vault),
		Submit:    submit,
		Previews:  s.newPreviews(submit),
		Delete:    s.Do.DeleteFile,
		Cancel:    s.Do.CancelMovie,
		Redeliver: s.Do.RequestRedelivery,
		History:   s.Models.Movies,
		Projected: s.Models.Reader,
		PublicURL: s.Config.PublicURL,
		Tokens:    s.Tokens,
		CursorKey: cursorKey,
		Survey:    s.surveyor(),
		Outside: roads.NewMovieChecks(s.Config, guard, connections.NewConnections(s.Stores.Log, s.Vault),
			s.Do.CountRecipients.Allows),
		Log: log,
	})
}

// surveyor returns the validator's layout check, with the fonts of this machine if there are any. The fonts are loaded at the
// first use.
func (s *Resources) surveyor() movies.Surveyor {
	return survey.New(sync.OnceValues(func() (*text.Engine, error) {
		return text.NewEngine(filepath.Join(s.WorkFolder(), "fonts"), s.Logger)
	}))
}

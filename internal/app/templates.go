package app

import (
	"context"
	"errors"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/accounts"
	templatecommands "moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/template"
	builtin "moviola/domain/template/library"
	"moviola/handlers/background/curator"
	"moviola/handlers/http/access"
	"moviola/handlers/http/templates"
	"moviola/third_party/photographs"
)

// libraryCredits are what the account of the library is opened with: far more than its examples cost.
const libraryCredits = 1_000_000

// templateConfig is what the commands on templates need.
func (s *service) templateConfig() templatecommands.TemplateConfig {
	files := commands.SealDocuments(s.stores.Files, s.vault)
	return templatecommands.TemplateConfig{Log: s.stores.Log, Files: files, NewID: commands.NewTemplateID, Now: time.Now}
}

// newTemplates wires the operations on templates.
func (s *service) newTemplates(gate *access.Gate, log logrus.FieldLogger) (*templates.API, error) {
	cfg := s.templateConfig()
	return templates.New(templates.Config{
		Templates: s.models.Templates,
		Movies:    templatecommands.NewTemplateMovies(cfg),
		Save:      templatecommands.NewSaveTemplateHandler(cfg),
		Duplicate: templatecommands.NewDuplicateTemplateHandler(cfg),
		Delete:    templatecommands.NewDeleteTemplateHandler(cfg),
		Publish:   s.libraryHandler(),
		Gate:      gate,
		Files:     s.stores.Files,
		Operator:  s.operator,
		Projected: s.models.Reader,
		PublicURL: s.cfg.PublicURL,
		Log:       log,
	})
}

func (s *service) libraryHandler() templatecommands.LibraryHandler {
	return templatecommands.NewLibraryHandler(templatecommands.LibraryConfig{
		Log: s.stores.Log, Files: s.templateConfig().Files, Submit: s.submitter(), OpenAccount: s.openLibraryAccount, Now: time.Now,
	})
}

// openLibraryAccount opens the account of the library, once in the life of an installation. Its key is shown to nobody.
func (s *service) openLibraryAccount(ctx context.Context) error {
	if _, known, err := s.models.Accounts.Get(ctx, commands.LibraryAccount); known || err != nil {
		return err
	}
	credits := int64(libraryCredits)
	_, err := s.opener().Handle(ctx, accounts.OpenAccount{ID: commands.LibraryAccount, Name: "Library", Credits: &credits})
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Kind == domain.Conflict {
		return nil
	}
	return err
}

// submitter accepts movies.
func (s *service) submitter() commands.SubmitMovieHandler {
	return commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: s.stores.Log, Ledgers: s.ledgers, Files: commands.SealDocuments(s.stores.Files, s.vault), Plans: s.plans,
		NewProject: commands.NewProjectID, Now: time.Now,
	})
}

// newCurator wires what keeps the library; without --library only what operators publish is listed.
func (s *service) newCurator() (*curator.Curator, error) {
	cfg := curator.Config{Shelves: s.libraryHandler(), Movies: s.models.Movies, Log: s.log.WithField("part", "library")}
	if s.cfg.Library {
		all, err := builtin.All()
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			cfg.BuiltIn = append(cfg.BuiltIn, templatecommands.BuiltIn{ID: t.ID, Name: t.Name, Tags: t.Tags, Prompt: t.Prompt, Movie: t.At(s.cfg.PublicURL + photographs.Path)})
		}
	}
	return curator.New(cfg), nil
}

// newSweeper wires the removal of what is stored of deleted templates.
func (s *service) newSweeper() templatecommands.SweepTemplateHandler {
	return templatecommands.NewSweepTemplateHandler(templatecommands.SweepTemplateConfig{
		Log: s.stores.Log, Files: s.stores.Files, UsedFunc: s.templateUsed, Now: time.Now, Kept: s.cfg.FileRetention, Age: s.cfg.AbandonAfter,
	})
}

// templateUsed says whether a movie that is still to be rendered or delivered was made of a template.
func (s *service) templateUsed(ctx context.Context, id template.ID) (bool, error) {
	if err := s.caughtUp(ctx); err != nil {
		return false, err
	}
	return s.models.Work.Uses(ctx, id)
}

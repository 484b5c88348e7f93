package parts

import (
	"context"
	"errors"
	"time"

	"moviola/commands"
	"moviola/commands/accounts"
	templatecommands "moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/template"
)

// libraryCredits is the initial balance, in credits, of the template library's account: far more than the examples cost.
const libraryCredits = 1_000_000

// TemplateConfig returns the dependencies of the use cases of templates.
func (s *Parts) TemplateConfig() templatecommands.TemplateConfig {
	files := commands.SealDocuments(s.Stores.Files, s.Vault)
	return templatecommands.TemplateConfig{Log: s.Stores.Log, Files: files, NewID: commands.NewTemplateID, Now: time.Now}
}

// openLibraryAccount opens the template library's account once per installation. The account's API key is not shown.
func (s *Parts) openLibraryAccount(ctx context.Context) error {
	if _, known, err := s.Models.Accounts.Get(ctx, commands.LibraryAccount); known || err != nil {
		return err
	}
	credits := int64(libraryCredits)
	_, err := s.Do.OpenAccount.Handle(ctx, accounts.OpenAccount{ID: commands.LibraryAccount, Name: "Library", Credits: &credits})
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Kind == domain.Conflict {
		return nil
	}
	return err
}

// templateUsed reports whether an open movie, to be rendered or delivered, was made from a template.
func (s *Parts) templateUsed(ctx context.Context, id template.ID) (bool, error) {
	if err := s.CaughtUp(ctx); err != nil {
		return false, err
	}
	return s.Models.Work.Uses(ctx, id)
}

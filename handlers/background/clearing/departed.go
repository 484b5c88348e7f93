package clearing

import (
	"context"
	"errors"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/projections"
)

// TemplateList lists the templates of an account. projections.Templates implements it.
type TemplateList interface {
	Owned(ctx context.Context, list projections.TemplateList) ([]projections.Template, error)
	Deleted(ctx context.Context, account domain.AccountID) ([]projections.Template, error)
}

// SavedTemplates deletes the templates of a closed account and, in the final removal (the field Last of Clearing), removes
// their files. A template that a movie of another account still needs is swept later, by the template's own work item.
type SavedTemplates struct {
	Saved  TemplateList
	Delete answering[templates.DeleteTemplate, eventstore.Position]
	Sweep  doing[templates.SweepTemplate]
}

// Clear implements processors.Cleaner.
func (s SavedTemplates) Clear(ctx context.Context, what accounts.Clearing) error {
	if what.Reason != account.Departure {
		return nil
	}
	owned, err := s.Saved.Owned(ctx, projections.TemplateList{Account: what.Account})
	if err != nil {
		return err
	}
	for _, t := range owned {
		_, err := s.Delete.Handle(ctx, templates.DeleteTemplate{Account: what.Account, ID: template.ID(t.ID)})
		if err != nil && !notFound(err) {
			return err
		}
	}
	if !what.Last {
		return nil
	}
	deleted, err := s.Saved.Deleted(ctx, what.Account)
	if err != nil {
		return err
	}
	for _, t := range deleted {
		err := s.Sweep.Handle(ctx, templates.SweepTemplate{ID: template.ID(t.ID), Departed: true})
		if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
			return err
		}
	}
	return nil
}

// KeyList lists the API keys of an account that were not revoked. projections.Keys implements it.
type KeyList interface {
	List(ctx context.Context, list projections.KeyList) (projections.KeyPage, error)
}

// IssuedKeys revokes the API keys of a closed account. The closing has made these keys useless already; the revocation removes
// them from the list of valid keys.
type IssuedKeys struct {
	Issued KeyList
	Revoke answering[accounts.RevokeKey, accounts.Revocation]
}

// keysAtOnce is how many API keys one page of KeyList has.
const keysAtOnce = 100

// Clear implements processors.Cleaner.
func (k IssuedKeys) Clear(ctx context.Context, what accounts.Clearing) error {
	if what.Reason != account.Departure {
		return nil
	}
	list := projections.KeyList{Account: what.Account, Limit: keysAtOnce}
	for more := true; more; {
		page, err := k.Issued.List(ctx, list)
		if err != nil {
			return err
		}
		for _, issued := range page.Keys {
			if _, err := k.Revoke.Handle(ctx, accounts.RevokeKey{ID: issued.ID, Account: what.Account}); err != nil && !notFound(err) {
				return err
			}
			cursor := issued.Cursor()
			list.KeyCursor = &cursor
		}
		more = page.More
	}
	return nil
}

// notFound reports whether a command was refused because its subject does not exist (any more).
func notFound(err error) bool {
	var refusal *domain.Error
	return errors.As(err, &refusal) && refusal.Kind == domain.NotFound
}

package ledgers

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
)

// CloseLedger closes an account's ledger: nothing can be held, counted or granted any more. It is idempotent.
func (l *Ledgers) CloseLedger(ctx context.Context, id domain.AccountID) error {
	_, err := l.Do(ctx, id, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Close(at), nil
	})
	return err
}

// OpenSubjects returns the movies and preload items of an account that have an open hold or count, according to the log.
func (l *Ledgers) OpenSubjects(ctx context.Context, id domain.AccountID) ([]domain.ProjectID, error) {
	var subjects []domain.ProjectID
	err := l.Ask(ctx, id, func(own *ledger.Ledger) error {
		subjects = own.OpenSubjects()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return subjects, nil
}

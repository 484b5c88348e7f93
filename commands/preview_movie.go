package commands

import (
	"context"
	"fmt"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/ledger"
)

// Preview reads a movie as a submission would and returns the refusal that follows from the movie, the account's movies and its plan: what
// the account has left is not asked for. Nothing is stored and nothing is held. With a refusal by the plan, the movie is returned too.
// Decision 32.
func (h SubmitMovieHandler) Preview(ctx context.Context, account domain.AccountID, body []byte) (*document.Movie, error) {
	read, err := h.read(ctx, SubmitMovie{Account: account, Body: body})
	if err != nil {
		return nil, err
	}
	doc := read.doc
	allowed, err := h.plans.of(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("preview a movie of account %s: %w", account, err)
	}
	if err := allowed.CheckSize(doc.Width, doc.Height); err != nil {
		return doc, err
	}
	return doc, h.ledgers.ask(ctx, account, func(l *ledger.Ledger) error {
		return allowed.CheckLength(document.KnownLength(doc), l.Totals().Pack)
	})
}

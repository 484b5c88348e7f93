package commands

import (
	"context"
	"errors"
	"fmt"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/ledger"
	"moviola/domain/lint"
	"moviola/domain/plan"
)

// Preview makes those checks of a submission that depend on the movie's JSON, on the account's movies and on its plan. It
// returns the parts of the movie, and the refusal that follows. It does not check the account's credits, and stores and
// holds nothing. An error that it returns is a fault of the service, not of the movie. Decision 32.
func (h SubmitMovieHandler) Preview(ctx context.Context, account domain.AccountID, body []byte) (lint.Input, error) {
	read, err := h.read(ctx, SubmitMovie{Account: account, Body: body})
	if err == nil {
		err = h.allowed(ctx, account, read.doc)
	}
	var refusal *domain.Error
	if err != nil && (!errors.As(err, &refusal) || refusal.Kind == domain.Internal) {
		return lint.Input{}, err
	}
	read.lint.Refused = err
	return read.lint, nil
}

// Sketch reads a movie for previews before it is submitted: it returns the JSON with the templates filled in, and the
// account's plan. It refuses an account that may not submit movies at any price, an invalid movie, and a movie with larger
// pictures than the plan allows. It checks neither length nor price, because only pictures are made.
func (h SubmitMovieHandler) Sketch(ctx context.Context, account domain.AccountID, body []byte) ([]byte, plan.Plan, error) {
	if err := h.Admit(ctx, account, ""); err != nil {
		return nil, plan.Plan{}, err
	}
	read, err := h.read(ctx, SubmitMovie{Account: account, Body: body})
	defer read.leave()
	if err == nil {
		err = document.Validate(read.doc)
	}
	if err != nil {
		return nil, plan.Plan{}, fmt.Errorf("read a movie of account %s: %w", account, err)
	}
	allowed, err := h.plans.Of(ctx, account)
	if err == nil {
		err = allowed.CheckSize(read.doc.Width, read.doc.Height)
	}
	return read.full, allowed, err
}

// allowed refuses a movie that exceeds the account's plan.
func (h SubmitMovieHandler) allowed(ctx context.Context, account domain.AccountID, doc *document.Movie) error {
	allowed, err := h.plans.Of(ctx, account)
	if err != nil {
		return fmt.Errorf("preview a movie of account %s: %w", account, err)
	}
	if err := allowed.CheckSize(doc.Width, doc.Height); err != nil {
		return err
	}
	return h.ledgers.Ask(ctx, account, func(l *ledger.Ledger) error {
		return allowed.CheckLength(document.LeastCredits(doc), l.Totals().Pack)
	})
}

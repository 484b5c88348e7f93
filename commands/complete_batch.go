package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/domain/template"
	"moviola/eventstore"
)

// CompleteBatch does the remaining work on a batch of movies: it submits the rows of an accepted batch, and cancels the movies of
// a refused or cancelled one.
type CompleteBatch struct{ Batch batch.ID }

// CompleteBatchHandler handles CompleteBatch.
type CompleteBatchHandler struct {
	submit  SubmitMovieHandler
	batches movieBatches
}

// NewCompleteBatchHandler returns a handler. submit submits the movie of each row.
func NewCompleteBatchHandler(submit SubmitMovieHandler) CompleteBatchHandler {
	return CompleteBatchHandler{submit: submit, batches: submit.batches()}
}

// rowsAtOnce is how many rows of a batch are submitted in parallel.
const rowsAtOnce = 4

// holdLimit is the age at which a hold for a batch has failed or is in the ledger: longer than submitLimit and the deadline of
// the ledgers together.
const holdLimit = 90 * time.Second

// rowsBetweenLooks is the number of submitted rows after which Handle checks again whether the batch was cancelled.
const rowsBetweenLooks = 40

// Handle holds the credits if the request for the batch has not held them, submits the movie of each row once, and winds down a
// refused or cancelled batch. It may be repeated, and run in several processes at the same time. ErrNothingToDo: nothing is left,
// or a request may still be working on the batch.
func (h CompleteBatchHandler) Handle(ctx context.Context, cmd CompleteBatch) error {
	for done := false; ; done = true {
		b, _, err := h.batches.load(ctx, cmd.Batch)
		if err != nil {
			return err
		}
		requested, _ := b.Requested()
		switch b.Next() {
		case batch.Nothing:
			if !done {
				return ErrNothingToDo
			}
			return h.forget(ctx, cmd.Batch, requested)
		case batch.Hold:
			if h.batches.now.Stamp().Before(requested.At.Add(submitLimit)) {
				return ErrNothingToDo
			}
			_, _, err = h.batches.hold(ctx, cmd.Batch, b)
			if refusedNow(err) {
				err = nil // the refusal to hold the credits is no failure: the batch is read again, and wound down as refused
			}
		case batch.Submit:
			err = h.submitAll(ctx, cmd.Batch, requested)
		case batch.WindDown:
			err = h.windDown(ctx, cmd.Batch, b)
		}
		if err != nil {
			return err
		}
	}
}

// refusedNow reports whether an error is the refusal to hold the credits of a batch. Any other error is a failure that may be
// temporary.
func refusedNow(err error) bool {
	var refusal *domain.Error
	return errors.As(err, &refusal) && refusal.Kind != domain.Internal
}

// forget deletes the stored rows: each row has its movie, or no movie will be submitted for it.
func (h CompleteBatchHandler) forget(ctx context.Context, id batch.ID, requested batch.Requested) error {
	if err := h.submit.files.Delete(ctx, blobkey.BatchRows(requested.Account, id)); err != nil {
		return fmt.Errorf("remove the rows of batch %s: %w", id, err)
	}
	return nil
}

// submitAll submits the movies of all rows that have no movie yet, and records that all are submitted. If the account is
// closed, it cancels the batch instead. It stops when the batch is cancelled meanwhile.
func (h CompleteBatchHandler) submitAll(ctx context.Context, id batch.ID, requested batch.Requested) error {
	totals, err := h.batches.ledgers.State(ctx, requested.Account)
	if err != nil {
		return err
	}
	if totals.Closed {
		_, _, err := h.batches.decide(ctx, requested.Account, id, func(b *batch.Batch, at time.Time) ([]domain.Event, error) {
			return b.Cancel(id, requested.Account, at)
		})
		return err
	}
	stored, err := h.open(ctx, id, requested)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(requested.Rows, rowsBetweenLooks) {
		err := eachRow(ctx, some, func(ctx context.Context, row batch.Row) error {
			return h.submitRow(ctx, stored, row)
		})
		if err != nil {
			return err
		}
		if b, _, err := h.batches.load(ctx, id); err != nil || b.Next() != batch.Submit {
			return err
		}
	}
	_, _, err = h.batches.decide(ctx, requested.Account, id, func(b *batch.Batch, at time.Time) ([]domain.Event, error) {
		return b.Submit(at), nil
	})
	return err
}

// storedBatch has the stored rows and templates of a batch, from which its movies are made.
type storedBatch struct {
	batch.Requested
	id    batch.ID
	rows  map[int]json.RawMessage // variables of each row, by row number
	texts []lint.Text             // the templates as they were when the batch was accepted
}

// open reads the stored parts of a batch.
func (h CompleteBatchHandler) open(ctx context.Context, id batch.ID, requested batch.Requested) (storedBatch, error) {
	s := storedBatch{Requested: requested, id: id, rows: make(map[int]json.RawMessage)}
	raw, err := readHashed(ctx, h.submit.files, blobkey.BatchRows(requested.Account, id), requested.RowsHash)
	var all []batch.Variables
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		return s, fmt.Errorf("read the rows of batch %s: %w", id, err)
	}
	for _, row := range all {
		s.rows[row.Row] = row.Values
	}
	for _, use := range requested.Templates {
		text, err := h.submit.templates.Read(ctx, template.ID(use.ID), use.Body)
		if err != nil {
			return s, err
		}
		s.texts = append(s.texts, lint.Text{Template: use.ID, Raw: lint.Plain(text)})
	}
	return s, nil
}

// submitRow submits the movie of one row, made of exactly the templates with which the batch was accepted. A movie that was
// submitted before, or abandoned because the batch was cancelled, is not changed.
func (h CompleteBatchHandler) submitRow(ctx context.Context, stored storedBatch, row batch.Row) error {
	project := batch.Project(stored.id, row.Number)
	m, err := h.submit.movies.Load(ctx, project)
	if err != nil || m.Account() != "" {
		return err
	}
	read, err := stored.read(row)
	if err != nil {
		return fmt.Errorf("read row %d of batch %s: %w", row.Number, stored.id, err)
	}
	if err := putDocument(ctx, h.submit.files, blobkey.Document(stored.Account, project), read.body, read.full); err != nil {
		return fmt.Errorf("store the document of %s: %w", project, err)
	}
	s := submittedOf(stored.Account, read, terms{plan: plan.Plan{Counted: stored.Counted, Outputs: stored.Outputs}, draft: row.Draft,
		credits: row.Held})
	s.Account, s.At, s.Batch, s.Row = stored.Account, h.submit.movies.now.Stamp(), stored.id, row.Number
	events, err := m.Submit(s)
	if err != nil {
		return fmt.Errorf("submit movie %s: %w", project, err)
	}
	_, err = h.submit.movies.log.Append(ctx, movie.Stream(project), eventstore.NoStream,
		eventstore.MetaOf(ctx, stored.Account, s.At), events...)
	if err != nil && !errors.Is(err, eventstore.ErrConflict) {
		return fmt.Errorf("submit movie %s: %w", project, err)
	}
	return nil
}

// read parses the movie of a row. The row was valid when the batch was accepted.
func (s storedBatch) read(row batch.Row) (reading, error) {
	body, err := batch.Document(s.Template, s.rows[row.Number])
	if err != nil {
		return reading{}, fmt.Errorf("write the movie: %w", err)
	}
	r := reading{body: body, lint: lint.Read(body), uses: s.Templates}
	r.lint.Templates = s.texts
	if r.full, err = fillFrom(s.texts, body); err != nil {
		return r, err
	}
	r.doc, r.lint.Filled, err = document.ParseTree(r.full)
	r.lint.Movie = r.doc
	return r, err
}

// windDown ends the movies of the batch, and records that the batch is wound down. That is not recorded as long as a process may
// hold credits for the batch, because nobody would give them back if that process ended then: until then windDown returns
// ErrNothingToDo.
func (h CompleteBatchHandler) windDown(ctx context.Context, id batch.ID, b *batch.Batch) error {
	requested, _ := b.Requested()
	if err := h.batches.endMovies(ctx, id, requested); err != nil {
		return err
	}
	if b.MayBeHeld(holdLimit, h.batches.now.Stamp()) {
		return ErrNothingToDo
	}
	_, _, err := h.batches.decide(ctx, requested.Account, id, func(b *batch.Batch, at time.Time) ([]domain.Event, error) {
		return b.Close(at), nil
	})
	return err
}

// eachRow calls the function do for the rows, rowsAtOnce of them in parallel. After the first error of a call it cancels the
// context of the other calls, and may skip the rows that are left. It returns that error when all calls have ended.
func eachRow(ctx context.Context, rows []batch.Row, do func(context.Context, batch.Row) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var working sync.WaitGroup
	next := make(chan batch.Row)
	for range min(rowsAtOnce, len(rows)) {
		working.Go(func() {
			for row := range next {
				if err := do(ctx, row); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	for _, row := range rows {
		select {
		case next <- row:
		case <-ctx.Done():
		}
	}
	close(next)
	working.Wait()
	return context.Cause(ctx)
}

// sortFlaws sorts flaws by row.
func sortFlaws(flaws []batch.Flaw) {
	slices.SortStableFunc(flaws, func(a, b batch.Flaw) int { return cmp.Compare(a.Row, b.Row) })
}

// sentences joins texts, each ended as a sentence.
func sentences(texts ...string) string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text[len(text)-1:], ".?!") {
			text += "."
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// cut shortens a longer text to at most maxFlawText bytes, and adds an ellipsis.
func cut(text string) string {
	if len(text) <= maxFlawText {
		return text
	}
	return strings.ToValidUTF8(text[:maxFlawText], "") + "…"
}

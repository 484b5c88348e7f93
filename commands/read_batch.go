package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/domain/plan"
)

const (
	// maxBatchRead is the largest size of a batch in bytes: its number of rows times the size of the movie that the template
	// makes without variables.
	maxBatchRead = 64 << 20
	// maxFlawTries is how many times, at most, rows of one batch are parsed again to find the columns at fault.
	maxFlawTries = 300
)

// rowReader parses the rows of one batch.
type rowReader struct {
	template string
	texts    []lint.Text // the texts of the templates as they are now
	plan     plan.Plan
	pack     bool
	tries    int // how many of the maxFlawTries are left
}

// readRows parses every row as a movie. Valid rows get a price, the others a flaw. An error is a fault of the template or of
// the service, or says that the batch as a whole is too large; a fault of a row is a flaw. secret reports whether
// destinations of the template may use values of the rows as secrets.
func (h RequestBatchHandler) readRows(
	ctx context.Context, account domain.AccountID, order batch.Order,
) (requested batch.Requested, secret bool, err error) {
	requested = batch.Requested{Account: account, Template: order.Template, Flaws: order.Flaws}
	r := rowReader{template: order.Template, tries: maxFlawTries}
	if r.plan, err = h.submit.plans.Of(ctx, account); err != nil {
		return requested, false, err
	}
	totals, err := h.submit.ledgers.State(ctx, account)
	if err != nil {
		return requested, false, err
	}
	r.pack, requested.Counted, requested.Outputs = totals.Pack, r.plan.Counted, r.plan.Outputs
	bare, err := batch.Document(order.Template, []byte("{}"))
	if err != nil {
		return requested, false, fmt.Errorf("write the movie of a row: %w", err)
	}
	part, err := h.submit.enter(ctx, account, bare)
	if err != nil {
		return requested, false, err
	}
	if part != nil {
		defer part.Release()
	}
	filled, err := h.submit.templates.Fill(ctx, account, bare)
	if err != nil {
		return requested, false, err
	}
	if size := len(filled.Body) * len(order.Rows); size > maxBatchRead {
		return requested, false, domain.Errorf(domain.TooLarge, "batch_too_large",
			"%d rows of a template of %d kB are too much for one batch; %d rows are possible", len(order.Rows),
			len(filled.Body)>>10, maxBatchRead/len(filled.Body))
	}
	requested.Templates, r.texts = filled.Uses, filled.Texts
	err = r.all(ctx, order.Rows, &requested)
	return requested, document.TakesSecrets(filled.Body), err
}

// all parses all rows, and adds each to the rows or the flaws of requested.
func (r *rowReader) all(ctx context.Context, rows []batch.Variables, requested *batch.Requested) error {
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		movie, flaw, err := r.read(row)
		switch {
		case err != nil:
			return err
		case flaw != nil:
			requested.Flaws = append(requested.Flaws, r.blame(row, *flaw))
		default:
			good := batch.Row{Number: row.Row, Draft: movie.Draft}
			if !requested.Counted {
				good.Held = document.LeastCredits(movie)
			}
			requested.Rows = append(requested.Rows, good)
		}
	}
	sortFlaws(requested.Flaws)
	return nil
}

// fillFrom replaces each reference to a saved template in body, the movie JSON of one row, by the JSON of that template
// in texts. It returns the movie JSON without references. A reference to a template that is missing in texts is an error.
func fillFrom(texts []lint.Text, body []byte) ([]byte, error) {
	return document.Fill(body, textOf(texts))
}

// textOf returns a function that returns the JSON of a template in texts.
func textOf(texts []lint.Text) func(id, by string) ([]byte, error) {
	return func(id, _ string) ([]byte, error) {
		for _, text := range texts {
			if text.Template == id {
				return text.Raw, nil
			}
		}
		return nil, errNoTemplate()
	}
}

// isTemplate allows templates to use what is secret in other ones: that they may was checked when they were filled in together.
func isTemplate(by, _ string) bool { return by != "" }

// maxFlawText is the maximum length of a flaw's text, in bytes, without the ellipsis of a shortened text. It bounds the size
// of the event that contains the flaws.
const maxFlawText = 300

// read parses one row as a movie. It returns the flaw of an invalid row.
func (r *rowReader) read(row batch.Variables) (*document.Movie, *batch.Flaw, error) {
	body, err := batch.Document(r.template, row.Values)
	if err != nil {
		return nil, nil, fmt.Errorf("write the movie of row %d: %w", row.Row, err)
	}
	in := lint.Read(body)
	if in.Refused == nil {
		in.Templates = r.texts
		var filled []byte
		if filled, in.Refused = document.FillGuarded(body, textOf(r.texts), isTemplate); in.Refused == nil {
			in.Movie, in.Filled, in.Refused = document.ParseTree(filled)
		}
	}
	if in.Refused == nil {
		in.Refused = r.allowed(in.Movie)
	}
	var refusal *domain.Error
	if errors.As(in.Refused, &refusal) && refusal.Kind != domain.Internal {
		return nil, &batch.Flaw{Row: row.Row, Code: refusal.Code, Message: cut(refusal.Message)}, nil
	}
	if in.Refused != nil {
		return nil, nil, in.Refused
	}
	if problems := lint.Check(in).Errors(); len(problems) > 0 {
		problem := problems[0]
		flaw := batch.Flaw{Row: row.Row, Code: problem.Code, Message: cut(sentences(problem.Message, problem.Remedy))}
		if name, ok := strings.CutPrefix(problem.Pointer, "/variables/"); ok && problem.Template == "" {
			name, _, _ = strings.Cut(name, "/")
			flaw.Column = batch.ShortColumn(name)
		}
		return nil, &flaw, nil
	}
	return in.Movie, nil, nil
}

// allowed refuses a movie that the account may not submit: an export contains a key of a cloud, or the size or the length exceeds
// the plan.
func (r *rowReader) allowed(movie *document.Movie) error {
	if err := document.CheckCloudKeys(movie); err != nil {
		return err
	}
	if err := r.plan.CheckSize(movie.Width, movie.Height); err != nil {
		return err
	}
	return r.plan.CheckLength(document.LeastCredits(movie), r.pack)
}

// blame returns the flaw with the column at fault, if it finds one: without that column the row is valid, or has another flaw.
func (r *rowReader) blame(row batch.Variables, flaw batch.Flaw) batch.Flaw {
	if flaw.Column != "" {
		return flaw
	}
	for _, name := range batch.Names(row.Values) {
		if r.tries--; r.tries < 0 {
			return flaw
		}
		values, err := batch.Without(row.Values, name)
		if err != nil {
			return flaw
		}
		_, left, err := r.read(batch.Variables{Row: row.Row, Values: values})
		if err == nil && (left == nil || left.Code != flaw.Code || left.Message != flaw.Message) {
			flaw.Column = batch.ShortColumn(name)
			return flaw
		}
	}
	return flaw
}

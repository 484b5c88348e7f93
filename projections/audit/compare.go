package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// Books are the read models of an installation.
type Books interface {
	// Balance returns an account's balance: zero when there is none.
	Balance(ctx context.Context, account domain.AccountID) (projections.Balance, error)
	// Movies returns the existing movies among the given projects, by project.
	Movies(ctx context.Context, projects ...domain.ProjectID) (map[domain.ProjectID]projections.Movie, error)
}

// How long the comparer waits for a read model that lags behind the log, and the pause between two queries meanwhile.
const (
	patience = 10 * time.Second
	pause    = 100 * time.Millisecond
)

// together is the maximum of movies that one query reads.
const together = 200

// comparer compares the read models with the log.
type comparer struct {
	books   Books
	waiting []ended
}

// ended is what the log says of a movie whose render has finished, for comparison with its read model.
type ended struct {
	account domain.AccountID
	project domain.ProjectID
	success bool
	credits int64
	at      Place
}

// movie collects a movie whose render has finished. When enough movies are collected, it compares what the log says of
// them with their documents in the read models.
func (c *comparer) movie(ctx context.Context, a *auditor, project domain.ProjectID, e movie.RenderFinished) error {
	done := ended{project: project, success: e.Success, credits: e.Credits, at: a.report.Position}
	if o := a.open[project]; o != nil {
		done.account = o.account
	}
	if c.waiting = append(c.waiting, done); len(c.waiting) < together {
		return nil
	}
	return c.flush(ctx, a)
}

// flush compares what the log says of the collected movies with their documents in the read models. While the log is
// being written, the read models may not show the last movies yet.
func (c *comparer) flush(ctx context.Context, a *auditor) error {
	waiting := c.waiting
	c.waiting = c.waiting[:0]
	for deadline := time.Now().Add(patience); ; {
		projects := make([]domain.ProjectID, len(waiting))
		for i, m := range waiting {
			projects[i] = m.project
		}
		found, err := c.books.Movies(ctx, projects...)
		if err != nil {
			return fmt.Errorf("read the movies: %w", err)
		}
		late := waiting[:0]
		for _, m := range waiting {
			doc, ok := found[m.project]
			if !ok || !doc.Closed {
				late = append(late, m)
				continue
			}
			if doc.Credits != m.credits || m.success != (doc.Status == projections.StatusDone) || m.account != "" &&
				doc.Account != string(m.account) {
				return m.differs(fmt.Sprintf("the read model says %s, %d credits, account %s; the log says success %t, %d "+
					"credits, account %s",
					doc.Status, doc.Credits, doc.Account, m.success, m.credits, m.account))
			}
			a.report.Movies++
		}
		if len(late) == 0 {
			return nil
		}
		if waiting = late; time.Now().After(deadline) {
			return waiting[0].differs("the read model does not know its end")
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

func (m ended) differs(what string) error {
	return &Difference{Account: m.account, Stream: movie.Stream(m.project), Position: m.at, What: what}
}

// balances compares every account's balance with the result of its ledger.
func (c *comparer) balances(ctx context.Context, a *auditor) error {
	if err := c.flush(ctx, a); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(a.accounts)) {
		if err := c.balance(ctx, a, id, a.accounts[id]); err != nil {
			return err
		}
		a.report.Balances++
	}
	return nil
}

// balance compares one account's balance. It waits for a read model that lags. A read model that is ahead, because the log has
// grown since, is compared with the ledger at the read model's revision.
func (c *comparer) balance(ctx context.Context, a *auditor, id domain.AccountID, acc *account) error {
	for deadline := time.Now().Add(patience); ; {
		doc, err := c.books.Balance(ctx, id)
		if err != nil {
			return fmt.Errorf("read the balance of account %s: %w", id, err)
		}
		if doc.Account != "" && doc.Revision >= acc.revision {
			return a.compareBalance(ctx, id, acc, doc)
		}
		if time.Now().After(deadline) {
			return a.balanceDiffers(id, acc, fmt.Sprintf("the read model stands at revision %d of the ledger", doc.Revision))
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

func (a *auditor) compareBalance(ctx context.Context, id domain.AccountID, acc *account, doc projections.Balance) error {
	granted, charged, held := acc.granted, acc.charged, acc.held
	for r, err := range a.cfg.Store.ReadStream(ctx, ledger.Stream(id), eventstore.Forwards, eventstore.Revision(acc.revision+1)) {
		if err != nil {
			return fmt.Errorf("read on in the ledger of account %s: %w", id, err)
		}
		if int64(r.Revision) > doc.Revision {
			break
		}
		event, _, err := a.cfg.Codec.Decode(r)
		if err != nil {
			return err
		}
		switch e := event.(type) {
		case ledger.CreditsGranted:
			granted += e.Amount
		case ledger.CreditsHeld:
			held += e.Amount
		case ledger.CreditsHoldChanged:
			held += e.Amount - e.Before
		case ledger.CreditsCharged:
			charged, held = charged+e.Amount, held-e.Amount
		case ledger.CreditsReleased:
			held -= e.Amount
		}
	}
	want := projections.Balance{Granted: granted, Charged: charged, Held: held, Balance: granted - charged,
		Available: granted - charged - held}
	got := projections.Balance{Granted: doc.Granted, Charged: doc.Charged, Held: doc.Held, Balance: doc.Balance,
		Available: doc.Available}
	if got != want {
		return a.balanceDiffers(id, acc, fmt.Sprintf("at revision %d the read model says granted %d, charged %d, held %d; "+
			"the log says %d, %d, %d",
			doc.Revision, doc.Granted, doc.Charged, doc.Held, granted, charged, held))
	}
	return nil
}

func (a *auditor) balanceDiffers(id domain.AccountID, acc *account, what string) error {
	return &Difference{Account: id, Stream: ledger.Stream(id), Revision: acc.revision, Position: a.report.Position, What: what}
}

// rest pauses before the read models are queried again, or the log is read again. It returns the context's error when ctx
// ends.
func rest(ctx context.Context) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

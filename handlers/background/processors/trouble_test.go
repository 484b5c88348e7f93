package processors_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/projections"
)

// troubles counts failures by piece of work.
type troubles struct {
	mu    sync.Mutex
	rows  map[string]projections.Trouble
	clear int
	fails error
}

func (b *troubles) Failed(_ context.Context, item projections.WorkItem, message string) (projections.Trouble, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails != nil {
		return projections.Trouble{}, b.fails
	}
	row := b.rows[item.ID]
	row.Work, row.Message, row.Failures = item.ID, message, row.Failures+1
	b.rows[item.ID] = row
	return row, nil
}

func (b *troubles) Clear(_ context.Context, work string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, work)
	b.clear++
	return b.fails
}

// TestTrouble: what fails for its own reasons is put on the board and taken down when it is done; what passes is not.
func TestTrouble(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.do(render(project, 0))
		// Somebody has given the hold back by hand: settling cannot charge it.
		released := ledger.CreditsReleased{Project: project, Amount: 4, Reason: "by hand", At: time.Now()}
		log := w.log()
		end, err := log.Last(t.Context(), ledger.Stream(alice))
		must(t, err)
		must(t, second(log.Append(t.Context(), ledger.Stream(alice), end.Revision, eventstore.Meta{Account: alice, Time: time.Now()}, domain.Event(released))))
		settling := task(projections.WorkSettle, project, 0)
		for range 2 {
			if <-pr.send(settling) {
				t.Error("it was settled")
			}
		}
		if row := w.troubles.rows[settling.ID]; row.Failures != 2 || row.Message == "" {
			t.Errorf("trouble %+v", row)
		}
		w.troubles.fails = errors.New("database away") // work does not depend on the board
		if <-pr.send(settling) {
			t.Error("it was settled")
		}
		w.troubles.fails = nil
		other := settling
		other.Subject = string(w.submit()) // nothing to settle yet: done
		pr.do(other)
		if _, there := w.troubles.rows[settling.ID]; there || w.troubles.clear != 1 {
			t.Errorf("cleared %d times", w.troubles.clear)
		}
		pr.do(other)
		if w.troubles.clear != 1 {
			t.Error("what had no trouble was cleared")
		}
	})
}

package ledgers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// snapshotAfter is how many events, at least, a ledger grows by between two snapshots: folding that many takes about a
// millisecond.
const snapshotAfter = 300

// restore loads the newest snapshot of the ledger, or its opening balance if that includes more events, so that only the later
// events have to be folded. When neither is usable, or neither can be read now, it loads nothing: then all events are folded,
// also those in the archive.
func (o *ledgerOwner) restore(ctx context.Context) {
	if o.restored {
		return
	}
	o.restored = true
	event, at, found, err := eventstore.NewSnapshots(o.log).Newest(ctx, ledger.SnapshotStream(o.account), o.stream)
	taken, ok := event.(ledger.SnapshotTaken)
	usable := err == nil && found && ok && taken.Version == ledger.StateVersion
	opened, from, err := o.opening(ctx, o.account)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case usable && (err != nil || at.Revision >= from.Revision):
		o.at, o.stored = at, ledger.Restore(taken.State)
		o.snapshot.Store(int64(at.Revision))
	case err == nil && from.Revision != eventstore.NoStream:
		o.at, o.stored = from, opened
	default:
		return
	}
	o.draft = o.stored.Clone()
}

// Snapshot appends a snapshot of an account's ledger when the ledger has grown by enough events since the last snapshot,
// unless it is too large for an event. With it the earlier events need not be folded at a later start. Nothing else depends
// on the snapshot. Snapshot is idempotent.
func (l *Ledgers) Snapshot(ctx context.Context, account domain.AccountID) error {
	owner, err := l.enter(account)
	if err != nil {
		return err
	}
	defer l.leave(owner)
	if owner.end.Load()-owner.snapshot.Load() < snapshotAfter {
		return nil
	}
	nothing := func(*ledger.Ledger, time.Time) ([]domain.Event, error) { return nil, nil }
	now := l.send(account, &ledgerRequest{ctx: ctx, decide: nothing, state: true})
	if now.err != nil {
		return fmt.Errorf("look at the ledger of %s: %w", account, now.err)
	}
	if err := l.take(ctx, account, now); err != nil {
		return fmt.Errorf("take a snapshot of the ledger of %s: %w", account, err)
	}
	owner.snapshot.Store(int64(now.appended.Revision))
	return nil
}

// take appends the snapshot of a ledger. When the snapshot is too large for an event, take leaves out the holds that ended first.
// A ledger remembers ended holds for two days, and a busy account ends tens of thousands in that time. A smaller snapshot is
// better than none, because without one all events have to be folded.
func (l *Ledgers) take(ctx context.Context, account domain.AccountID, ledgerNow ledgerAnswer) error {
	revision := ledgerNow.appended.Revision
	id, err := l.log.IDAt(ctx, ledger.Stream(account), revision)
	if err != nil {
		return err
	}
	at := l.now.Stamp()
	for state := ledgerNow.state; ; state.Ended = state.Ended[(len(state.Ended)+1)/2:] {
		err = eventstore.NewSnapshots(l.log).Take(ctx, ledger.SnapshotStream(account), eventstore.MetaOf(ctx, account, at),
			ledger.SnapshotTaken{
				Revision: int64(revision), Event: id.String(), Version: ledger.StateVersion, State: state, At: at,
			})
		if !errors.Is(err, eventstore.ErrTooLarge) {
			return err
		}
		// The snapshot has no ended holds any more, and its open holds alone are too large for one event: no snapshot is
		// taken.
		if len(state.Ended) == 0 {
			return nil
		}
	}
}

package eventstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

const (
	ledgerStream   = "ledger-a"
	snapshotStream = "ledgersnapshot-a"
)

// snapshots is a log with a ledger of n grants.
type snapshots struct {
	*testing.T
	ctx   context.Context
	store *memory.Store
	log   *eventstore.Log
	eventstore.Snapshots
	ids []uuid.UUID // of the ledger's events
}

func newSnapshots(t *testing.T, n int) *snapshots {
	t.Helper()
	store := memory.New()
	s := &snapshots{T: t, ctx: context.Background(), store: store, log: eventstore.NewLog(store, eventstore.NewCodec())}
	s.Snapshots = eventstore.NewSnapshots(s.log)
	for i := range n {
		event := ledger.CreditsGranted{Reference: string(rune('a' + i)), Amount: 1, At: at}
		if _, err := s.log.Append(s.ctx, ledgerStream, eventstore.Revision(i)-1, eventstore.Meta{Time: at}, event); err != nil {
			t.Fatal(err)
		}
		s.ids = append(s.ids, eventstore.EventID(ledgerStream, event))
	}
	return s
}

func (s *snapshots) take(revision int64, id uuid.UUID) {
	s.Helper()
	snapshot := ledger.SnapshotTaken{Revision: revision, Event: id.String(), Version: ledger.StateVersion, At: at}
	if err := s.Take(s.ctx, snapshotStream, eventstore.Meta{Time: at}, snapshot); err != nil {
		s.Fatal(err)
	}
}

// want checks the revision that the newest snapshot stands on, -1: there is none that fits.
func (s *snapshots) want(revision eventstore.Revision) {
	s.Helper()
	snapshot, at, found, err := s.Newest(s.ctx, snapshotStream, ledgerStream)
	if err != nil || found != (revision >= 0) || at.Revision != revision {
		s.Fatalf("the newest snapshot stands on %+v, %v, %v, want revision %d", at, found, err, revision)
	}
	if !found {
		return
	}
	if taken, ok := snapshot.(ledger.SnapshotTaken); !ok || taken.Revision != int64(revision) || at.Position == (eventstore.Position{}) {
		s.Errorf("the snapshot is %+v at %+v", snapshot, at)
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	s := newSnapshots(t, 5)
	s.want(eventstore.NoStream)
	s.take(2, s.ids[2])
	s.want(2)
	s.take(4, s.ids[4])
	s.want(4)
	s.take(4, s.ids[4]) // again
	s.want(4)
	kept := 0
	for range s.store.ReadStream(s.ctx, snapshotStream, eventstore.Forwards, 0) {
		kept++
	}
	if kept != 1 {
		t.Errorf("%d snapshots can be read, want the newest only", kept)
	}
}

// TestSnapshots_dropped: a snapshot that stands on an event which the log does not have, or cannot be decoded, is not used.
func TestSnapshots_dropped(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(*snapshots){
		"another event":        func(s *snapshots) { s.take(2, s.ids[3]) },
		"beyond the log":       func(s *snapshots) { s.take(5, s.ids[4]) },
		"before the beginning": func(s *snapshots) { s.take(-1, s.ids[0]) },
		"unknown type": func(s *snapshots) {
			s.take(2, s.ids[2])
			event := eventstore.Proposed{ID: uuid.New(), Type: "LedgerSnapshotTakenByAnother", Data: []byte(`{}`), Metadata: []byte(`{"v":1}`)}
			if _, err := s.store.Append(s.ctx, snapshotStream, 0, event); err != nil {
				s.Fatal(err)
			}
		},
		"no snapshot": func(s *snapshots) {
			granted := ledger.CreditsGranted{Reference: "z", Amount: 1, At: at}
			if _, err := s.log.Append(s.ctx, snapshotStream, eventstore.NoStream, eventstore.Meta{Time: at}, granted); err != nil {
				s.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSnapshots(t, 5)
			take(s)
			s.want(eventstore.NoStream)
		})
	}
}

// TestSnapshots_unavailable: that a snapshot cannot be read is not the same as that there is none.
func TestSnapshots_unavailable(t *testing.T) {
	t.Parallel()
	s := newSnapshots(t, 1)
	s.store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return eventstore.ErrUnavailable }})
	if _, _, _, err := s.Newest(s.ctx, snapshotStream, ledgerStream); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("the error is %v, want %v", err, eventstore.ErrUnavailable)
	}
}

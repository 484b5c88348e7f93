package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"moviola/domain/ledger"
	"moviola/eventstore"
)

// Verified is the result of comparing a log with an anchor.
type Verified struct {
	Ledgers int64 `json:"ledgers"` // number of the anchor's ledgers that were read
	Events  int64 `json:"events"`  // number of unchanged events that the anchor covers
	Since   int64 `json:"since"`   // number of entries after the anchor, in all ledgers
	// Difference is the first event that was changed, added or removed; nil: there is none.
	Difference *AnchorDifference `json:"difference"`
}

// AnchorDifference describes the first event that differs from the anchor.
type AnchorDifference struct {
	Stream   string `json:"stream"`
	Revision int64  `json:"revision"` // revision of the differing event, or the first one that it may have
	// Through is the last revision that the differing event may have; equal to Revision when it is known exactly.
	Through int64  `json:"through"`
	What    string `json:"what"` // changed, added, removed; differs when the event is known only as one of a range
}

func (d *AnchorDifference) Error() string {
	if d.Through > d.Revision {
		return fmt.Sprintf("an event from %d to %d of %s %s", d.Revision, d.Through, d.Stream, d.What)
	}
	return fmt.Sprintf("event %d of %s: %s", d.Revision, d.Stream, d.What)
}

// late is the tolerance for clocks that differ: by their own times, the events of a ledger that the anchor does not
// contain may be older than the anchor by at most this time.
const late = time.Minute

// Verify reads the ledgers from their first events and compares them with an anchor, up to the first difference. The
// parameter list is the anchor's list, which has the digest of every ledger event that the anchor covers. When list is
// nil, a changed event is located only to a range of at most ChainStep events.
func Verify(ctx context.Context, store eventstore.Store, anchor Anchor, list []byte) (Verified, error) {
	var done Verified
	if err := anchor.check(list); err != nil {
		return done, err
	}
	known := make(map[string]bool, len(anchor.Ledgers))
	for _, one := range anchor.Ledgers {
		known[one.Stream] = true
		v := verifier{AnchoredLedger: one}
		if list != nil {
			v.list, list = list[:one.Events*sha256.Size], list[one.Events*sha256.Size:]
		}
		err := v.read(ctx, store, &done)
		if errors.As(err, &done.Difference) {
			return done, nil
		}
		if err != nil {
			return done, err
		}
		done.Ledgers++
	}
	err := unknownLedgers(ctx, store, anchor, known, &done)
	if errors.As(err, &done.Difference) {
		return done, nil
	}
	return done, err
}

// check refuses an anchor whose numbers of events and digests do not go together, even if it is signed, and a list that
// does not belong to the anchor. A nil list means that none is given.
func (a Anchor) check(list []byte) error {
	var events int64
	for _, one := range a.Ledgers {
		if one.Events < 1 || int64(len(one.Chain)) != one.Events/ChainStep {
			return fmt.Errorf("the anchor is damaged: of %s it has %d events and %d digests", one.Stream, one.Events, len(one.Chain))
		}
		events += one.Events
	}
	if list == nil {
		return nil
	}
	if sum := sha256.Sum256(list); hex.EncodeToString(sum[:]) != a.List || int64(len(list)) != events*sha256.Size {
		return errors.New("the list of digests is not the one that the anchor was signed with")
	}
	return nil
}

// verifier compares one ledger with its record in an anchor.
type verifier struct {
	AnchoredLedger
	list    []byte
	seal    Seal
	next    int64
	suspect *eventstore.Recorded // the first event whose digest differs from the list; the event after it shows the reason
}

func (v *verifier) read(ctx context.Context, store eventstore.Store, done *Verified) error {
	for r, err := range store.ReadStream(ctx, v.Stream, eventstore.Forwards, 0) {
		if err != nil {
			return fmt.Errorf("read %s: %w", v.Stream, err)
		}
		if v.suspect != nil {
			return v.explain(&r)
		}
		if v.next >= v.Events {
			done.Since++
			continue
		}
		if err := v.event(&r); err != nil {
			return err
		}
		if v.suspect == nil {
			done.Events++
		}
	}
	switch {
	case v.suspect != nil:
		return v.explain(nil)
	case v.next < v.Events:
		return &AnchorDifference{Stream: v.Stream, Revision: v.next, Through: v.Events - 1, What: "removed"}
	}
	return nil
}

// event compares an event of the ledger with the anchor, which covers it: its digest with the one in the anchor's list,
// if there is a list, and the hash chain of the ledger, if the anchor has the chain's digest after this event.
func (v *verifier) event(r *eventstore.Recorded) error {
	v.seal.Add(r)
	at := v.next
	v.next++
	if v.list != nil {
		if digest := entryDigest(r, int64(r.Revision)); !bytes.Equal(digest[:], v.listed(at)) {
			kept := *r
			v.suspect, v.next = &kept, at
			return nil
		}
	}
	want := v.Digest
	switch full := v.next / ChainStep; {
	case v.next%ChainStep == 0 && full <= int64(len(v.Chain)):
		want = v.Chain[full-1]
	case v.next < v.Events:
		return nil
	}
	if v.seal.String() != want {
		return &AnchorDifference{Stream: v.Stream, Revision: (v.next - 1) / ChainStep * ChainStep, Through: v.next - 1, What: "differs"}
	}
	return nil
}

// listed returns the digest of an event in the list; nil: the anchor does not cover the event.
func (v *verifier) listed(at int64) []byte {
	if at >= v.Events {
		return nil
	}
	return v.list[at*sha256.Size : (at+1)*sha256.Size]
}

// explain reports why the event suspect differs from the list, as far as its neighbours show that. When suspect has the
// digest that the list gives for the next event, the event before it was removed. When after, the event that follows
// suspect, has the digest that the list gives for suspect, suspect was added. Otherwise explain reports suspect as
// changed. after is nil when no event follows.
func (v *verifier) explain(after *eventstore.Recorded) error {
	is := func(r *eventstore.Recorded, at int64) bool {
		digest := entryDigest(r, at)
		return bytes.Equal(digest[:], v.listed(at))
	}
	what := "changed"
	switch {
	case is(v.suspect, v.next+1):
		what = "removed"
	case after != nil && is(after, v.next):
		what = "added"
	}
	return &AnchorDifference{Stream: v.Stream, Revision: v.next, Through: v.next, What: what}
}

// unknownLedgers checks the ledgers that the anchor does not contain: none of their events may say that it is older
// than the anchor, by more than the tolerance late. It adds their events to done.Since. known are the streams of the
// ledgers that the anchor contains.
func unknownLedgers(ctx context.Context, store eventstore.Store, anchor Anchor, known map[string]bool, done *Verified) error {
	for r, err := range store.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if category, _ := eventstore.SplitStream(r.Stream); category != ledger.StreamCategory || known[r.Stream] {
			continue
		}
		var meta eventstore.Metadata
		if json.Unmarshal(r.Metadata, &meta) == nil && meta.Time.Before(anchor.TakenAt.Add(-late)) {
			return &AnchorDifference{Stream: r.Stream, Revision: int64(r.Revision), Through: int64(r.Revision), What: "added"}
		}
		done.Since++
	}
	return nil
}

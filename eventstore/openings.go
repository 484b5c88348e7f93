package eventstore

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"moviola/domain"
	"moviola/domain/ledger"
)

// openingBytes is the estimated size, in bytes, at which a part of an opening balance ends. It is far below the size that a store
// takes in one append (ErrTooLarge).
const openingBytes = 256 << 10

// Opening is the newest opening balance of a ledger, as it is stored.
type Opening struct {
	ledger.Opened          // the event of the opening balance; its State is the state of all pages together
	At            Revision // revision of the event in the stream of opening balances
	// revision and position, in the ledger, of the last event that the opening balance includes. Base.Revision is
	// NoStream when the ledger has no event, or one with another id, at that revision: the opening balance does not fit
	// the ledger.
	Base Appended
}

// NewestOpening reads the newest opening balance of an account's ledger, whoever has signed it. It returns false when there
// is none, when one of its pages is missing, and when this program cannot decode the opening balance or one of its pages.
func (l *Log) NewestOpening(ctx context.Context, account domain.AccountID) (Opening, bool, error) {
	stream, found := ledger.OpeningStream(account), Opening{Base: Appended{Revision: NoStream}}
	recorded, ok, err := l.lastOf(ctx, stream, ledger.Opened{}.EventType())
	if err != nil || !ok {
		return found, false, wrapRead(stream, err)
	}
	event, _, err := l.codec.Decode(recorded)
	if found.Opened, ok = event.(ledger.Opened); err != nil || !ok {
		return found, false, nil
	}
	found.At = recorded.Revision
	parts, err := l.openingPages(ctx, stream, found)
	if err != nil || int64(len(parts)) != int64(found.At)-found.First {
		return found, false, wrapRead(stream, err)
	}
	found.State = ledger.Join(append(parts, found.State)...)
	ledgerStream := ledger.Stream(account)
	base, ok, err := first(l.store.ReadStream(ctx, ledgerStream, Forwards, Revision(max(found.Revision, 0))))
	if err != nil {
		return found, false, wrapRead(ledgerStream, err)
	}
	if ok && int64(base.Revision) == found.Revision && base.ID.String() == found.Event {
		found.Base = Appended{Revision: base.Revision, Position: base.Position}
	}
	return found, true, nil
}

// lastOf returns the newest event of a stream that has the given type. Pages of an opening balance that an interrupted process
// has left may follow that event.
func (l *Log) lastOf(ctx context.Context, stream, eventType string) (Recorded, bool, error) {
	for recorded, err := range l.store.ReadStream(ctx, stream, Backwards, -1) {
		if err != nil || recorded.Type == eventType {
			return recorded, err == nil, err
		}
	}
	return Recorded{}, false, nil
}

// openingPages returns the contents of the pages that belong to an opening balance: fewer than there should be when some are
// missing, and none when one cannot be decoded or belongs to another opening balance.
func (l *Log) openingPages(ctx context.Context, stream string, of Opening) ([]ledger.State, error) {
	if of.First < 0 || of.First >= int64(of.At) {
		return nil, nil
	}
	var parts []ledger.State
	for recorded, err := range l.store.ReadStream(ctx, stream, Forwards, Revision(of.First)) {
		if err != nil {
			return nil, err
		}
		if recorded.Revision >= of.At {
			break
		}
		event, _, err := l.codec.Decode(recorded)
		page, ok := event.(ledger.OpeningPage)
		if err != nil || !ok || page.Revision != of.Revision {
			return nil, nil
		}
		parts = append(parts, page.State)
	}
	return parts, nil
}

// AppendOpening signs and appends opened, the opening balance of an account's ledger, and truncates the earlier opening
// balances. It sets opened.First and opened.Signature itself. When another process appends another opening balance at the
// same time, one of the two calls returns ErrConflict.
func (l *Log) AppendOpening(
	ctx context.Context, account domain.AccountID, meta Meta, opened ledger.Opened, key ed25519.PrivateKey,
) error {
	opened, err := opened.Sign(account, key)
	if err != nil {
		return err
	}
	stream := ledger.OpeningStream(account)
	at, err := l.Last(ctx, stream)
	if err != nil {
		return err
	}
	parts := opened.State.Split(openingBytes)
	opened.First, opened.State = int64(at.Revision)+1, parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		page := ledger.OpeningPage{Revision: opened.Revision, Page: int64(at.Revision) + 1, State: part, At: opened.At}
		if at, err = l.Append(ctx, stream, at.Revision, meta, page); err != nil {
			return err
		}
	}
	if _, err = l.Append(ctx, stream, at.Revision, meta, opened); err != nil || opened.First == 0 {
		return err
	}
	return l.truncateBefore(ctx, stream, Revision(opened.First))
}

// truncateBefore hides the events of a stream before a revision, by $tb in the stream's metadata.
func (l *Log) truncateBefore(ctx context.Context, stream string, revision Revision) error {
	for {
		expected, fields, err := describe(ctx, l.store, stream)
		if err != nil {
			return err
		}
		fields["$tb"] = json.RawMessage(fmt.Sprint(int64(revision)))
		data, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		_, err = l.AppendProposed(ctx, metaPrefix+stream, expected, Proposed{
			ID: uuid.NewSHA1(idNamespace, fmt.Appendf(nil, "truncate\x00%s\x00%d", stream, revision)), Type: metaType, Data: data,
		})
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

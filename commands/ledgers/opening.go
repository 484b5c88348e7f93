package ledgers

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// Option changes what New returns.
type Option func(*Ledgers)

// SignedWith gives the key that signs opening balances. An opening balance is the state of a ledger after its early events; with
// it the ledger can be folded without them. Without the key the Ledgers neither make nor use opening balances.
func SignedWith(key ed25519.PrivateKey) Option { return func(l *Ledgers) { l.key = key } }

// Open appends an opening balance of an account's ledger: the state of the ledger after all events that the store created
// earlier than the time before. An earlier opening balance may include some of these events already; if fewer than least
// of them are new, Open appends nothing. A least below 1 counts as 1.
//
// Open returns the revision of the last event that the newest opening balance includes, or NoStream if there is no opening
// balance. The ledger can be folded without that event and all events before it. Open is idempotent. It ignores an opening
// balance without a valid signature, and one that does not fit the ledger. Decision 96.
func (l *Ledgers) Open(
	ctx context.Context, account domain.AccountID, before time.Time, least int,
) (eventstore.Revision, error) {
	if l.key == nil {
		return eventstore.NoStream, errors.New("opening balances need a key that signs them")
	}
	folded, from, err := l.opening(ctx, account)
	if err != nil {
		return eventstore.NoStream, fmt.Errorf("read the opening balance of %s: %w", account, err)
	}
	stream, last := ledger.Stream(account), eventstore.Recorded{Revision: from.Revision}
	for recorded, err := range l.log.Store().ReadStream(ctx, stream, eventstore.Forwards, from.Revision+1) {
		if err != nil {
			return from.Revision, fmt.Errorf("read %s: %w", stream, err)
		}
		if !recorded.Created.Before(before) {
			break
		}
		event, _, err := l.log.Codec().Decode(recorded)
		if err != nil {
			return from.Revision, err
		}
		folded.Apply(event)
		last = recorded
	}
	if last.Revision-from.Revision < eventstore.Revision(max(least, 1)) {
		return from.Revision, nil
	}
	at := l.now.Stamp()
	err = l.log.AppendOpening(ctx, account, eventstore.MetaOf(ctx, account, at), ledger.Opened{
		Revision: int64(last.Revision), Event: last.ID.String(), Version: ledger.StateVersion, State: folded.State(), At: at,
	}, l.key)
	if errors.Is(err, eventstore.ErrConflict) {
		return from.Revision, nil // another process appends an opening balance at the same time
	}
	if err != nil {
		return from.Revision, fmt.Errorf("append the opening balance of %s: %w", account, err)
	}
	return last.Revision, nil
}

// opening returns the ledger as an account's newest opening balance has it, and the last event in the ledger's stream that
// this state includes. When the newest opening balance has no valid signature, another version or does not fit the ledger,
// or when there is none or l has no key, it returns an empty ledger and NoStream.
func (l *Ledgers) opening(ctx context.Context, account domain.AccountID) (*ledger.Ledger, eventstore.Appended, error) {
	none := eventstore.Appended{Revision: eventstore.NoStream}
	if l.key == nil {
		return ledger.New(), none, nil
	}
	newest, found, err := l.log.NewestOpening(ctx, account)
	if err != nil || !found || newest.Base.Revision == eventstore.NoStream || newest.Version != ledger.StateVersion ||
		!newest.SignedBy(account, l.key.Public().(ed25519.PublicKey)) {
		return ledger.New(), none, err
	}
	return ledger.Restore(newest.State), newest.Base, nil
}

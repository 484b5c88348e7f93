package accountkeys

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// Bytes is the length of the key of an account, in bytes.
const Bytes = 32

const (
	// fresh is how long a process caches a key, counted from the moment when it began to read the key. So it soon finds out
	// that an account was erased.
	fresh = time.Second
	// cachedKeys is the number of keys that a process keeps at most.
	cachedKeys = 4096
	// readTime limits the calls of the store that one call of a Ring makes.
	readTime = 10 * time.Second
)

// KeyStore stores keys. It is safe for concurrent use, also by several processes.
type KeyStore interface {
	// Prepare makes the place where keys are stored. Its error says what has to be changed before keys can be stored.
	Prepare(ctx context.Context) error
	// Find returns the key of an account or, when the account was erased, the time of the erasure. Without either, the account
	// has no key yet.
	Find(ctx context.Context, account domain.AccountID) (key []byte, erased time.Time, err error)
	// Add stores the first key of an account. It changes nothing when the account has a key, or was erased.
	Add(ctx context.Context, account domain.AccountID, key []byte) error
	// Erase removes the key of an account and records that the account was erased. From then on Add changes nothing for the
	// account.
	Erase(ctx context.Context, account domain.AccountID, at time.Time) error
	// Erased returns the erased accounts, and whether the store is in use: from the first key or erasure on at the latest.
	Erased(ctx context.Context) (accounts []domain.AccountID, used bool, err error)
	// Walk visits every account that has a key or was erased.
	Walk(ctx context.Context, visit func(account domain.AccountID, key []byte, erased time.Time) error) error
}

// Ring reads the keys of accounts for one process, and caches each for a second. It implements eventstore.Keys, and is safe for
// concurrent use.
type Ring struct {
	store KeyStore
	make  bool // an account without a key gets one when its next event is written
	now   func() time.Time

	mu     sync.Mutex
	keys   map[domain.AccountID]found
	erased map[domain.AccountID]bool // true for accounts that were erased
	used   bool                      // the store is in use
	looked time.Time                 // when the fields erased and used were last read from the store; zero: never
}

// found is the result of reading the key of one account from the store.
type found struct {
	key *eventstore.AccountKey // nil: the field err says why there is no key
	err error
	at  time.Time // when the reading began
}

var _ eventstore.Keys = (*Ring)(nil)

// NewRing returns the keys in a store. With make, an account without a key gets one when its next event is written.
func NewRing(store KeyStore, make bool, now func() time.Time) *Ring {
	return &Ring{store: store, make: make, now: now, keys: map[domain.AccountID]found{}}
}

// Store returns where the keys are stored.
func (r *Ring) Store() KeyStore { return r.store }

// Makes reports whether accounts without a key get one.
func (r *Ring) Makes() bool { return r.make }

// Key implements eventstore.Keys.
func (r *Ring) Key(account domain.AccountID) (*eventstore.AccountKey, error) {
	if known, ok := r.cached(account); ok {
		return known.key, known.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	return r.find(ctx, account)
}

// KeyToSeal implements eventstore.Keys.
func (r *Ring) KeyToSeal(account domain.AccountID) (*eventstore.AccountKey, error) {
	if !r.make {
		if used, err := r.refresh(); err != nil || !used {
			return nil, orNoKey(err)
		}
		return r.Key(account)
	}
	key, err := r.Key(account)
	if err != eventstore.ErrNoKey { //nolint:errorlint // the very error of find
		return key, err
	}
	random := make([]byte, Bytes)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	if err := r.store.Add(ctx, account, random); err != nil {
		return nil, unavailable(err)
	}
	return r.find(ctx, account) // the store may have another process's key, or none because the account was erased
}

// Erased implements eventstore.Keys.
func (r *Ring) Erased(account domain.AccountID) (bool, error) {
	if used, err := r.refresh(); err != nil || !used {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.erased[account], nil
}

// cached returns the result of the last read about an account, if the store was read within the last second.
func (r *Ring) cached(account domain.AccountID) (found, bool) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.keys[account]
	if ok && now.Sub(known.at) >= fresh {
		delete(r.keys, account)
		ok = false
	}
	return known, ok
}

// find reads the key of an account.
func (r *Ring) find(ctx context.Context, account domain.AccountID) (*eventstore.AccountKey, error) {
	at := r.now() // at is the time before the store is read, so that the result is not used for too long
	random, erased, err := r.store.Find(ctx, account)
	if err != nil {
		return nil, unavailable(err)
	}
	is := found{at: at}
	switch {
	case !erased.IsZero():
		is.err = eventstore.ErrErased
	case random == nil:
		is.err = eventstore.ErrNoKey
	default:
		is.key, is.err = eventstore.NewAccountKey(random)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= cachedKeys {
		r.forget(at)
	}
	r.keys[account] = is
	return is.key, is.err
}

// forget removes from the cache all keys that were read a second ago (fresh) or earlier. If the cache is still full, forget
// removes further keys until there is room for one. The caller holds r.mu.
func (r *Ring) forget(now time.Time) {
	for account, known := range r.keys {
		if now.Sub(known.at) >= fresh {
			delete(r.keys, account)
		}
	}
	for account := range r.keys {
		if len(r.keys) < cachedKeys {
			return
		}
		delete(r.keys, account)
	}
}

// refresh reads which accounts were erased, unless it was read within the last second. It returns whether the store is in
// use.
func (r *Ring) refresh() (bool, error) {
	at := r.now()
	r.mu.Lock()
	used, looked := r.used, r.looked
	r.mu.Unlock()
	if !looked.IsZero() && at.Sub(looked) < fresh {
		return used, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	accounts, used, err := r.store.Erased(ctx)
	if err != nil {
		return false, unavailable(err)
	}
	erased := make(map[domain.AccountID]bool, len(accounts))
	for _, account := range accounts {
		erased[account] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.erased, r.used, r.looked = erased, used, at
	return used, nil
}

func orNoKey(err error) error {
	if err != nil {
		return err
	}
	return eventstore.ErrNoKey
}

// unavailable returns the error for keys that cannot be read or written now. The caller may try again later.
func unavailable(err error) error {
	return fmt.Errorf("keys of accounts: %w: %w", eventstore.ErrUnavailable, err)
}

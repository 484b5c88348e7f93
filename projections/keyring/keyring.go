// Package keyring looks up the holder of an API key. It reads a key that is not cached from its stream, in one read. A
// subscription of the log invalidates the cache, which is trusted only while that subscription is known to be live. So
// a revocation takes effect in every process within about a second, even when a subscription hangs, and authentication
// needs no read model. Design §3; decision 49.
package keyring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
)

const (
	// trust is how long the cache is trusted after the subscription was last known to be live.
	trust = time.Second
	// probeInterval is how often the subscription is checked to be live while keys are looked up.
	probeInterval = 250 * time.Millisecond
	// lookupTime is the time limit for reading a key.
	lookupTime = 5 * time.Second
	// maxReads is the maximum of concurrent reads of streams: requests with made-up keys must not overload the event store.
	maxReads = 64
	// defaultKeep is how many keys are cached by default: about 50 MB.
	defaultKeep = 1 << 17
)

// Holder is the account and role that a key belongs to.
type Holder struct {
	Account domain.AccountID
	Role    key.Role
	Legacy  bool // the key is primary or secondary, a kind that will be removed
}

// Config is what a Ring needs. Log is required.
type Config struct {
	Log    *eventstore.Log
	Keep   int                // maximum of cached keys, and of cached accounts. Default: 131,072
	Now    func() time.Time   // default: time.Now
	Logger logrus.FieldLogger // nil: nothing is logged
}

// Ring looks up keys. It is safe for concurrent use.
type Ring struct {
	log      *eventstore.Log
	now      func() time.Time
	logger   logrus.FieldLogger
	keys     *streamCache[*key.Key]
	accounts *streamCache[*tenant]

	reads  atomic.Int64              // number of reads of streams
	asked  atomic.Bool               // a key was looked up since the last probe
	proven atomic.Pointer[time.Time] // every event that was in the log at this time was handled; nil: unknown

	mu      sync.Mutex
	handled eventstore.Position // the subscription has handled every event up to here
}

// New returns a Ring. Until Run is called, it reads every key from the log.
func New(config Config) *Ring {
	r := &Ring{log: config.Log, now: config.Now, logger: config.Logger}
	if config.Keep <= 0 {
		config.Keep = defaultKeep
	}
	if r.now == nil {
		r.now = time.Now
	}
	if r.logger == nil {
		silent := logrus.New()
		silent.SetOutput(io.Discard)
		r.logger = silent
	}
	turns := make(chan struct{}, maxReads)
	r.keys = newStreamCache(config.Keep, turns, r.readKey)
	r.accounts = newStreamCache(config.Keep, turns, r.readAccount)
	return r
}

// Holder returns the account and role of the key whose SHA-256, in hex, is hash. It returns false when there is no such
// key, when it was revoked or has expired, or when its account is closed. A change by this process takes effect when
// Forget or ForgetAccount returns, a change by another process within about a second. An error means that the key cannot
// be looked up now.
func (r *Ring) Holder(ctx context.Context, hash string) (Holder, bool, error) {
	id := key.ID(hash)
	if !key.IsID(id) {
		return Holder{}, false, nil
	}
	now, trusted := r.trust()
	k, err := r.keys.get(ctx, id, trusted)
	if err != nil {
		return Holder{}, false, fmt.Errorf("read a key: %w", err)
	}
	if !k.Opens(hash, now) {
		return Holder{}, false, nil
	}
	return r.holder(ctx, k, trusted)
}

// Session returns the holder of the key with an id, for a console session that began with that key. It returns false when the key
// is no longer valid, or the session was ended. Changes take effect as soon as with Holder.
func (r *Ring) Session(ctx context.Context, id, session string, began time.Time) (Holder, bool, error) {
	if !key.IsID(id) {
		return Holder{}, false, nil
	}
	now, trusted := r.trust()
	k, err := r.keys.get(ctx, id, trusted)
	if err != nil {
		return Holder{}, false, fmt.Errorf("read a key: %w", err)
	}
	if !k.Valid(now) || k.Ended(session, began) {
		return Holder{}, false, nil
	}
	return r.holder(ctx, k, trusted)
}

// trust begins a query for a key: it returns the current time, and whether the cache is trusted.
func (r *Ring) trust() (now time.Time, trusted bool) {
	if !r.asked.Load() {
		r.asked.Store(true)
	}
	now = r.now()
	return now, r.live(now)
}

// holder returns the account and role that the valid key k gives access to. It returns false when the account is
// closed. trusted says that the cache is up to date: then holder may take the account from the cache.
func (r *Ring) holder(ctx context.Context, k *key.Key, trusted bool) (Holder, bool, error) {
	issued := k.Issued()
	a, err := r.accounts.get(ctx, string(issued.Account), trusted)
	if err != nil {
		return Holder{}, false, fmt.Errorf("read account %s: %w", issued.Account, err)
	}
	if !a.opened {
		// The account of an existing key exists, so the read that did not find it is outdated. The next request reads
		// the account again. Decision 60.
		r.accounts.forget(string(issued.Account))
		return Holder{}, false, fmt.Errorf("read account %s: %w: it is not there yet", issued.Account, eventstore.ErrUnavailable)
	}
	if a.closed {
		return Holder{}, false, nil
	}
	return Holder{Account: issued.Account, Role: issued.Role, Legacy: issued.Legacy != ""}, true, nil
}

// Forget removes a key from the cache. Whoever has changed a key calls it before answering the client.
func (r *Ring) Forget(id string) { r.keys.forget(id) }

// ForgetAccount removes an account from the cache.
func (r *Ring) ForgetAccount(id domain.AccountID) { r.accounts.forget(string(id)) }

// Status is the state of a Ring.
type Status struct {
	Live  bool  // the cache is trusted; false also when no key was looked up lately
	Reads int64 // streams read since the start
}

// Status returns the state of the Ring.
func (r *Ring) Status() Status { return Status{Live: r.live(r.now()), Reads: r.reads.Load()} }

// live reports whether the cache can be trusted: at a time less than `trust` (one second) ago, the subscription had
// handled every event of the log.
func (r *Ring) live(now time.Time) bool {
	proven := r.proven.Load()
	return proven != nil && now.Sub(*proven) < trust
}

// readKey folds the stream of a key.
func (r *Ring) readKey(ctx context.Context, id string) (*key.Key, bool, error) {
	k := key.New()
	exists, err := r.fold(ctx, key.Stream(id), k.Apply)
	return k, exists, err
}

func (r *Ring) readAccount(ctx context.Context, id string) (*tenant, bool, error) {
	t := &tenant{}
	exists, err := r.fold(ctx, account.Stream(domain.AccountID(id)), t.apply)
	return t, exists, err
}

// tenant is the part of an account's state on which the validity of its keys depends.
type tenant struct{ opened, closed bool }

func (t *tenant) apply(event domain.Event) {
	switch event.(type) {
	case account.Opened:
		t.opened = true
	case account.Closed:
		t.closed = true
	}
}

func (r *Ring) fold(ctx context.Context, stream string, apply func(domain.Event)) (exists bool, err error) {
	r.reads.Add(1)
	at, err := r.log.CatchUp(ctx, stream, eventstore.Appended{Revision: eventstore.NoStream}, apply)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the event store did not answer in time: %w", err)
	}
	return at.Revision != eventstore.NoStream, err
}

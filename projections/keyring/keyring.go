// Package keyring finds out who holds an API key. A key that this process has not seen is read from its stream, in one read; what
// was read is kept and followed by a subscription of the log, and is trusted only while that subscription is known to be live. So a
// revocation counts in every process within a second, whatever happens to subscriptions meanwhile, and no read model is needed to
// let anybody in. Design §3; decision 49.
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
	// trust is how long what is kept counts after the subscription was last known to be live.
	trust = time.Second
	// probeInterval is how often that is looked into, while keys are asked for.
	probeInterval = 250 * time.Millisecond
	// lookupTime bounds the reading of a key.
	lookupTime = 5 * time.Second
	// maxReads is how many streams are read at the same time: keys that were made up must not keep the event store busy.
	maxReads = 64
	// defaultKeep is how many keys are kept unless the configuration says otherwise: some 50 MB.
	defaultKeep = 1 << 17
)

// Holder is whom a key lets in.
type Holder struct {
	Account domain.AccountID
	Role    key.Role
	Legacy  bool // the key is of a kind that will go
}

// Config is what a Ring needs. Log is required.
type Config struct {
	Log    *eventstore.Log
	Keep   int                // how many keys and how many accounts are kept at most. Default: 131,072
	Now    func() time.Time   // default: time.Now
	Logger logrus.FieldLogger // default: nothing is logged
}

// Ring knows keys. It is safe for concurrent use.
type Ring struct {
	log      *eventstore.Log
	now      func() time.Time
	logger   logrus.FieldLogger
	keys     *shelf[*key.Key]
	accounts *shelf[*tenant]

	reads  atomic.Int64              // of streams
	asked  atomic.Bool               // since the last probe
	proven atomic.Pointer[time.Time] // everything that was in the log then has been handled; nil: nothing is known

	mu      sync.Mutex
	handled eventstore.Position // by the subscription
}

// New returns a Ring that reads every key anew until Run is called.
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
	r.keys = newShelf(config.Keep, turns, r.readKey)
	r.accounts = newShelf(config.Keep, turns, r.readAccount)
	return r
}

// Holder returns who holds the key with a SHA-256, in hex. False: there is no such key, it was revoked, it has expired, or its
// account is closed. A key that was issued or revoked by this process counts at once after Forget, one of another process at the
// latest a second later. An error means that it cannot be told now.
func (r *Ring) Holder(ctx context.Context, hash string) (Holder, bool, error) {
	id := key.ID(hash)
	if !key.IsID(id) {
		return Holder{}, false, nil
	}
	if !r.asked.Load() {
		r.asked.Store(true)
	}
	now := r.now()
	trusted := r.live(now)
	k, err := r.keys.get(ctx, id, trusted)
	if err != nil {
		return Holder{}, false, fmt.Errorf("read a key: %w", err)
	}
	if !k.Opens(hash, now) {
		return Holder{}, false, nil
	}
	issued := k.Issued()
	a, err := r.accounts.get(ctx, string(issued.Account), trusted)
	if err != nil {
		return Holder{}, false, fmt.Errorf("read account %s: %w", issued.Account, err)
	}
	if !a.opened { // the log has a key of it: what was read is too old to tell anything. Decision 60.
		r.accounts.forget(string(issued.Account))
		return Holder{}, false, fmt.Errorf("read account %s: %w: it is not there yet", issued.Account, eventstore.ErrUnavailable)
	}
	if a.closed {
		return Holder{}, false, nil
	}
	return Holder{Account: issued.Account, Role: issued.Role, Legacy: issued.Legacy != ""}, true, nil
}

// Forget makes the next look at a key read it anew. Whoever has changed a key calls it before saying so.
func (r *Ring) Forget(id string) { r.keys.forget(id) }

// ForgetAccount makes the next look at a key of an account read the account anew.
func (r *Ring) ForgetAccount(id domain.AccountID) { r.accounts.forget(string(id)) }

// Status says how a Ring is doing.
type Status struct {
	Live  bool  // what is kept counts; false also when no key has been asked for lately
	Reads int64 // of streams, ever
}

// Status returns how the Ring is doing.
func (r *Ring) Status() Status { return Status{Live: r.live(r.now()), Reads: r.reads.Load()} }

// live says whether the subscription was live a moment ago.
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

// tenant is what counts of an account here.
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

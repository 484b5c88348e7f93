package ledgers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

const (
	// ledgerQueue is the maximum number of requests that wait for the ledger of one account.
	ledgerQueue = 256
	// ledgerGroup is the maximum number of requests that are decided as a group: their events are appended together.
	ledgerGroup = 64
	// ledgerEvents limits the events of a group, because a store limits the bytes of an append: a group with so many
	// events takes no more requests.
	ledgerEvents = 1000
	// ledgerIdle is the time after which a ledgerOwner (the goroutine for one account's ledger) ends, if it gets no
	// request.
	ledgerIdle = 5 * time.Minute
	// ledgerDeadline limits the time in which the requests of a group are decided and their events appended. It also
	// holds for requests with later deadlines.
	ledgerDeadline = 60 * time.Second
)

// decideFunc returns the events that a request appends to a ledger, or a refusal. It does not change the ledger, and may be
// called more than once.
type decideFunc func(l *ledger.Ledger, at time.Time) ([]domain.Event, error)

type ledgerRequest struct {
	ctx    context.Context
	decide decideFunc
	state  bool              // the answer includes the ledger's state
	events int               // estimated number of events of this request; 0: not more than a few
	answer chan ledgerAnswer // has room for one answer, so that the owner does not wait until it is read
}

type ledgerAnswer struct {
	appended eventstore.Appended
	state    ledger.State // the ledger's state after the append, which includes the events of other requests of the group
	err      error
}

// ledgerOwner is the one goroutine of this process that appends to the ledger of an account. It takes the requests that wait as a
// group and appends the events of all of them at once:
//
//	queue ──► takeGroup ──► decide    each member on draft: what the log says and what the members before it have decided
//	              ▲     ──► commit    append at the exact revision
//	              │              ├─ appended            stored := stored + events      ──► answer every member
//	              │              ├─ another process     catchUp, draft := stored       ──► decide again
//	              │              │  has appended
//	              │              └─ store fails         draft := stored; unknown whether the events are stored
//	              └──────────────────────────────────────────────────────────────────────── answer every member with the error
//
// After a failed append the next group finds out what is stored, because it appends at the exact revision. A group that appends
// nothing, for example because all its members were refused or ask only, reads the log instead: a refusal is never based on an
// old state.
//
// The owner's goroutine owns the fields that change, with three exceptions. The lock of Ledgers guards users. mu guards stored
// and loaded, which passesCached reads from other goroutines. end and snapshot are atomic, because other goroutines use them.
type ledgerOwner struct {
	log     *eventstore.Log
	now     eventstore.Clock
	opening func(context.Context, domain.AccountID) (*ledger.Ledger, eventstore.Appended, error)
	account domain.AccountID
	stream  string
	queue   chan *ledgerRequest
	users   int

	at    eventstore.Appended // position of the last event that is folded into the field stored
	draft *ledger.Ledger      // copy of the field stored, plus the events that are decided but not appended yet

	mu     sync.RWMutex   // guards stored and loaded
	stored *ledger.Ledger // the ledger, folded from the events of the log up to the position in the field `at`
	loaded bool           // the log was read to its end, or appended to, at least once

	restored bool         // the owner has looked for a snapshot
	end      atomic.Int64 // copy of the revision in the field `at`, for other goroutines to read
	snapshot atomic.Int64 // revision of the newest snapshot that is known
}

func newLedgerOwner(l *Ledgers, account domain.AccountID) *ledgerOwner {
	o := &ledgerOwner{
		log:     l.log,
		now:     l.now,
		opening: l.opening,
		account: account,
		stream:  ledger.Stream(account),
		queue:   make(chan *ledgerRequest, ledgerQueue),
		at:      eventstore.Appended{Revision: eventstore.NoStream},
		stored:  ledger.New(),
		draft:   ledger.New(),
	}
	o.snapshot.Store(int64(eventstore.NoStream))
	return o
}

// run serves the queue until the context ends, or until no request has come for ledgerIdle and retire returns true.
func (o *ledgerOwner) run(ctx context.Context, retire func(*ledgerOwner) bool) {
	idle := time.NewTimer(ledgerIdle)
	defer idle.Stop()
	for {
		select {
		case first := <-o.queue:
			o.serve(ctx, o.takeGroup(first))
		case <-idle.C:
			if retire(o) {
				return
			}
		case <-ctx.Done():
			return
		}
		idle.Reset(ledgerIdle)
	}
}

// takeGroup returns the first request and those that wait behind it. It does not wait for more.
func (o *ledgerOwner) takeGroup(first *ledgerRequest) []*ledgerRequest {
	group, events := []*ledgerRequest{first}, first.events
	for len(group) < ledgerGroup && events < ledgerEvents {
		select {
		case r := <-o.queue:
			group, events = append(group, r), events+r.events
		default:
			return group
		}
	}
	return group
}

// serve decides a group and answers its members, after the log has confirmed the state that they were decided on.
func (o *ledgerOwner) serve(ctx context.Context, group []*ledgerRequest) {
	ctx, cancel := groupDeadline(ctx, group)
	defer cancel()
	o.restore(ctx)
	for {
		round := o.decide(group)
		settled, err := o.commit(ctx, round)
		if err == nil && !settled {
			err = ctx.Err()
		}
		if err != nil {
			// It is unknown whether the events are stored. The next group finds out, because it appends at the exact revision.
			o.draft = o.stored.Clone()
		}
		if settled || err != nil {
			o.answer(group, round, err)
			return
		}
	}
}

// ledgerRound is what a group of requests has decided on one state of the ledger. When another process appends events
// before the group does, the group is decided again, which makes another ledgerRound.
type ledgerRound struct {
	refusals []error        // refusal of each request of the group; nil: accepted
	events   []domain.Event // events of all accepted requests, in the order in which they are appended
	proposed []eventstore.Proposed
}

// decide calls the decide function of each request of the group, one after the other, with the draft: the ledger's state
// after the requests before it. The events of a request are applied to the draft before the next request decides. A request
// whose context has ended is not decided.
func (o *ledgerOwner) decide(group []*ledgerRequest) ledgerRound {
	round := ledgerRound{refusals: make([]error, len(group))}
	at := o.now.Stamp()
	for i, r := range group {
		if round.refusals[i] = r.ctx.Err(); round.refusals[i] != nil {
			continue
		}
		events, err := r.decide(o.draft, at)
		if err == nil {
			var proposed []eventstore.Proposed
			proposed, err = o.log.Propose(o.stream, eventstore.MetaOf(r.ctx, o.account, at), events...)
			round.proposed = append(round.proposed, proposed...)
		}
		if round.refusals[i] = err; err != nil {
			continue
		}
		for _, event := range events {
			o.draft.Apply(event)
		}
		round.events = append(round.events, events...)
	}
	return round
}

// commit appends the events that a group of requests has decided (round) to the ledger's stream, directly after the last
// event that the decision was based on. When the group has decided no events, commit reads the stream instead. commit
// returns false when the stream has events on which the decision was not based: then the group must be decided again.
func (o *ledgerOwner) commit(ctx context.Context, round ledgerRound) (bool, error) {
	if len(round.events) == 0 {
		before := o.at.Revision
		err := o.catchUp(ctx, false)
		return err == nil && o.at.Revision == before, err
	}
	appended, err := o.log.AppendProposed(ctx, o.stream, o.at.Revision, round.proposed...)
	if errors.Is(err, eventstore.ErrConflict) {
		return false, o.catchUp(ctx, true)
	}
	if err != nil {
		return false, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, event := range round.events {
		o.stored.Apply(event)
	}
	o.at, o.loaded = appended, true
	return true, nil
}

// catchUp reads the events that the log has after o.at, and applies them to o.stored. If discard is false, it applies
// them to o.draft as well. discard is true when o.draft contains decided events that were not appended: then catchUp
// replaces o.draft by a copy of o.stored.
func (o *ledgerOwner) catchUp(ctx context.Context, discard bool) error {
	var err error
	o.at, err = o.log.CatchUp(ctx, o.stream, o.at, func(event domain.Event) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stored.Apply(event)
		if !discard {
			o.draft.Apply(event)
		}
	})
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.loaded = true
	}
	if discard {
		o.draft = o.stored.Clone()
	}
	return err
}

// passesCached reports whether question returns nil for the ledger in memory, o.stored. That ledger may lack events of
// other processes. When passesCached returns true, the caller need not ask again: the submission that follows is decided
// on the log. When it returns false, the caller has to call question with the ledger at the end of the log. passesCached
// does not wait for an append that is under way.
func (o *ledgerOwner) passesCached(question func(*ledger.Ledger) error) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.loaded && question(o.stored) == nil
}

func (o *ledgerOwner) answer(group []*ledgerRequest, round ledgerRound, err error) {
	o.end.Store(int64(o.at.Revision))
	for i, r := range group {
		a := ledgerAnswer{appended: o.at, err: round.refusals[i]}
		if err != nil {
			a = ledgerAnswer{err: err}
		}
		if r.state && a.err == nil {
			a.state = o.stored.State()
		}
		r.answer <- a
	}
}

// groupDeadline sets the deadline of a group at the store: the latest deadline of its members, but
// at most ledgerDeadline from now.
func groupDeadline(ctx context.Context, group []*ledgerRequest) (context.Context, context.CancelFunc) {
	var latest time.Time
	for _, r := range group {
		deadline, ok := r.ctx.Deadline()
		if !ok {
			return context.WithTimeout(ctx, ledgerDeadline)
		}
		if deadline.After(latest) {
			latest = deadline
		}
	}
	return context.WithTimeout(ctx, min(ledgerDeadline, time.Until(latest)))
}

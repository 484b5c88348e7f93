package commands

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
	ledgerQueue    = 256              // commands that may wait for one account
	ledgerGroup    = 64               // commands decided in one append
	ledgerIdle     = 5 * time.Minute  // after which an unused owner goes
	ledgerPatience = 60 * time.Second // of one group with the store, whatever its members' deadlines are
)

// decideFunc decides on a ledger at a time. It changes nothing and may be called more than once.
type decideFunc func(l *ledger.Ledger, at time.Time) ([]domain.Event, error)

type ledgerRequest struct {
	ctx    context.Context
	decide decideFunc
	state  bool              // answer with the ledger's state too
	answer chan ledgerAnswer // has room for the one answer
}

type ledgerAnswer struct {
	appended eventstore.Appended
	state    ledger.State // at appended, which may be after what the request decided
	err      error
}

// ledgerOwner decides for one account. Its fields but users, which belongs to Ledgers, are its own goroutine's.
type ledgerOwner struct {
	log     *eventstore.Log
	now     clock
	account domain.AccountID
	stream  string
	queue   chan *ledgerRequest
	users   int

	at    eventstore.Appended // where stored ends
	draft *ledger.Ledger      // stored, and what has been decided but not appended yet

	mu     sync.RWMutex   // of the two below, for those who read them beside the owner's goroutine
	stored *ledger.Ledger // what the log says
	loaded bool           // the log has been read

	restored bool         // a snapshot has been looked for
	end      atomic.Int64 // revision of at, for others
	snapshot atomic.Int64 // revision of the newest snapshot known
}

func newLedgerOwner(log *eventstore.Log, now clock, account domain.AccountID) *ledgerOwner {
	o := &ledgerOwner{
		log:     log,
		now:     now,
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

// run serves the queue until the context ends, or until nothing has come for a while and retire agrees.
func (o *ledgerOwner) run(ctx context.Context, retire func(*ledgerOwner) bool) {
	idle := time.NewTimer(ledgerIdle)
	defer idle.Stop()
	for {
		select {
		case first := <-o.queue:
			o.serve(ctx, o.gather(first))
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

// gather takes the requests that wait behind the first, without waiting for more.
func (o *ledgerOwner) gather(first *ledgerRequest) []*ledgerRequest {
	group := []*ledgerRequest{first}
	for len(group) < ledgerGroup {
		select {
		case r := <-o.queue:
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// serve decides a group and answers each member once what it was decided on is known to be what the log says.
func (o *ledgerOwner) serve(ctx context.Context, group []*ledgerRequest) {
	ctx, cancel := patience(ctx, group)
	defer cancel()
	o.restore(ctx)
	for {
		round := o.decide(group)
		settled, err := o.commit(ctx, round)
		if err == nil && !settled {
			err = ctx.Err()
		}
		if err != nil {
			// What the round decided may or may not be stored. The next group finds out: its append meets the exact revision.
			o.draft = o.stored.Clone()
		}
		if settled || err != nil {
			o.answer(group, round, err)
			return
		}
	}
}

// ledgerRound is what a group comes to on one state of the ledger.
type ledgerRound struct {
	refusals []error // by member, nil: accepted
	events   []domain.Event
	proposed []eventstore.Proposed
}

// decide lets each member decide on the draft, which carries what those before it have decided.
func (o *ledgerOwner) decide(group []*ledgerRequest) ledgerRound {
	round := ledgerRound{refusals: make([]error, len(group))}
	at := o.now.stamp()
	for i, r := range group {
		if round.refusals[i] = r.ctx.Err(); round.refusals[i] != nil {
			continue
		}
		events, err := r.decide(o.draft, at)
		if err == nil {
			var proposed []eventstore.Proposed
			proposed, err = o.log.Propose(o.stream, meta(r.ctx, o.account, at), events...)
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

// commit makes a round true: by an append at the exact revision, or, when it decided nothing new, by a look at the log. It returns false when
// the log has moved, so that the round must be decided again.
func (o *ledgerOwner) commit(ctx context.Context, round ledgerRound) (bool, error) {
	if len(round.events) == 0 {
		before := o.at.Revision
		err := o.look(ctx, false)
		return err == nil && o.at.Revision == before, err
	}
	appended, err := o.log.AppendProposed(ctx, o.stream, o.at.Revision, round.proposed...)
	if errors.Is(err, eventstore.ErrConflict) {
		return false, o.look(ctx, true)
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

// look folds what has come to the log. A spoilt draft, which carries decisions that were not stored, is replaced.
func (o *ledgerOwner) look(ctx context.Context, spoilt bool) error {
	var err error
	o.at, err = o.log.CatchUp(ctx, o.stream, o.at, func(event domain.Event) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stored.Apply(event)
		if !spoilt {
			o.draft.Apply(event)
		}
	})
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.loaded = true
	}
	if spoilt {
		o.draft = o.stored.Clone()
	}
	return err
}

// agrees answers a question from what is known here, which other processes may have gone beyond. It waits for no append.
func (o *ledgerOwner) agrees(question func(*ledger.Ledger) error) bool {
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

// patience is the time that a group has with the store: as long as its most patient member.
func patience(ctx context.Context, group []*ledgerRequest) (context.Context, context.CancelFunc) {
	var latest time.Time
	for _, r := range group {
		deadline, ok := r.ctx.Deadline()
		if !ok {
			return context.WithTimeout(ctx, ledgerPatience)
		}
		if deadline.After(latest) {
			latest = deadline
		}
	}
	return context.WithTimeout(ctx, min(ledgerPatience, time.Until(latest)))
}

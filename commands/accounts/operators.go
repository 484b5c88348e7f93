package accounts

import (
	"context"
	"fmt"
	"io"
	"time"

	"moviola/domain"
	"moviola/domain/operator"
	"moviola/eventstore"
)

// lookTime is the time limit for reading the list of operators from the log.
const lookTime = 5 * time.Second

// Operators knows the operators that have tokens of their own. A query reads the new events of their stream first, so that
// a revoked token is refused at once, in every process. It is safe for concurrent use.
type Operators struct {
	log    *eventstore.Log
	random io.Reader
	now    eventstore.Clock

	turn   chan struct{} // lock of the other fields: the goroutine that has put the one element into the channel holds it
	roster *operator.Roster
	read   eventstore.Appended // the last event of the operators' stream that is folded into roster
}

// NewOperators returns Operators. random is the source of random bytes for tokens: crypto/rand.Reader, except in tests.
func NewOperators(log *eventstore.Log, random io.Reader, now func() time.Time) *Operators {
	return &Operators{
		log: log, random: random, now: now, turn: make(chan struct{}, 1),
		roster: &operator.Roster{}, read: eventstore.Appended{Revision: eventstore.NoStream},
	}
}

// Holder returns the operator who has a token, and false when nobody has it.
func (o *Operators) Holder(ctx context.Context, token string) (operator.Added, bool, error) {
	if !operator.IsToken(token) {
		return operator.Added{}, false, nil
	}
	var found operator.Added
	var ok bool
	err := o.catchUp(ctx, func(roster *operator.Roster) { found, ok = roster.Holder(operator.Hash(token)) })
	return found, ok, err
}

// Standing is the state of a session of the operators' console.
type Standing struct {
	operator.Added
	Known bool // false: no operator has the token that the session began with
	Ended bool // the session was ended before it expired
}

// Session returns the operator whose token has the given id, and whether a session that began with this token has ended.
func (o *Operators) Session(ctx context.Context, id, session string, began time.Time) (Standing, error) {
	var found Standing
	err := o.catchUp(ctx, func(roster *operator.Roster) {
		found.Added, found.Known = roster.WithID(id)
		found.Ended = roster.Ended(session, began)
	})
	return found, err
}

// List returns the operators, sorted by name.
func (o *Operators) List(ctx context.Context) ([]operator.Added, error) {
	var all []operator.Added
	err := o.catchUp(ctx, func(roster *operator.Roster) { all = roster.All() })
	return all, err
}

// catchUp reads the new events of the operators' stream, and calls the function use with the current list of operators. The time
// limit, lookTime, includes the wait for concurrent calls.
func (o *Operators) catchUp(ctx context.Context, use func(*operator.Roster)) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait to read who the operators are: %w", ctx.Err())
	}
	read, err := o.log.CatchUp(ctx, operator.RosterStream, o.read, o.roster.Apply)
	if err != nil {
		// The list of operators may be half updated after an error, so the next call folds it from the beginning.
		o.roster, o.read = &operator.Roster{}, eventstore.Appended{Revision: eventstore.NoStream}
		return fmt.Errorf("read who the operators are: %w", err)
	}
	o.read = read
	use(o.roster)
	return nil
}

// AddOperator adds an operator, and gives that person a token.
type AddOperator struct {
	Name string
	Role operator.Role
}

// AddedOperator is a new operator. Token is shown once and stored as a hash.
type AddedOperator struct {
	operator.Added
	Token string
}

// Add handles AddOperator.
func (o *Operators) Add(ctx context.Context, cmd AddOperator) (AddedOperator, error) {
	token, err := operator.GenerateToken(o.random)
	if err != nil {
		return AddedOperator{}, err
	}
	added := AddedOperator{Token: token}
	err = o.decide(ctx, func(roster *operator.Roster, at time.Time) ([]domain.Event, error) {
		added.Added = operator.Added{Name: cmd.Name, Role: cmd.Role, Hash: operator.Hash(token), At: at}
		return roster.Add(cmd.Name, cmd.Role, added.Hash, at)
	})
	return added, err
}

// Renew replaces the token of the operator with the given name. The old token is refused from then
// on.
func (o *Operators) Renew(ctx context.Context, name string) (AddedOperator, error) {
	token, err := operator.GenerateToken(o.random)
	if err != nil {
		return AddedOperator{}, err
	}
	renewed := AddedOperator{Token: token}
	err = o.decide(ctx, func(roster *operator.Roster, at time.Time) ([]domain.Event, error) {
		events, err := roster.Renew(name, operator.Hash(token), at)
		if err == nil {
			renewed.Added, _ = events[len(events)-1].(operator.Added)
		}
		return events, err
	})
	return renewed, err
}

// SignIn records that a session of the operators' console has begun. Before names the session that the same browser had until
// now: that session ends.
type SignIn struct {
	operator.SignedIn
	Before *SignOut // nil: the browser had no session
}

// SignIn records a sign-in.
func (o *Operators) SignIn(ctx context.Context, cmd SignIn) error {
	return o.decide(ctx, func(roster *operator.Roster, at time.Time) ([]domain.Event, error) {
		if cmd.Before == nil {
			return roster.SignIn(cmd.SignedIn, nil), nil
		}
		before := cmd.Before.event(at)
		return roster.SignIn(cmd.SignedIn, &before), nil
	})
}

// Sessions returns the open sessions of the operators' console, the newest first.
func (o *Operators) Sessions(ctx context.Context) ([]operator.SignedIn, error) {
	var all []operator.SignedIn
	err := o.catchUp(ctx, func(roster *operator.Roster) { all = roster.Sessions(o.now()) })
	return all, err
}

// EndSession ends an open session of the operators' console in every process, whoever the operator is.
func (o *Operators) EndSession(ctx context.Context, id string) error {
	return o.decide(ctx, func(roster *operator.Roster, at time.Time) ([]domain.Event, error) { return roster.EndSession(id, at) })
}

// SignOut ends a session of the operators' console before it expires.
type SignOut struct {
	Session      string
	Began, Until time.Time
}

func (s SignOut) event(at time.Time) operator.SignedOut {
	return operator.SignedOut{Session: s.Session, Began: s.Began, Until: s.Until, At: at}
}

// SignOut ends a session in every process.
func (o *Operators) SignOut(ctx context.Context, cmd SignOut) error {
	return o.decide(ctx, func(roster *operator.Roster, at time.Time) ([]domain.Event, error) {
		return roster.SignOut(cmd.event(at)), nil
	})
}

// Revoke makes the token of the operator with the given name invalid.
func (o *Operators) Revoke(ctx context.Context, name string) error {
	return o.decide(ctx, func(roster *operator.Roster, at time.Time) ([]domain.Event, error) { return roster.Revoke(name, at) })
}

func (o *Operators) decide(ctx context.Context, decide func(*operator.Roster, time.Time) ([]domain.Event, error)) error {
	roster := &operator.Roster{}
	_, err := o.log.Decide(ctx, operator.RosterStream, roster, func() (eventstore.Decision, error) {
		at := o.now.Stamp()
		events, err := decide(roster, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, "", at), Events: events}, err
	})
	return err
}

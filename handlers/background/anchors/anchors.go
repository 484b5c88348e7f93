// Package anchors makes anchors of the ledgers on a schedule, and sends them to the places that the operator names. An
// anchor is a signed list of the length and digest of each ledger. When several processes run this package, usually only
// one of them makes each anchor.
package anchors

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/anchor"
	"moviola/eventstore"
	"moviola/projections/audit"
)

// These constants set how long Run waits between two calls of Round. Before the first call it waits one second (shortest).
// After a call with an error it waits one minute (again). After any other call it waits until the next anchor is due, but
// at least shortest and at most longest.
const (
	longest  = 10 * time.Minute
	shortest = time.Second
	again    = time.Minute
)

// sendTime is the time limit for sending an anchor to one place.
const sendTime = 10 * time.Minute

// Place is where anchors are kept. It is safe for concurrent use.
type Place interface {
	Kind() string  // kind of the place: folder, s3, webhook or mail
	Label() string // text that distinguishes the place from other places, and contains no secret
	// Put stores an anchor at the place. Errors contain no secret. A place that takes only the anchor ignores the list of digests.
	Put(ctx context.Context, sheet audit.Sheet) error
}

// Config is what New needs. Every field is required.
type Config struct {
	Log    *eventstore.Log
	Key    ed25519.PrivateKey
	Places []Place
	Every  time.Duration // time from one anchor to the next at each of Places
	Worker string        // name of this process in the schedule; another start of the process has another name
	Now    func() time.Time
	Sent   func(kind string, err error) // called with the result of a try at a place; nil: the anchor was sent
	Logger logrus.FieldLogger
}

// Anchors takes anchors on a schedule.
type Anchors struct {
	cfg     Config
	overdue atomic.Int64
}

// New returns the schedule, without starting it.
func New(cfg Config) *Anchors { return &Anchors{cfg: cfg} }

// Overdue returns the number of places that have got no anchor within the last two intervals. The number is that of the last
// round.
func (a *Anchors) Overdue() int64 { return a.overdue.Load() }

// Run takes anchors until ctx ends, and then returns nil.
func (a *Anchors) Run(ctx context.Context) error {
	wait := shortest
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		next, err := a.Round(ctx)
		wait = min(max(next.Sub(a.cfg.Now()), shortest), longest)
		if err != nil && ctx.Err() == nil {
			wait = again
			a.cfg.Logger.WithError(err).Warn("anchor of the ledgers not taken, or not sent to every place of --anchor-to; trying again")
		}
	}
}

// Round takes an anchor for the places whose next anchor is due, and sends it to them. It returns when the next anchor is due.
func (a *Anchors) Round(ctx context.Context) (next time.Time, err error) {
	var schedule anchor.Schedule
	var due []string
	_, err = a.cfg.Log.Decide(ctx, anchor.Stream, &schedule, func() (eventstore.Decision, error) {
		now := a.cfg.Now().UTC().Truncate(time.Millisecond)
		var events []domain.Event
		due, events = schedule.Begin(a.cfg.Worker, a.labels(), a.cfg.Every, now)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, "", now), Events: events}, nil
	})
	if err != nil {
		return next, fmt.Errorf("find out which anchors are due: %w", err)
	}
	if len(due) > 0 {
		err = a.send(ctx, &schedule, due)
	}
	a.countOverdue(&schedule)
	for _, place := range a.labels() {
		if at := schedule.Next(place, a.cfg.Every); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next, err
}

func (a *Anchors) labels() []string {
	var labels []string
	for _, place := range a.cfg.Places {
		labels = append(labels, place.Label())
	}
	return labels
}

// countOverdue counts the places whose anchors are overdue.
func (a *Anchors) countOverdue(schedule *anchor.Schedule) {
	overdue := int64(0)
	for _, place := range a.labels() {
		if a.cfg.Now().Sub(schedule.LastSent(place)) > 2*a.cfg.Every {
			overdue++
		}
	}
	a.overdue.Store(overdue)
}

// send takes an anchor, sends it to the places that are due, and records the result for each place.
func (a *Anchors) send(ctx context.Context, schedule *anchor.Schedule, due []string) error {
	sheet, err := audit.Make(ctx, a.cfg.Log.Store(), a.cfg.Key, a.cfg.Now())
	var problems []error
	for _, place := range a.cfg.Places {
		if !slices.Contains(due, place.Label()) {
			continue
		}
		failed := err
		if failed == nil {
			failed = put(ctx, place, sheet)
		}
		// The result is not recorded: when this anchor counts as given up later, a process makes another anchor.
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.cfg.Sent(place.Kind(), failed)
		problems = append(problems, a.record(ctx, schedule, place, sheet, failed), failed)
	}
	return errors.Join(problems...)
}

func put(ctx context.Context, place Place, sheet audit.Sheet) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if err := place.Put(ctx, sheet); err != nil {
		return fmt.Errorf("%s: %w", place.Label(), err)
	}
	return nil
}

// record appends the result of a try to send an anchor to a place.
func (a *Anchors) record(ctx context.Context, schedule *anchor.Schedule, place Place, sheet audit.Sheet, failed error) error {
	now := a.cfg.Now().UTC().Truncate(time.Millisecond)
	var event domain.Event = anchor.Sent{Place: place.Label(), Name: sheet.Name, Digest: sheet.Digest, Ledgers: sheet.Ledgers,
		Events: sheet.Events, At: sheet.TakenAt}
	if failed != nil {
		event = anchor.NotSent{Place: place.Label(), Reason: failed.Error(), At: now}
	} else {
		a.cfg.Logger.WithFields(logrus.Fields{"place": place.Label(), "name": sheet.Name, "ledgers": sheet.Ledgers,
			"events": sheet.Events}).Info("anchor of the ledgers sent")
	}
	*schedule = anchor.Schedule{}
	_, err := a.cfg.Log.Decide(ctx, anchor.Stream, schedule, func() (eventstore.Decision, error) {
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, "", now), Events: []domain.Event{event}}, nil
	})
	return err
}

// Package chores does periodic work that no event triggers, about once a day. Most chores remove stored files that no
// event names, and old working files. Others, for example, archive or discard old events.
//
// A chore may run at any time, in several processes at once, and be interrupted: what it removes is not needed any more,
// or can be made again. Work that is due for movies is on the work list, not here.
package chores

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sirupsen/logrus"
)

// Chore is one periodic task.
type Chore struct {
	Name string
	Do   func(ctx context.Context, now time.Time) error
	Soon bool // the chore also runs at the start of the process
}

// Config is what New needs.
type Config struct {
	Chores []Chore
	// First is the time from the start of a process to its first round; Every is the time from one round to the next, shortened
	// at random by up to a tenth, so that processes that start together drift apart. Defaults: 10 minutes, 24 hours.
	First, Every time.Duration
	Now          func() time.Time   // the clock; default: time.Now
	Logger       logrus.FieldLogger // logger of the chores; required
}

// Chores are the chores of one process.
type Chores struct{ config Config }

// New returns the chores of a process, without starting them.
func New(config Config) (*Chores, error) {
	if config.Logger == nil {
		return nil, errors.New("chores: no logger")
	}
	if config.First <= 0 {
		config.First = 10 * time.Minute
	}
	if config.Every <= 0 {
		config.Every = 24 * time.Hour
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Chores{config: config}, nil
}

// Run runs the chores in rounds, until ctx ends, and then returns nil. A chore that fails is retried in the next round.
func (c *Chores) Run(ctx context.Context) error {
	for _, chore := range c.config.Chores {
		if !chore.Soon {
			continue
		}
		if err := chore.Do(ctx, c.config.Now()); err != nil && ctx.Err() == nil {
			c.config.Logger.WithError(err).Warnf("%s: chore failed; it runs again at its next time", chore.Name)
		}
	}
	wait := c.config.First
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		if err := c.Round(ctx); err != nil && ctx.Err() == nil {
			c.config.Logger.WithError(err).Warn("chore failed; it runs again at its next time")
		}
		wait = c.config.Every - rand.N(c.config.Every/10+1)
	}
}

// Round runs every chore once, and returns the errors of the chores that failed.
func (c *Chores) Round(ctx context.Context) error {
	var problems []error
	for _, chore := range c.config.Chores {
		if err := chore.Do(ctx, c.config.Now()); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", chore.Name, err))
		}
	}
	return errors.Join(problems...)
}

// Tidy makes a chore of a function that removes the files that are older than an age.
func Tidy(name string, age time.Duration, tidy func(ctx context.Context, before time.Time) error) Chore {
	return Chore{Name: name, Do: func(ctx context.Context, now time.Time) error { return tidy(ctx, now.Add(-age)) }}
}

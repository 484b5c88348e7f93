// Package chores does what no event asks for: about once a day it removes stored files that nothing names, and working files
// that have grown old.
//
// A chore may be done at any time, by several processes at once, and be cut off: it only removes what nobody will come back
// to. What is left to do for movies themselves is on the work list, not here.
package chores

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sirupsen/logrus"
)

// Chore is one thing to be tidied up.
type Chore struct {
	Name string
	Do   func(ctx context.Context, now time.Time) error
	Soon bool // also done at the start
}

// Config is what New needs.
type Config struct {
	Chores []Chore
	// First is how long after its start a process begins; Every is the time from one round to the next, less up to a tenth,
	// so that processes that start together do not stay together. Defaults: 10 minutes, 24 hours.
	First, Every time.Duration
	Now          func() time.Time   // default: time.Now
	Logger       logrus.FieldLogger // required
}

// Chores are the chores of one process.
type Chores struct{ config Config }

// New returns the chores of a process, not yet begun.
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

// Run does the chores, round after round, until ctx ends, and then returns nil. One that fails is left until the next round.
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

// Round does every chore once, and returns what went wrong.
func (c *Chores) Round(ctx context.Context) error {
	var problems []error
	for _, chore := range c.config.Chores {
		if err := chore.Do(ctx, c.config.Now()); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", chore.Name, err))
		}
	}
	return errors.Join(problems...)
}

// Tidy is the chore of removing, from a place that can do so itself, what is older than an age.
func Tidy(name string, age time.Duration, tidy func(ctx context.Context, before time.Time) error) Chore {
	return Chore{Name: name, Do: func(ctx context.Context, now time.Time) error { return tidy(ctx, now.Add(-age)) }}
}

package chores

import (
	"context"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/eventstore"
	"moviola/eventstore/archived"
)

const (
	// scavenges is the stream in which EventStoreDB and KurrentDB record their scavenges. They keep the records for 30 days by
	// default, and let operators and administrators read them.
	scavenges = "$scavenges"
	// scavengeEvery is how long truncated events may use room before a scavenge is due.
	scavengeEvery = 30 * 24 * time.Hour
)

// ScavengeConfig is what Scavenge needs. Every field is required.
type ScavengeConfig struct {
	Log eventstore.Store
	// Truncated returns what the archive has truncated in the log after a moment, like the method of *archived.Store.
	Truncated func(ctx context.Context, since time.Time) (archived.Truncated, error)
	// Discards reports whether the event store removes truncated events by itself. Then no scavenge is ever due.
	Discards func(context.Context) (bool, error)
	// Waiting is called with the number of truncated events that may still use room in the event store.
	Waiting func(events int)
	Logger  logrus.FieldLogger
}

// Scavenge is the chore of saying that an event store should be scavenged, when the store does not remove truncated events
// by itself. A scavenge is due when the archive has truncated events at least 30 days ago, and no scavenge was recorded
// since. The chore counts the events that the archive has truncated since the last record of a scavenge; when no record is
// found, or it cannot be read, the chore counts all events that the archive has ever truncated.
func Scavenge(config ScavengeConfig) Chore {
	return Chore{Name: "need of a scavenge", Soon: true, Do: func(ctx context.Context, now time.Time) error {
		if own, err := config.Discards(ctx); err != nil || own {
			if own {
				config.Waiting(0)
			}
			return err
		}
		last, known := lastScavenge(ctx, config.Log)
		left, err := config.Truncated(ctx, last)
		if err != nil {
			return fmt.Errorf("read what was truncated: %w", err)
		}
		config.Waiting(left.Events)
		if left.Events == 0 || now.Sub(left.First) < scavengeEvery {
			return nil
		}
		fields := logrus.Fields{"events": left.Events, "since": left.First.UTC().Format(time.DateOnly)}
		if known {
			fields["last_scavenge"] = last.UTC().Format(time.DateOnly)
		}
		config.Logger.WithFields(fields).Warn("an operator should scavenge the event store: archived events still use room " +
			"in it; this process starts no scavenge")
		return nil
	}}
}

// lastScavenge returns when the newest record of a scavenge was written, at its beginning or at its end. False: there is no
// record that may be read.
func lastScavenge(ctx context.Context, log eventstore.Store) (time.Time, bool) {
	for event, err := range log.ReadStream(ctx, scavenges, eventstore.Backwards, -1) {
		if err != nil {
			return time.Time{}, false
		}
		return event.Created, true
	}
	return time.Time{}, false
}

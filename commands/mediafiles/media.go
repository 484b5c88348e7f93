package mediafiles

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
)

// entryLength is the number of characters of the random ids of entries, moves and uploads: 119 bits.
const entryLength = 20

// NewEntry returns a random id: for the entry of a file at one path, which the file has until it leaves the path, for a
// move, and for the key of stored bytes.
func NewEntry() string {
	id, err := domain.RandomText(rand.Reader, entryLength)
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return id
}

// places has the functions that commands on paths of media libraries share.
type places struct {
	log *eventstore.Log
	now eventstore.Clock
}

// decidePlace returns the events by which a command changes a path; at is the time of the events. It may be called more than
// once.
type decidePlace func(p *media.Place, at time.Time) ([]domain.Event, error)

// placed is the result of a decision: the path after the decision, the end of its stream, and the
// appended events.
type placed struct {
	*media.Place
	eventstore.Appended
	events []domain.Event
}

// decide loads a path by the id of its stream, calls the function in the parameter decide, and appends the events that it
// returns.
func (s places) decide(ctx context.Context, id string, decide decidePlace) (placed, error) {
	d := placed{Place: media.NewPlace()}
	var err error
	d.Appended, err = s.log.Decide(ctx, media.StreamCategory+"-"+id, d.Place, func() (eventstore.Decision, error) {
		at := s.now.Stamp()
		var err error
		d.events, err = decide(d.Place, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, media.AccountOf(id), at), Events: d.events}, err
	})
	if err != nil {
		return d, fmt.Errorf("media path %s: %w", id, err)
	}
	return d, nil
}

// load folds the stream of a path.
func (s places) load(ctx context.Context, id string) (*media.Place, error) {
	p := media.NewPlace()
	none := eventstore.Appended{Revision: eventstore.NoStream}
	if _, err := s.log.CatchUp(ctx, media.StreamCategory+"-"+id, none, p.Apply); err != nil {
		return nil, fmt.Errorf("load media path %s: %w", id, err)
	}
	return p, nil
}

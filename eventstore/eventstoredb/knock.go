package eventstoredb

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

const (
	firstPause   = 50 * time.Millisecond // between two knocks, doubled up to
	lastPause    = 500 * time.Millisecond
	knockTimeout = 3 * time.Second
)

// knock asks for the server until it answers, and then opens the gate with a fresh client.
func (p *pool) knock() {
	pause := firstPause
	for !p.isThere() {
		select {
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		case <-p.life.Done():
			return
		}
	}
	client, err := newClient(p.settings, forEver)
	if err != nil {
		p.log.WithError(err).Error("The event store's client cannot be made")
		return
	}
	p.mu.Lock()
	p.session = &session{client: client, users: 1} // the pool itself
	p.mu.Unlock()
	p.gate.open()
	p.log.Info("The event store is there")
}

// isThere makes one read on a client of its own, which gives up after one look for the server: nothing is left of it
// when the server stays away, however long.
func (p *pool) isThere() bool {
	client, err := newClient(p.settings, 1)
	if err != nil {
		return false
	}
	defer func() { _ = client.Close() }() // it returns nil
	ctx, cancel := context.WithTimeout(toLeader(p.life), knockTimeout)
	defer cancel()
	_, err = guarded(func() (*esdb.ResolvedEvent, error) {
		stream, err := client.ReadAll(ctx, esdb.ReadAllOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		return stream.Recv()
	})
	// Whatever the server says to the read, it is there to say it.
	return err == nil || errors.Is(err, io.EOF) || !isAway(err) && ctx.Err() == nil
}

func newClient(settings esdb.Configuration, attempts int) (*esdb.Client, error) {
	settings.MaxDiscoverAttempts = attempts
	return esdb.NewClient(&settings)
}

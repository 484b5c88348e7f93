package eventstoredb

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

const (
	firstPause   = 50 * time.Millisecond // pause between the first two probes; doubled after each probe, up to lastPause
	lastPause    = 500 * time.Millisecond
	knockTimeout = 3 * time.Second
)

// knock probes the server until it answers and a new client for it has been created, and then opens the gate. It gives up
// when the pool is closed.
func (p *pool) knock() {
	pause, said := firstPause, ""
	for {
		pass, err := passOf(p.settings.Address)
		if err != nil && err.Error() != said {
			said = err.Error()
			p.log.WithError(err).Error("secret of the event store's socket cannot be read; run this process as the user of " +
				"the event store")
		}
		settings, leader, found := p.locate(pass)
		if found && p.begin(settings, leader, pass) {
			return
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		case <-p.life.Done():
			return
		}
	}
}

// begin creates the client for all later calls, and lets the calls go on that have waited for the server. It returns false when
// the client cannot be created.
func (p *pool) begin(settings esdb.Configuration, leader, pass string) bool {
	client, err := newClient(settings, forEver)
	if err != nil {
		p.log.WithError(err).Error("event store client not created; trying again")
		return false
	}
	p.mu.Lock()
	// the pool is the first user
	p.session = &session{client: client, pass: pass, leader: leader, left: make(chan struct{}), users: 1}
	p.mu.Unlock()
	p.gate.open()
	log := p.log
	if leader != "" {
		log = log.WithField("leader", leader)
	}
	log.Info("event store reachable")
	return true
}

// locate finds the server, or the leader of a cluster, and returns the settings of a client for it. leader is empty when
// there is no cluster, or when gossip names no leader. When the connection string names one node, that node is used if it
// leads or is the only node; otherwise the known nodes are asked which of them leads.
func (p *pool) locate(pass string) (settings esdb.Configuration, leader string, found bool) {
	if !p.finder.discovers() && p.isThere(p.settings, pass) {
		if v := p.finder.ask(p.life); v.nodes > 1 {
			leader = v.leader
		}
		return p.settings, leader, true
	}
	v := p.finder.ask(p.life)
	if v.leader == "" || v.nodes < 2 && !p.finder.discovers() {
		return p.settings, "", false
	}
	settings = p.finder.toward(v)
	return settings, v.leader, p.isThere(settings, pass)
}

// isThere makes one read with a client of its own, which looks for the server only once. So the client leaves nothing running
// when the server stays unavailable.
func (p *pool) isThere(settings esdb.Configuration, pass string) bool {
	client, err := newClient(settings, 1)
	if err != nil {
		return false
	}
	defer func() { _ = client.Close() }() // Close of the client always returns nil
	ctx, cancel := context.WithTimeout(toLeader(p.life, pass), knockTimeout)
	defer cancel()
	_, err = guarded(func() (*esdb.ResolvedEvent, error) {
		stream, err := client.ReadAll(ctx, esdb.ReadAllOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		return stream.Recv()
	})
	// Any answer of the server to the read, also an error, shows that the server is available.
	return err == nil || errors.Is(err, io.EOF) || !isAway(err) && ctx.Err() == nil
}

func newClient(settings esdb.Configuration, attempts int) (*esdb.Client, error) {
	settings.MaxDiscoverAttempts = attempts
	return esdb.NewClient(&settings)
}

package eventstoredb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/sirupsen/logrus"

	"moviola/eventstore"
)

const (
	maxCalls = 128 // maximum of concurrent appends and of subscriptions being opened
	maxReads = 256 // maximum of concurrent reads; separate from maxCalls, since a reader may append while it reads

	silence = 3 * time.Second // a call that has no answer for this long makes the pool ask all nodes which of them leads
	// pause after which the pool, while a call still has no answer, again asks all nodes which of them leads
	doubt = time.Second
)

// pool runs the client's calls, each in a goroutine of its own. So a caller can return before the client does.
type pool struct {
	settings esdb.Configuration
	log      logrus.FieldLogger
	finder   *finder
	gate     *gate
	calls    chan struct{} // a slot for every running append, and for every subscription that is being opened
	reads    chan struct{}
	life     context.Context // context of the pool, which ends when the pool is closed
	end      context.CancelFunc
	finished chan struct{} // closed when the last call has returned and every client is closed

	mu      sync.Mutex
	session *session // the current client; nil while the server is unavailable
	closed  bool
	running sync.WaitGroup
}

func newPool(settings *esdb.Configuration, log logrus.FieldLogger, patience time.Duration) *pool {
	life, end := context.WithCancel(context.Background())
	p := &pool{
		settings: *settings, log: log, finder: &finder{settings: *settings}, gate: newGate(max(grace, patience)),
		calls: make(chan struct{}, maxCalls), reads: make(chan struct{}, maxReads),
		life: life, end: end, finished: make(chan struct{}),
	}
	p.launch(p.knock)
	return p
}

// launch starts a goroutine that close waits for; false when the pool is closed.
func (p *pool) launch(do func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		do()
	}()
	return true
}

// close makes every waiting caller return, and closes the client when its last call has returned.
func (p *pool) close(ctx context.Context) error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	if first {
		p.end()
		go func() {
			p.running.Wait()
			p.retire()
			close(p.finished)
		}()
	}
	select {
	case <-p.finished:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the event store's client, with calls still running in it: %w", ctx.Err())
	}
}

// permit is what a call needs to run: a slot and a client, both of which it must give back, and a channel that signals an outage.
type permit struct {
	session *session
	slots   chan struct{}
	lost    <-chan struct{} // closed when the call should be abandoned
}

func (m permit) giveBack() {
	m.session.release()
	<-m.slots
}

// admit waits until the server is available (gate.enter), and then until slots has room for one more call. The permit
// that it returns holds the slot and the current client, until giveBack is called.
func (p *pool) admit(ctx context.Context, slots chan struct{}) (permit, error) {
	lost, err := p.gate.enter(ctx, p.life)
	if err != nil {
		return permit{}, err
	}
	select {
	case slots <- struct{}{}:
	case <-lost:
		return permit{}, errLost
	case <-ctx.Done():
		return permit{}, ctx.Err()
	case <-p.life.Done():
		return permit{}, errClosed
	}
	p.mu.Lock()
	session := p.session
	if session != nil {
		session.acquire()
	}
	p.mu.Unlock()
	if session == nil { // the server has become unavailable since the gate let the call pass
		<-slots
		return permit{}, errLost
	}
	return permit{session: session, slots: slots, lost: lost}, nil
}

// run makes one call. It waits for the call's result, for the end of ctx, for an outage or for the end of the pool, whichever
// comes first. The context of an abandoned call is cancelled, so that the client does not send it later. What the client has
// sent already may still take effect.
func run[T any](ctx context.Context, p *pool, do func(context.Context, *esdb.Client) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	permit, err := p.admit(ctx, p.calls)
	if err != nil {
		return none, err
	}
	inner, cancel := context.WithCancel(toLeader(ctx, permit.session.pass))
	defer cancel()
	done := make(chan outcome, 1)
	launched := p.launch(func() {
		defer permit.giveBack()
		value, err := guarded(func() (T, error) { return do(inner, permit.session.client) })
		p.watch(permit.session, err)
		done <- outcome{value, err}
	})
	if !launched {
		permit.giveBack()
		return none, errClosed
	}
	patience := time.NewTimer(silence)
	defer patience.Stop()
	for {
		select {
		case out := <-done:
			return out.value, outcomeError(ctx, out.err)
		case <-ctx.Done():
			return none, ctx.Err()
		case <-permit.lost:
			return none, errLost
		case <-permit.session.left:
			return none, errLost
		case <-p.life.Done():
			return none, errClosed
		case <-patience.C:
			p.suspect(permit.session)
			patience.Reset(doubt)
		}
	}
}

// guarded makes one call of the client. The client panics on some unexpected answers; guarded converts such a panic to an
// error.
func guarded[T any](do func() (T, error)) (value T, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("the event store's client panicked: %v", problem)
		}
	}()
	return do()
}

// watch looks at a call's error for signs that the server is unavailable. When it is, the client of that call is not used
// any more: it would keep its old connection open, and block every call until it has found the server again.
func (p *pool) watch(seen *session, err error) {
	if err == nil || !isAway(err) {
		return
	}
	p.mu.Lock()
	current := p.session == seen
	p.mu.Unlock()
	if current && p.gate.shut() {
		p.log.WithError(err).Warn("event store not reachable; trying again")
		p.retire()
		p.launch(p.knock)
	}
}

// suspect asks the nodes of a cluster who leads, for a call that has waited for long: a frozen leader keeps its connections
// open. When the nodes name another leader or none, the client is abandoned, and every call on it ends. Decision 60. A
// leader that is only slow, and a single node, stay in use.
func (p *pool) suspect(s *session) {
	p.mu.Lock()
	current := p.session == s
	idle := current && s.leader != "" && !s.suspected
	s.suspected = s.suspected || idle
	p.mu.Unlock()
	if !current { // another call has already retired this session
		s.leave()
	}
	if !idle {
		return
	}
	p.launch(func() {
		v := p.finder.ask(p.life)
		p.mu.Lock()
		s.suspected = false
		deposed := p.session == s && v.nodes > 0 && v.leader != s.leader
		p.mu.Unlock()
		if !deposed || !p.gate.shut() {
			return
		}
		p.log.WithField("leader", s.leader).Warnf("event store: node does not answer and is no longer the leader: %v; "+
			"looking for the new one", v)
		s.leave()
		p.retire()
		p.launch(p.knock)
	})
}

// retire removes the current client; it is closed when its last user releases it.
func (p *pool) retire() {
	p.mu.Lock()
	session := p.session
	p.session = nil
	p.mu.Unlock()
	if session != nil {
		session.release()
	}
}

// session is a client and the number of its users. It counts them, because closing a client that is in use would crash
// this process.
type session struct {
	client *esdb.Client
	// token that an embedded server demands of calls through its unix socket; empty: none is needed
	pass      string
	leader    string        // host:port of the leader, as gossip names it; empty: there is no cluster
	left      chan struct{} // closed when calls must no longer wait for answers to this client
	suspected bool          // the nodes are being asked whether this leader still leads; guarded by the pool's lock

	once  sync.Once // makes sure that left is closed once
	mu    sync.Mutex
	users int
}

// leave ends every call that waits for the client.
func (s *session) leave() { s.once.Do(func() { close(s.left) }) }

func (s *session) acquire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	if s.users == 0 {
		_ = s.client.Close() // Close of the client always returns nil
	}
}

var (
	errClosed = errors.New("the event store's client is closed")
	errLost   = fmt.Errorf("%w: the connection was lost", eventstore.ErrUnavailable)
)

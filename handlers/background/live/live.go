// Package live sends live events to saved webhooks: a render has started, its progress, a batch has finished. Live events
// are written neither to the log nor to the work list. Each event is sent at most once to a receiver; it is lost, for
// example, when a queue is full or the receiver does not answer. Decision 79.
//
// Each process has one Announcer, which owns the queues. Announcing never blocks. Each account has a bounded queue, whose
// events are sent one after the other. A bounded number of goroutines serves the accounts in turns. So a process sends at
// most one event of an account at the same time, to a bounded number of receivers, and slow receivers delay other accounts
// little. A goroutine ends when no event may be sent now, and with Close.
package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// The limits of an announcer.
const (
	MaxWaiting   = 64              // maximum number of queued events of one account
	MaxReceivers = 5               // maximum number of an account's webhooks that get an event: the first ones by id
	AnswerWait   = 5 * time.Second // time limit for the answer of one receiver

	maxWorkers  = 16   // maximum number of events, of all accounts, that are being sent at the same time
	maxInAll    = 4096 // maximum number of queued events of all accounts together
	lookUpLimit = 10 * time.Second
)

// Event is one live event of an account.
type Event struct {
	Account domain.AccountID
	Name    connection.LiveEvent
	Message string // id of the message, the same for all receivers
	Payload []byte // content of the message to the receivers: a flat JSON object
	// Subject is the movie or batch of the event. A render.progress event replaces a queued one with the same subject.
	Subject string
	// Visible is the position that the read models of this process must include before the event is sent. So a receiver
	// that queries the service at once usually finds the change, and a connection that was saved just before the event
	// usually gets the event. The zero position: the event does not wait.
	Visible eventstore.Position
}

// Listeners finds the saved webhooks of an account that list an event, up to a maximum. The result may be outdated.
type Listeners interface {
	Hearing(ctx context.Context, account domain.AccountID, event connection.LiveEvent, most int) ([]string, error)
}

// Connections opens saved connections.
type Connections interface {
	Open(ctx context.Context, account domain.AccountID, id string) (connections.OpenedConnection, error)
}

// Visible waits until the read models of this process include the log up to a position.
type Visible interface {
	WaitFor(ctx context.Context, at eventstore.Position) error
}

// Config is what an Announcer needs. All fields are required.
type Config struct {
	Listeners   Listeners
	Connections Connections
	Visible     Visible
	// Post makes one try at a receiver. It ends when its context ends.
	Post func(ctx context.Context, call deliveries.WebhookCall) (deliveries.WebhookResult, error)
	Log  logrus.FieldLogger
}

// Announcer sends live events to the saved webhooks of accounts: that a render has started, its progress, or that a batch
// has finished. It is safe for concurrent use.
type Announcer struct {
	config Config
	ctx    context.Context // context of all requests to receivers
	stop   context.CancelFunc

	mu      sync.Mutex
	lines   map[domain.AccountID]*line // the queue of each account that has events queued or being sent
	turns   []*line                    // queues with events and no event being sent; the queue served next is first
	waiting int                        // number of queued events of all accounts together
	workers int
	closed  bool
	working sync.WaitGroup
}

// line is the queue of one account's live events. Announcer.turns holds the queues whose next event may be sent, in the
// order of their turns. While an event of a queue is being sent, turns does not contain the queue.
type line struct {
	account domain.AccountID
	events  []Event
}

// New returns an Announcer without events. It sends the live events given to Announce until Close is called.
func New(config Config) *Announcer {
	a := &Announcer{config: config, lines: map[domain.AccountID]*line{}}
	a.ctx, a.stop = context.WithCancel(context.Background())
	return a
}

// Announce queues an event and returns at once. The event is lost when there is no room for it, and after Close.
func (a *Announcer) Announce(e Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	l, there := a.lines[e.Account]
	if there && l.replace(e) {
		return
	}
	if a.waiting >= maxInAll || there && !a.makeRoom(l, e) {
		a.config.Log.WithField("account", e.Account).WithField("event", e.Name).
			Debug("live event lost: too many live events are waiting to be sent")
		return
	}
	if !there {
		l = &line{account: e.Account}
		a.lines[e.Account] = l
		a.turns = append(a.turns, l)
	}
	l.events = append(l.events, e)
	a.waiting++
	if len(a.turns) > 0 && a.workers < maxWorkers {
		a.workers++
		a.working.Go(a.work)
	}
}

// replace puts a progress event in the place of an older queued one with the same subject. It returns false when there is
// none, or when the event is no progress event.
func (l *line) replace(e Event) bool {
	if e.Name != connection.RenderProgress {
		return false
	}
	for i, other := range l.events {
		if other.Name == e.Name && other.Subject == e.Subject {
			l.events[i] = e
			return true
		}
	}
	return false
}

// makeRoom reports whether the event e can be appended to l, the queue of an account. When l is full, makeRoom drops the
// first queued progress event to make room, unless e is a progress event itself. It returns false when the queue stays
// full.
func (a *Announcer) makeRoom(l *line, e Event) bool {
	if len(l.events) < MaxWaiting {
		return true
	}
	for i, other := range l.events {
		if other.Name == connection.RenderProgress && e.Name != connection.RenderProgress {
			l.events = append(l.events[:i], l.events[i+1:]...)
			a.waiting--
			return true
		}
	}
	return false
}

// work sends queued events one after the other, until no event may be sent now or the announcer is closed.
func (a *Announcer) work() {
	for {
		l, e, ok := a.next()
		if !ok {
			return
		}
		a.send(e)
		a.sent(l)
	}
}

// next takes the next event to send from the queue whose turn it is, and returns the queue and the event. It returns false
// when the announcer is closed or no event may be sent now: none is queued, or each must wait until another event of its
// account was sent. The goroutine that has called next ends then.
func (a *Announcer) next() (*line, Event, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || len(a.turns) == 0 {
		a.workers--
		return nil, Event{}, false
	}
	l := a.turns[0]
	a.turns = a.turns[1:]
	e := l.events[0]
	l.events = l.events[1:]
	a.waiting--
	return l, e, true
}

// sent is called after an event of the queue l was sent. If l has further events, sent appends it to turns again; otherwise
// it removes l.
func (a *Announcer) sent(l *line) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(l.events) == 0 {
		delete(a.lines, l.account)
		return
	}
	a.turns = append(a.turns, l)
}

// send sends an event to the webhooks that list it, at most MaxReceivers, at the same time, and waits for all of them.
func (a *Announcer) send(e Event) {
	ctx, cancel := context.WithTimeout(a.ctx, lookUpLimit)
	defer cancel()
	log := a.config.Log.WithField("account", e.Account).WithField("event", e.Name)
	var err error
	if e.Visible != (eventstore.Position{}) { // after the wait, the read model has every webhook that was saved before the event
		err = a.config.Visible.WaitFor(ctx, e.Visible)
	}
	var ids []string
	if err == nil {
		ids, err = a.config.Listeners.Hearing(ctx, e.Account, e.Name, MaxReceivers)
	}
	if err != nil {
		if a.ctx.Err() == nil {
			log.WithError(err).Warn("live event lost: the read models are not available")
		}
		return
	}
	var told sync.WaitGroup
	defer told.Wait()
	for _, id := range ids {
		to, err := a.config.Connections.Open(ctx, e.Account, id)
		var refusal *domain.Error
		switch {
		case errors.As(err, &refusal): // the saved connection was deleted meanwhile, or its secrets cannot be decrypted
			continue
		case err != nil:
			log.WithError(err).Warn("live event not sent to one saved connection: its stored settings cannot be read")
			continue
		case !to.Kind.Hears(to.Settings, e.Name):
			continue
		}
		told.Go(func() { a.tell(e, to, log.WithField("connection", id)) })
	}
}

// tell makes one try at sending an event to a receiver.
func (a *Announcer) tell(e Event, to connections.OpenedConnection, log logrus.FieldLogger) {
	ctx, cancel := context.WithTimeout(a.ctx, AnswerWait)
	defer cancel()
	result, err := a.config.Post(ctx, deliveries.WebhookCall{
		Account: e.Account, Endpoint: to.Settings["endpoint"], ContentType: to.Settings["content-type"], Payload: e.Payload,
		Message: e.Message, Signing: to.Signing,
	})
	if err != nil || !result.Delivered {
		log.WithError(err).WithField("result", result.Message).
			Debug("live event not delivered to a saved webhook; it is not sent again")
	}
}

// Close ends the announcer. Queued events are lost. Running requests are given time until ctx ends, then they are cancelled.
// After that no goroutine is left. Close may be called more than once.
func (a *Announcer) Close(ctx context.Context) {
	a.mu.Lock()
	a.closed = true
	a.lines, a.turns, a.waiting = map[domain.AccountID]*line{}, nil, 0
	a.mu.Unlock()
	cut := context.AfterFunc(ctx, a.stop)
	defer cut()
	a.working.Wait()
	a.stop()
}

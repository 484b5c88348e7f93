// Package live tells saved webhooks what happens while it happens: that a render has started, how far it is, that a batch has
// finished. Live events are news, not work: they are in no log and on no work list, each is sent once, and what finds no room or
// no receiver is lost. Decision 79.
//
// One Announcer of a process owns what waits. Whoever announces never waits. The events of an account stand in a line of their
// own, which is bounded, and are sent one after another; accounts take turns for a bounded number of goroutines. So an account
// has one event in flight in a process, to a bounded number of receivers, and slow receivers hold up nobody else for
// long. The goroutines end when nothing waits, and with Close.
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

// The bounds of an announcer.
const (
	MaxWaiting   = 64              // events of an account that wait
	MaxReceivers = 5               // webhooks of an account that are told one event, the first by id
	AnswerWait   = 5 * time.Second // for the answer of one receiver

	maxWorkers  = 16   // events that are being sent, of all accounts together
	maxInAll    = 4096 // events that wait, of all accounts together
	lookUpLimit = 10 * time.Second
)

// Event is one live event of an account.
type Event struct {
	Account domain.AccountID
	Name    connection.LiveEvent
	Message string // id of the message, the same for all receivers
	Payload []byte // a flat JSON object
	// Subject is what the event is about. An event of render.progress takes the place of one about the same subject that waits.
	Subject string
	// Visible is the position that the read models have to include before the event is sent: a receiver that queries them at once
	// finds what it was told, and one that was saved just before is told it.
	Visible eventstore.Position
}

// Listeners finds the saved webhooks of an account that list an event, at most a number of them. It may be outdated.
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
	// Post makes one try at a receiver. It ends with its context.
	Post func(ctx context.Context, call deliveries.WebhookCall) (deliveries.WebhookResult, error)
	Log  logrus.FieldLogger
}

// Announcer sends live events. It is safe for concurrent use.
type Announcer struct {
	config Config
	ctx    context.Context // of all sending
	stop   context.CancelFunc

	mu      sync.Mutex
	lines   map[domain.AccountID]*line // of accounts with events that wait or are being sent
	turns   []*line                    // lines with events of which none is being sent, the next first
	waiting int                        // events in all lines
	workers int
	closed  bool
	working sync.WaitGroup
}

// line has what waits of an account. While one of its events is being sent, it is in no turn.
type line struct {
	account domain.AccountID
	events  []Event
}

// New returns an announcer.
func New(config Config) *Announcer {
	a := &Announcer{config: config, lines: map[domain.AccountID]*line{}}
	a.ctx, a.stop = context.WithCancel(context.Background())
	return a
}

// Announce lets an event be sent, and does not wait for that. An event that finds no room is lost.
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
		a.config.Log.WithField("account", e.Account).WithField("event", e.Name).Debug("live event lost: too many wait")
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

// replace puts progress into the place of earlier progress of the same subject.
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

// makeRoom says whether an event may be added to a line. In a full line progress makes room for other events.
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

// work sends events until none has its turn.
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

// next takes the event whose turn it is; false: this worker ends.
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

// sent gives a line its next turn.
func (a *Announcer) sent(l *line) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(l.events) == 0 {
		delete(a.lines, l.account)
		return
	}
	a.turns = append(a.turns, l)
}

// send tells an event to all webhooks that list it, at the same time, and waits for them.
func (a *Announcer) send(e Event) {
	ctx, cancel := context.WithTimeout(a.ctx, lookUpLimit)
	defer cancel()
	log := a.config.Log.WithField("account", e.Account).WithField("event", e.Name)
	var err error
	if e.Visible != (eventstore.Position{}) { // a webhook that was saved before the event is known then
		err = a.config.Visible.WaitFor(ctx, e.Visible)
	}
	var ids []string
	if err == nil {
		ids, err = a.config.Listeners.Hearing(ctx, e.Account, e.Name, MaxReceivers)
	}
	if err != nil {
		if a.ctx.Err() == nil {
			log.WithError(err).Warn("live event lost: the read models do not answer")
		}
		return
	}
	var told sync.WaitGroup
	defer told.Wait()
	for _, id := range ids {
		to, err := a.config.Connections.Open(ctx, e.Account, id)
		var refusal *domain.Error
		switch {
		case errors.As(err, &refusal): // deleted meanwhile, or it cannot be read
			continue
		case err != nil:
			log.WithError(err).Warn("live event lost: a connection cannot be read")
			continue
		case !to.Kind.Hears(to.Settings, e.Name):
			continue
		}
		told.Go(func() { a.tell(e, to, log.WithField("connection", id)) })
	}
}

// tell makes the one try at a receiver.
func (a *Announcer) tell(e Event, to connections.OpenedConnection, log logrus.FieldLogger) {
	ctx, cancel := context.WithTimeout(a.ctx, AnswerWait)
	defer cancel()
	result, err := a.config.Post(ctx, deliveries.WebhookCall{
		Account: e.Account, Endpoint: to.Settings["endpoint"], ContentType: to.Settings["content-type"], Payload: e.Payload,
		Message: e.Message, Signing: to.Signing,
	})
	if err != nil || !result.Delivered {
		log.WithError(err).WithField("result", result.Message).Debug("live event not delivered")
	}
}

// Close ends the announcer: what waits is lost, what is being sent is waited for until ctx ends, and then cut. No goroutine is
// left. It may be called more than once.
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

package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore/embedded/logfile"
)

const (
	maxCommands   = 256   // maximum of commands (acks, nacks, requests) that wait for a group
	maxSlots      = 4096  // maximum of unanswered messages of a consumer, even when it asks for more
	maxReadAhead  = 1024  // maximum of events of one read, even when the settings say more
	maxParkedOnce = 500   // maximum of messages parked in one append
	maxReason     = 1_000 // maximum of bytes stored of the reason why a message was parked
)

// group is a running persistent subscription. One goroutine (run) owns its state. Connections, RPCs, results of the writer and
// wake-ups by the log reach it through channels; it reads the log itself.
//
//	consumers --acks, nacks--> commands --> run --messages--> consumer.out --> connections
//	                                         |  ^
//	       log (pages), tail (a wake-up) ----+  +---- saved, parked, truncated (one of each under way)
type group struct {
	key     logfile.GroupKey
	service *service
	state   *groupState
	filter  filter

	commands chan func()
	end      chan error    // receives, once, the reason for which the group ends and which its consumers are told; buffered
	ended    chan struct{} // closed when run has returned

	seen     int64        // for a group of one stream: position up to which the log has been searched
	woken    <-chan int64 // wake-up by the log; nil: the group is not asleep
	noSleep  func()
	ticking  bool      // events were finished since the last checkpoint, so the field tick is set
	tick     time.Time // when the next checkpoint is due
	saved    chan saved
	saving   bool
	stored   chan error
	parkAt   time.Time // messages are not parked before, because the last try has failed
	replay   replay
	failed   bool       // the newest read of the log failed
	finished chan error // result of truncating the parked stream
}

// saved is the result of writing a checkpoint; before is the checkpoint that it replaces.
type saved struct {
	before int64
	err    error
}

func newGroup(s *service, row *logfile.GroupRow) (*group, error) {
	settings := &groupSettings{}
	if err := json.Unmarshal(row.Settings, settings); err != nil {
		return nil, fmt.Errorf("read the settings of the persistent subscription %s of %s: %w", row.Key.Name, row.Key.Stream, err)
	}
	filter, err := settings.filter()
	if err != nil {
		return nil, err
	}
	considered := settings.Behind
	if row.Checkpoint != logfile.NoCheckpoint {
		considered = row.Checkpoint
	}
	return &group{
		key: row.Key, service: s, filter: filter,
		state: &groupState{
			settings: settings, pins: map[uint32]*consumer{}, considered: considered, checkpoint: row.Checkpoint,
		},
		commands: make(chan func(), maxCommands), end: make(chan error, 1), ended: make(chan struct{}),
		saved: make(chan saved, 1), stored: make(chan error, 1), finished: make(chan error, 1),
		seen: -1,
	}, nil
}

// stop ends the group and tells its consumers the reason. It returns when the group's goroutines have ended.
func (g *group) stop(reason error) {
	select {
	case g.end <- reason:
	default: // an earlier call of stop has given its reason
	}
	<-g.ended
}

// do runs a function in the group's goroutine and waits for it. It returns false when the group or the context has ended.
func (g *group) do(ctx context.Context, what func()) bool {
	done := make(chan struct{})
	if !g.tell(ctx, func() { what(); close(done) }) {
		return false
	}
	select {
	case <-done:
		return true
	case <-g.ended:
		return false
	}
}

// tell queues a function for the group's goroutine. It returns false when the group or the context has ended.
func (g *group) tell(ctx context.Context, what func()) bool {
	select {
	case g.commands <- what:
		return true
	case <-ctx.Done():
		return false
	case <-g.ended:
		return false
	}
}

// run serves the group until stop is called.
func (g *group) run() {
	defer close(g.ended)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	always := make(chan struct{})
	close(always)
	for {
		more := g.advance()
		var again <-chan struct{}
		if more {
			again = always
		}
		timer.Reset(g.patience())
		select {
		case reason := <-g.end:
			g.finish(reason)
			return
		case command := <-g.commands:
			g.obey(command)
		case position := <-g.woken:
			g.woken = nil
			g.seen = max(g.seen, position-1) // the records before this position belong to other streams
		case s := <-g.saved:
			g.saving = false
			if s.err != nil {
				g.complain("checkpoint not written; the next one replaces it", s.err)
				g.state.checkpoint = s.before
			}
		case err := <-g.stored:
			if err != nil {
				g.complain("messages not parked; trying again in a second", err)
				g.parkAt = g.service.now().Add(time.Second)
			}
			g.state.stored(err == nil)
		case err := <-g.finished:
			if err != nil {
				g.complain("replayed messages stay parked", err)
			}
			g.endedReplay()
		case <-timer.C:
		case <-again:
		}
	}
}

// obey runs a command, and some of the commands that wait behind it. The number is bounded, because each ack is a command and
// many may wait.
func (g *group) obey(command func()) {
	command()
	for range maxCommands {
		select {
		case command := <-g.commands:
			command()
		default:
			return
		}
	}
}

// advance does all work that is possible now: dispatching, parking, checkpoints, reading. It reports whether there is more to
// read.
func (g *group) advance() (more bool) {
	now := g.service.now()
	more, err := g.read()
	if err == nil {
		err = g.readReplays()
	}
	if g.failed = err != nil; g.failed {
		g.complain("events not read; trying again within a second", err)
		more = false
	}
	g.state.expire(now)
	g.state.dispatch(now)
	g.park()
	g.save(now)
	g.endReplay()
	return more
}

// patience returns how long run may wait when no message comes: until the next deadline, checkpoint or try to park messages,
// but at most one second after a failed read, which is then retried, and at most an hour otherwise.
func (g *group) patience() time.Duration {
	now, wait := g.service.now(), time.Hour
	if g.failed {
		wait = time.Second
	}
	if timeline := g.state.timeline; len(timeline) > 0 {
		wait = min(wait, timeline[0].due.Sub(now))
	}
	if g.ticking {
		wait = min(wait, g.tick.Sub(now))
	}
	if g.state.storing == nil && len(g.state.parking) > 0 {
		wait = min(wait, g.parkAt.Sub(now))
	}
	return max(wait, time.Millisecond)
}

func (g *group) complain(what string, err error) {
	g.service.note.WithError(err).WithField("stream", g.key.Stream).WithField("group", g.key.Name).
		Warnf("event store: fault of a persistent subscription: %s", what)
}

// read reads the next events of the group's source, which is a stream or the log, when fewer new messages are queued than
// one read may bring and the group does not wait for the log. At the end of the source, read arranges that the log wakes
// the group. Without consumers it reads nothing.
func (g *group) read() (more bool, err error) {
	if len(g.state.consumers) == 0 {
		g.wakeNoMore()
		return false, nil
	}
	limit := int(min(g.state.settings.ReadBatch, maxReadAhead))
	if len(g.state.fresh) >= limit || g.woken != nil {
		return false, nil
	}
	ctx := context.Background()
	if g.key.All() {
		return g.readAll(ctx, limit)
	}
	return g.readStream(ctx, limit)
}

func (g *group) readAll(ctx context.Context, limit int) (more bool, err error) {
	edge, at := g.service.tail.edge(), g.state.considered
	if at >= edge {
		// The group is also woken when the log has grown by this many events of which none matches, so that its checkpoint
		// can move past them. Otherwise it would search them again after a restart.
		return !g.sleep(at, g.filter.interest, at+int64(max(g.state.settings.MaxCheckpoint, maxReadAhead))), nil
	}
	records, ok := g.service.tail.after(at, limit)
	if !ok {
		page := logfile.AllPage{Low: at + 1, High: edge, Limit: limit, WantFunc: g.filter.matchFunc}
		if records, err = g.service.log.ReadAll(ctx, page); err != nil {
			return false, err
		}
		if len(records) == 0 { // retention has removed all records of this range
			g.state.offer(nil, edge, 0)
			return true, nil
		}
	}
	var wanted []*message
	for _, r := range records {
		if !g.filter.matches(r) || strings.HasPrefix(r.Stream, logfile.GroupStreams) {
			continue
		}
		m, err := g.message(ctx, r, r.Position)
		if err != nil {
			return false, err
		}
		wanted = append(wanted, m)
	}
	g.state.offer(wanted, records[len(records)-1].Position, len(records)-len(wanted))
	return true, nil
}

func (g *group) readStream(ctx context.Context, limit int) (more bool, err error) {
	edge := g.service.tail.edge()
	if g.seen >= edge {
		return !g.sleep(g.seen, []string{g.key.Stream}, math.MaxInt64), nil
	}
	h, err := logfile.LoadHead(ctx, g.service.log, g.key.Stream)
	if err != nil {
		return false, err
	}
	low := max(g.state.considered+1, min(h.FirstVisible(), h.Last+1))
	var records []*logfile.Record
	if !h.Tombstoned() {
		page := logfile.StreamPage{Low: low, High: logfile.NoLimit, Until: edge, Limit: limit}
		if records, err = g.service.log.ReadStream(ctx, g.key.Stream, page); err != nil {
			return false, err
		}
	}
	if len(records) == 0 {
		g.seen = edge
		return true, nil
	}
	var wanted []*message
	expired := h.ExpiredBefore(g.service.now())
	for _, r := range records {
		if r.Created < expired {
			continue
		}
		m, err := g.message(ctx, r, r.Revision)
		if err != nil {
			return false, err
		}
		wanted = append(wanted, m)
	}
	g.state.offer(wanted, records[len(records)-1].Revision, len(records)-len(wanted))
	return true, nil
}

// message makes a message of an event. It resolves a link when the settings ask for it.
func (g *group) message(ctx context.Context, r *logfile.Record, place int64) (*message, error) {
	if !g.state.settings.ResolveLinks || r.Kind != linkType {
		return &message{event: r, place: place}, nil
	}
	target, err := g.service.resolve(ctx, r)
	return &message{event: target, link: r, place: place}, err
}

// sleep asks for a wake-up: at the next event of interest after the position given by behind, or when the log reaches the
// position given by due. It returns false when the log has an event after behind already: then nobody wakes the group.
func (g *group) sleep(behind int64, interest []string, due int64) bool {
	g.woken, g.noSleep = g.service.tail.sleep(behind, interest, due)
	return g.woken != nil
}

func (g *group) wakeNoMore() {
	if g.woken != nil {
		g.noSleep()
		g.woken = nil
	}
}

// save starts to write the checkpoint that is due. Only one write runs at a time, so that no older checkpoint replaces a newer
// one.
func (g *group) save(now time.Time) {
	if g.state.done == 0 {
		g.ticking = false
		return
	}
	if !g.ticking {
		g.ticking, g.tick = true, now.Add(g.state.settings.checkpointAfter())
	}
	timeIsUp := !now.Before(g.tick)
	if timeIsUp {
		g.tick = now.Add(max(g.state.settings.checkpointAfter(), 100*time.Millisecond))
	}
	if g.saving {
		return
	}
	before := g.state.checkpoint
	at, due := g.state.due(timeIsUp)
	if !due {
		return
	}
	g.saving = true
	go func() { g.saved <- saved{before: before, err: g.write(at)} }()
}

// write makes a checkpoint durable, in the same commit as the waiting appends.
func (g *group) write(at int64) error {
	return g.service.saveGroup(context.Background(), &logfile.GroupRow{Key: g.key, Checkpoint: at})
}

// finish ends the group: it tells the consumers why, and writes the checkpoint.
func (g *group) finish(reason error) {
	g.wakeNoMore()
	for _, c := range g.state.consumers {
		c.end <- reason
	}
	if g.saving {
		<-g.saved
	}
	if g.state.storing != nil {
		g.state.stored(<-g.stored == nil)
	}
	if g.replay.ending {
		<-g.finished
	}
	if at := g.state.checkpointAt(); at > g.state.checkpoint {
		if err := g.write(at); err != nil {
			g.complain("last checkpoint not written; events are sent again at the next start", err)
		}
		g.state.checkpoint = at
	}
}

// connect adds a consumer. It returns false when the group has its maximum of consumers.
func (g *group) connect(c *consumer) bool {
	if limit := int(g.state.settings.MaxSubscribers); limit > 0 && len(g.state.consumers) >= limit {
		return false
	}
	c.slots = min(max(c.slots, 1), maxSlots)
	c.out = make(chan *message, c.slots)
	c.flights = map[uuid.UUID][]*flight{}
	g.state.consumers = append(g.state.consumers, c)
	return true
}

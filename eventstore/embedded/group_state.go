package embedded

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore/embedded/logfile"
)

// message is an event that a group reads, gives out and waits for an answer to.
type message struct {
	event *logfile.Record // nil when link points to an event that does not exist, or that the consumer may not read
	link  *logfile.Record // the link that was resolved to the event; nil when the event was read without a link
	// revision of the event in the group's stream, or position in the log for a group of the whole log; for a replayed
	// message, the revision of its link in the parked stream
	place    int64
	retries  int32 // how many times the message was given out again
	replayed bool  // the message was parked and is given out again
}

// original is the event whose id consumers acknowledge: the link event where the message was read through a link.
func (m *message) original() *logfile.Record {
	if m.link != nil {
		return m.link
	}
	return m.event
}

// reference returns the data of a link to the message, for parking it. For a replayed message, the link points to its event and
// not to the link under which it was parked before.
func (m *message) reference() string {
	if m.replayed {
		return string(m.link.Data)
	}
	return linkTo(m.original())
}

// source is the stream whose events the strategy Pinned gives to one consumer.
func (m *message) source() string {
	if m.event != nil {
		return m.event.Stream
	}
	stream, _, _ := linkTarget(m.link.Data)
	return stream
}

// flight is a message that was given to a consumer and not answered yet.
type flight struct {
	message *message
	to      *consumer
	due     time.Time // when the message is given out again or parked, unless it is answered; zero: never
	ended   bool
}

// consumer is a connection that receives messages of a group.
type consumer struct {
	out     chan *message // messages to be sent; has room for the maximum of unanswered messages
	slots   int           // maximum of unanswered messages of this consumer
	flights map[uuid.UUID][]*flight
	count   int // number of messages that this consumer was given and has not answered
	end     chan error

	from, user, name string
	given            int64     // number of messages given out since the connection began
	since            time.Time // when the connection began
}

// parked is a message that consumers could not handle, and the reason.
type parked struct {
	message *message
	reason  string
}

// pinBuckets is the number of buckets into which the strategy Pinned sorts streams; each bucket belongs to one consumer.
const pinBuckets = 1024

// groupState decides which message goes to which consumer, and computes the checkpoint. It does no I/O and is used by one
// goroutine; its callers pass the time.
type groupState struct {
	settings  *groupSettings
	consumers []*consumer // in the order of connecting; with RoundRobin, the next consumer to get a message is first
	pins      map[uint32]*consumer

	replays  []*message // parked messages to be given out again
	retries  []*message // returned messages to be given out again, in the order of the stream or log that the group reads
	fresh    []*message // messages that were never given out
	timeline []*flight  // flights (messages that were given out) with a deadline; the earliest deadline is first
	parking  []parked   // messages to be parked; until they are, the checkpoint stays before those that were not replayed
	storing  []parked   // messages whose append to the parked stream is under way

	considered int64 // revision, or position in the log, of the newest event that the group has read, matching or not
	checkpoint int64 // the newest checkpoint whose write was started
	done       int   // number of events finished since the newest checkpoint
	replaying  int   // number of replayed messages that are not finished
	given      int64 // number of messages given out since the group started
}

// hasRoom reports whether some consumer has fewer unanswered messages than its maximum.
func (s *groupState) hasRoom() bool {
	return slices.ContainsFunc(s.consumers, func(c *consumer) bool { return c.count < c.slots })
}

// dispatch gives out messages while consumers can take more of them: first those in the queue retries, then those in
// replays, then those in fresh.
func (s *groupState) dispatch(now time.Time) {
	s.retries = s.giveOut(s.retries, now)
	s.replays = s.giveOut(s.replays, now)
	s.fresh = s.giveOut(s.fresh, now)
}

// giveOut gives out messages from the front of a queue, and returns those that were not given out. With the strategy Pinned, a
// message may be given out before earlier ones whose consumer has its maximum of unanswered messages.
func (s *groupState) giveOut(queue []*message, now time.Time) []*message {
	if len(queue) == 0 || !s.hasRoom() {
		return queue
	}
	var left []*message
	for i, m := range queue {
		if to := s.choose(m); to != nil && s.give(m, to, now) {
			continue
		}
		if s.settings.Strategy != strategyPinned || !s.hasRoom() {
			return append(left, queue[i:]...)
		}
		left = append(left, m)
	}
	return left
}

// choose picks the consumer for a message; nil when every consumer that may get it has its maximum of unanswered messages.
func (s *groupState) choose(m *message) *consumer {
	if s.settings.Strategy == strategyPinned {
		return s.pinned(m)
	}
	for i, c := range s.consumers {
		if c.count >= c.slots {
			continue
		}
		if s.settings.Strategy == strategyRoundRobin { // moved to the end, so that the next message goes to another consumer
			s.consumers = append(slices.Concat(s.consumers[i+1:], s.consumers[:i]), c)
		}
		return c
	}
	return nil
}

// pinned returns the consumer that gets the messages of m's stream as long as it is connected; nil while it has its maximum
// of unanswered messages. A stream belongs to a bucket. A bucket without a consumer goes to the consumer with the fewest
// buckets.
func (s *groupState) pinned(m *message) *consumer {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(m.source())) // a hash never fails
	bucket := sum.Sum32() % pinBuckets
	to := s.pins[bucket]
	if to == nil {
		held := map[*consumer]int{}
		for _, c := range s.pins {
			held[c]++
		}
		to = slices.MinFunc(s.consumers, func(a, b *consumer) int { return held[a] - held[b] })
		s.pins[bucket] = to
	}
	if to.count >= to.slots {
		return nil
	}
	return to
}

// give hands a message to a consumer; false when its channel is full.
func (s *groupState) give(m *message, to *consumer, now time.Time) bool {
	select {
	case to.out <- m:
	default: // the channel is full though count < slots: messages in it were answered or expired before being sent
		return false
	}
	f := &flight{message: m, to: to}
	if timeout := s.settings.messageTimeout(); timeout > 0 {
		f.due = now.Add(timeout)
		s.timeline = append(s.timeline, f)
	}
	id := m.original().ID
	to.flights[id] = append(to.flights[id], f)
	to.count++
	to.given++
	s.given++
	return true
}

// land ends a flight (a message that was given out and not answered): the one of consumer c with the event id. It returns
// that flight, or nil when c has none with this id. When c has several, land ends the oldest.
func (s *groupState) land(c *consumer, id uuid.UUID) *flight {
	flights := c.flights[id]
	if len(flights) == 0 {
		return nil
	}
	f := flights[0]
	if len(flights) == 1 {
		delete(c.flights, id)
	} else {
		c.flights[id] = flights[1:]
	}
	c.count--
	f.ended = true
	return f
}

// ack finishes events that a consumer has handled.
func (s *groupState) ack(c *consumer, ids []uuid.UUID) {
	for _, id := range ids {
		if f := s.land(c, id); f != nil {
			s.finish(f.message)
		}
	}
}

// refusal is what a consumer asks for when it cannot handle an event: retry, park or skip it.
type refusal int

const (
	refusalRetry refusal = iota
	refusalPark
	refusalSkip
)

// nack takes back events that a consumer cannot handle, and does with them what the consumer asks for.
func (s *groupState) nack(c *consumer, ids []uuid.UUID, action refusal, reason string) {
	for _, id := range ids {
		f := s.land(c, id)
		switch {
		case f == nil:
		case action == refusalSkip:
			s.finish(f.message)
		case action == refusalPark:
			s.parking = append(s.parking, parked{f.message, reason})
		default:
			s.retry(f.message, reason)
		}
	}
}

// retry gives a message out again. When its retries are used up, it parks the message.
func (s *groupState) retry(m *message, reason string) {
	if m.retries >= s.settings.MaxRetries {
		s.parking = append(s.parking, parked{m, reason})
		return
	}
	m.retries++
	s.putBack(m)
}

// putBack queues a returned message before all new ones, in the order of the stream or log that the group reads.
func (s *groupState) putBack(m *message) {
	if m.replayed {
		s.replays = slices.Insert(s.replays, 0, m)
		return
	}
	at, _ := slices.BinarySearchFunc(s.retries, m.place, func(other *message, place int64) int {
		return cmp.Compare(other.place, place)
	})
	s.retries = slices.Insert(s.retries, at, m)
}

// expire takes back messages whose deadline has passed. Afterwards the first flight of timeline has the next deadline.
func (s *groupState) expire(now time.Time) {
	for len(s.timeline) > 0 && (s.timeline[0].ended || !s.timeline[0].due.After(now)) {
		f := s.timeline[0]
		s.timeline = s.timeline[1:]
		if !f.ended {
			s.drop(f)
			s.retry(f.message, "the consumer did not answer in time")
		}
	}
}

// drop ends the flight f (a message given out and not answered); another flight with the same event id goes on.
func (s *groupState) drop(f *flight) {
	id := f.message.original().ID
	left := slices.DeleteFunc(f.to.flights[id], func(other *flight) bool { return other == f })
	if f.to.flights[id] = left; len(left) == 0 {
		delete(f.to.flights, id)
	}
	f.to.count--
	f.ended = true
}

// disconnect removes a consumer. Its unanswered messages are queued again at once. That counts as a retry, but a message
// whose retries are used up is not parked for it.
func (s *groupState) disconnect(c *consumer) {
	s.consumers = slices.DeleteFunc(s.consumers, func(other *consumer) bool { return other == c })
	for bucket, to := range s.pins {
		if to == c {
			delete(s.pins, bucket)
		}
	}
	var back []*message
	for _, flights := range c.flights {
		for _, f := range flights {
			f.ended = true
			back = append(back, f.message)
		}
	}
	// in descending order of place, because putBack inserts a replayed message before all others
	slices.SortFunc(back, func(a, b *message) int { return cmp.Compare(b.place, a.place) })
	for _, m := range back {
		m.retries = min(m.retries+1, s.settings.MaxRetries)
		s.putBack(m)
	}
	clear(c.flights)
	c.count = 0
}

// finish counts a message as finished: the checkpoint may move past it.
func (s *groupState) finish(m *message) {
	if m.replayed {
		s.replaying--
		return
	}
	s.done++
}

// stored records whether the append to the parked stream succeeded. If not, it is retried.
func (s *groupState) stored(ok bool) {
	if !ok {
		s.parking = append(s.storing, s.parking...)
	} else {
		for _, p := range s.storing {
			s.finish(p.message)
		}
	}
	s.storing = nil
}

// offer queues the messages wanted, which were read up to considered (a revision of the group's stream or a position in the
// log). unwanted other events were read. The group does not give them out, for example because they do not match its filter
// or have expired, and they count as finished at once.
func (s *groupState) offer(wanted []*message, considered int64, unwanted int) {
	s.fresh = append(s.fresh, wanted...)
	s.considered = max(s.considered, considered)
	s.done += unwanted
}

// checkpointAt returns the revision, or the position in the log, up to which every event is finished.
func (s *groupState) checkpointAt() int64 {
	lowest := s.considered + 1
	if len(s.fresh) > 0 {
		// fresh is in the order of the stream or log, so its first message has the lowest place (revision or position)
		lowest = min(lowest, s.fresh[0].place)
	}
	if len(s.retries) > 0 {
		lowest = min(lowest, s.retries[0].place)
	}
	for _, waiting := range [][]parked{s.parking, s.storing} {
		for _, p := range waiting {
			if !p.message.replayed {
				lowest = min(lowest, p.message.place)
			}
		}
	}
	for _, c := range s.consumers {
		for _, flights := range c.flights {
			for _, f := range flights {
				if !f.message.replayed {
					lowest = min(lowest, f.message.place)
				}
			}
		}
	}
	return lowest - 1
}

// due returns the checkpoint that is to be written, and records it as the newest one. It returns false when fewer than
// MaxCheckpoint events are finished (with timeIsUp: fewer than MinCheckpoint), and when the checkpoint would not move.
func (s *groupState) due(timeIsUp bool) (int64, bool) {
	enough := s.done >= int(s.settings.MaxCheckpoint) || timeIsUp && s.done >= int(s.settings.MinCheckpoint)
	if s.done == 0 || !enough {
		return 0, false
	}
	at := s.checkpointAt()
	if at <= s.checkpoint {
		return 0, false
	}
	s.checkpoint, s.done = at, 0
	return at, true
}

// unanswered counts the messages in flight.
func (s *groupState) unanswered() (count int) {
	for _, c := range s.consumers {
		count += c.count
	}
	return count
}

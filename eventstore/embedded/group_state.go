package embedded

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"
)

// message is an event on its way through a group.
type message struct {
	event    *record // nil when link points to nothing that is there
	link     *record // the link that led to the event, nil when none did
	place    int64   // in the group's source: a revision, or a position of the log; of a replayed message, its revision among the parked
	retries  int32   // how often it was given out and came back
	replayed bool    // it was parked and comes again
}

// original is the event that consumers answer for: the link, when there is one.
func (m *message) original() *record {
	if m.link != nil {
		return m.link
	}
	return m.event
}

// reference is what a link to the message says. A replayed message is parked as the event that it was, not as a link to a link.
func (m *message) reference() string {
	if m.replayed {
		return string(m.link.data)
	}
	return linkTo(m.original())
}

// source is the stream whose events the strategy Pinned gives to one consumer.
func (m *message) source() string {
	if m.event != nil {
		return m.event.stream
	}
	stream, _, _ := linkTarget(m.link.data)
	return stream
}

// flight is a message that a consumer has not answered for.
type flight struct {
	message *message
	to      *consumer
	due     time.Time // when it is taken to be lost; zero: never
	ended   bool
}

// consumer is a connection that takes messages of a group.
type consumer struct {
	out     chan *message // what is to be sent; it has room for all that may be unanswered
	slots   int           // messages that may be unanswered at a time
	flights map[uuid.UUID][]*flight
	count   int // of flights
	end     chan error

	from, user, name string
	given            int64     // messages ever
	since            time.Time // of the connection
}

// parked is a message that consumers could not handle, and why.
type parked struct {
	message *message
	reason  string
}

// pinBuckets is how many parts of the source streams the strategy Pinned gives to consumers.
const pinBuckets = 1024

// groupState decides what a group gives to whom and how far it has come. It reads and writes nothing and is one goroutine's; the times are
// the caller's.
type groupState struct {
	settings  *groupSettings
	consumers []*consumer // in the order in which they came; the next in turn is first for RoundRobin
	pins      map[uint32]*consumer

	replays  []*message // parked ones that come again
	retries  []*message // those that came back, in the order of the source
	fresh    []*message // those that were never given out
	timeline []*flight  // flights with a deadline, in the order of their deadlines
	parking  []parked   // to be parked; they count as not done until that is durable
	storing  []parked   // being parked

	considered int64 // place of the newest event that was read of the source, wanted or not
	checkpoint int64 // the newest that was ordered
	done       int   // events done with since then
	replaying  int   // replayed messages that are not done with
	given      int64 // messages ever
}

// hasRoom reports whether some consumer could take a message.
func (s *groupState) hasRoom() bool {
	return slices.ContainsFunc(s.consumers, func(c *consumer) bool { return c.count < c.slots })
}

// dispatch gives out what there is room for: what came back before what is new.
func (s *groupState) dispatch(now time.Time) {
	s.retries = s.giveOut(s.retries, now)
	s.replays = s.giveOut(s.replays, now)
	s.fresh = s.giveOut(s.fresh, now)
}

// giveOut gives out messages from the front and returns what is left. Pinned messages may pass those whose consumer has no room.
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

// choose picks the consumer that a message goes to; nil when none of those that may have it has room.
func (s *groupState) choose(m *message) *consumer {
	if s.settings.Strategy == strategyPinned {
		return s.pinned(m)
	}
	for i, c := range s.consumers {
		if c.count >= c.slots {
			continue
		}
		if s.settings.Strategy == strategyRoundRobin { // the others come first next time
			s.consumers = append(slices.Concat(s.consumers[i+1:], s.consumers[:i]), c)
		}
		return c
	}
	return nil
}

// pinned is the consumer of a message's stream. A bucket without one goes to who has the fewest.
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

// give hands a message to a consumer; false when its connection is not taking any.
func (s *groupState) give(m *message, to *consumer, now time.Time) bool {
	select {
	case to.out <- m:
	default: // answers came for what was not sent yet, or deadlines passed
		return false
	}
	f := &flight{message: m, to: to}
	if timeout := s.settings.messageTimeout(); timeout > 0 {
		f.due = now.Add(timeout)
		s.timeline = append(s.timeline, f)
	}
	id := m.original().id
	to.flights[id] = append(to.flights[id], f)
	to.count++
	to.given++
	s.given++
	return true
}

// land ends the flight of an event of a consumer and returns it; nil when there is none. Of two with the same id it is the older one.
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

// ack takes events as handled.
func (s *groupState) ack(c *consumer, ids []uuid.UUID) {
	for _, id := range ids {
		if f := s.land(c, id); f != nil {
			s.finish(f.message)
		}
	}
}

// refusal is what a consumer wants to be done with events that it cannot handle.
type refusal int

const (
	refusalRetry refusal = iota
	refusalPark
	refusalSkip
)

// nack takes events back.
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

// retry gives a message out again, or parks one that has come back too often.
func (s *groupState) retry(m *message, reason string) {
	if m.retries >= s.settings.MaxRetries {
		s.parking = append(s.parking, parked{m, reason})
		return
	}
	m.retries++
	s.putBack(m)
}

// putBack puts a message where it is given out before all that are new, in the order of the source.
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

// expire takes back what nobody has answered for in time, and returns when the next deadline is; zero: none.
func (s *groupState) expire(now time.Time) time.Time {
	for len(s.timeline) > 0 {
		f := s.timeline[0]
		if !f.ended && f.due.After(now) {
			return f.due
		}
		s.timeline = s.timeline[1:]
		if !f.ended {
			s.drop(f)
			s.retry(f.message, "the consumer did not answer in time")
		}
	}
	return time.Time{}
}

// drop ends a flight by itself, not by its id.
func (s *groupState) drop(f *flight) {
	id := f.message.original().id
	left := slices.DeleteFunc(f.to.flights[id], func(other *flight) bool { return other == f })
	if f.to.flights[id] = left; len(left) == 0 {
		delete(f.to.flights, id)
	}
	f.to.count--
	f.ended = true
}

// disconnect takes a consumer away. What it has not answered for is given out again at once; that it left counts against no event.
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
	slices.SortFunc(back, func(a, b *message) int { return cmp.Compare(b.place, a.place) }) // replays go to the front one by one
	for _, m := range back {
		m.retries = min(m.retries+1, s.settings.MaxRetries)
		s.putBack(m)
	}
	clear(c.flights)
	c.count = 0
}

// finish counts a message as done with.
func (s *groupState) finish(m *message) {
	if m.replayed {
		s.replaying--
		return
	}
	s.done++
}

// stored says that what was being parked is durable, or that it was not: then it is tried again.
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

// offer adds what was read of the source up to a place. Events that are not wanted are done with.
func (s *groupState) offer(wanted []*message, considered int64, unwanted int) {
	s.fresh = append(s.fresh, wanted...)
	s.considered = max(s.considered, considered)
	s.done += unwanted
}

// checkpointAt is the place up to which everything is done with.
func (s *groupState) checkpointAt() int64 {
	lowest := s.considered + 1
	if len(s.fresh) > 0 {
		lowest = min(lowest, s.fresh[0].place) // of Pinned, too: what is left keeps its order
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

// due returns the checkpoint that is due: after many events at once, after some when their time has come. False when none is.
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

// unanswered is how many messages consumers have.
func (s *groupState) unanswered() (count int) {
	for _, c := range s.consumers {
		count += c.count
	}
	return count
}

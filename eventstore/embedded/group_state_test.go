package embedded

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore/embedded/logfile"
)

// TestGroup has a row for each rule of persistent subscriptions (Design §5; what a genuine server's own tests hold).
func TestGroup(t *testing.T) {
	t.Parallel()
	often := groupSettings{MaxRetries: 2, MinCheckpoint: 2, MaxCheckpoint: 3, MessageTimeoutMS: 1000}
	single, pinned := often, often
	single.Strategy, pinned.Strategy = strategySingle, strategyPinned
	for _, row := range []struct {
		name     string
		settings groupSettings
		do       func(s *scenario)
	}{
		{"two clients in turn", often, func(s *scenario) {
			s.join("x", 5)
			s.join("y", 5)
			s.read(4)
			s.gets("x", "0 2")
			s.gets("y", "1 3")
		}},
		{"a client that has no room is passed by", often, func(s *scenario) {
			s.join("x", 1)
			s.join("y", 5)
			s.read(4)
			s.gets("x", "0")
			s.gets("y", "1 2 3")
		}},
		{"one client as long as it has room", single, func(s *scenario) {
			s.join("x", 3)
			s.join("y", 5)
			s.read(4)
			s.gets("x", "0 1 2")
			s.gets("y", "3")
			s.acks("x", 0)
			s.read(1)
			s.gets("x", "4")
		}},
		{"a stream to the same client", pinned, func(s *scenario) {
			s.join("x", 5)
			s.join("y", 5)
			s.read(6, "a", "b")
			s.gets("x", "0 2 4")
			s.gets("y", "1 3 5")
			s.leave("x")
			s.gets("y", "0+1 2+1")
		}},
		{"a pinned stream waits, the others pass", pinned, func(s *scenario) {
			s.join("x", 1)
			s.join("y", 5)
			s.read(6, "a", "b")
			s.gets("x", "0")
			s.gets("y", "1 3 5")
			s.checks(true, none)
			s.acks("x", 0)
			s.gets("x", "2")
		}},
		{"nobody is given more than it has room for", often, func(s *scenario) {
			s.join("x", 2)
			s.read(5)
			s.gets("x", "0 1")
			s.acks("x", 1)
			s.gets("x", "2")
		}},
		{"unknown ids change nothing", often, func(s *scenario) {
			s.join("x", 2)
			s.read(3)
			s.acks("x", 2)
			s.ack(s.came["x"], []uuid.UUID{uuid.New()})
			s.gets("x", "0 1")
			if s.done != 0 {
				s.Errorf("%d are done with", s.done)
			}
		}},
		{"of two events with one id the older lands first", often, func(s *scenario) {
			s.join("x", 3)
			s.read(1)
			twin := &logfile.Record{ID: s.events[0].ID, Stream: "a", Revision: 1}
			s.events = append(s.events, twin)
			s.offer([]*message{{event: twin, place: 1}}, 1, 0)
			s.dispatch(s.now)
			s.gets("x", "0 1")
			s.acks("x", 0)
			if at := s.checkpointAt(); at != 0 {
				s.Errorf("done with up to %d, want 0", at)
			}
			s.acks("x", 0)
			if at := s.checkpointAt(); at != 1 {
				s.Errorf("done with up to %d, want 1", at)
			}
		}},
		{"what came back comes before what is new", often, func(s *scenario) {
			s.join("x", 2)
			s.read(4)
			s.gets("x", "0 1")
			s.nacks("x", refusalRetry, 1)
			s.nacks("x", refusalRetry, 0)
			s.gets("x", "1+1 0+1")
			s.acks("x", 0, 1)
			s.gets("x", "2 3")
		}},
		{"parked after too many retries", often, func(s *scenario) {
			s.join("x", 1)
			s.read(2)
			s.gets("x", "0")
			s.nacks("x", refusalRetry, 0)
			s.gets("x", "0+1")
			s.nacks("x", refusalRetry, 0)
			s.gets("x", "0+2")
			s.nacks("x", refusalRetry, 0)
			s.parks("0@a")
			s.gets("x", "1")
		}},
		{"parked at once", often, func(s *scenario) {
			s.join("x", 2)
			s.read(2)
			s.nacks("x", refusalPark, 0)
			s.parks("0@a")
			s.gets("x", "0 1")
		}},
		{"skipped", often, func(s *scenario) {
			s.join("x", 2)
			s.read(2)
			s.nacks("x", refusalSkip, 0, 1)
			s.parks("")
			s.gets("x", "0 1")
			s.checks(true, 1)
		}},
		{"given out again after the time-out, then parked", often, func(s *scenario) {
			s.join("x", 1)
			s.read(1)
			s.gets("x", "0")
			s.after(999 * time.Millisecond)
			s.gets("x", "")
			s.after(time.Millisecond)
			s.gets("x", "0+1")
			s.after(time.Second)
			s.gets("x", "0+2")
			s.after(time.Second)
			s.parks("0@a")
			if c := s.came["x"]; c.count != 0 || len(c.flights) != 0 {
				s.Errorf("the client has %d messages, %v", c.count, c.flights)
			}
		}},
		{"several time out together", often, func(s *scenario) {
			s.join("x", 3)
			s.read(3)
			s.gets("x", "0 1 2")
			s.acks("x", 1)
			s.after(time.Second)
			s.gets("x", "0+1 2+1")
		}},
		{"an answer that comes too late counts for the repetition", often, func(s *scenario) {
			s.join("x", 1)
			s.read(1)
			s.gets("x", "0")
			s.after(time.Second)
			s.acks("x", 0)
			if s.unanswered() != 0 || s.done != 1 {
				s.Errorf("%d unanswered, %d done with", s.unanswered(), s.done)
			}
		}},
		{"room again after what was timed out and parked", groupSettings{MessageTimeoutMS: 1000}, func(s *scenario) {
			s.join("x", 2)
			s.read(4)
			s.gets("x", "0 1")
			s.after(time.Second)
			s.parks("0@a 1@a")
			s.gets("x", "2 3")
		}},
		{"room again after what was refused", often, func(s *scenario) {
			s.join("x", 2)
			s.read(5)
			s.gets("x", "0 1")
			s.nacks("x", refusalPark, 0)
			s.nacks("x", refusalSkip, 1)
			s.gets("x", "2 3")
		}},
		{"no time-out", groupSettings{MaxRetries: 1}, func(s *scenario) {
			s.join("x", 1)
			s.read(1)
			s.gets("x", "0")
			s.after(1000 * time.Hour)
			s.gets("x", "")
		}},
		{"a client that leaves: its events go to the others, in order, before new ones", often, func(s *scenario) {
			s.join("x", 2)
			s.join("y", 2)
			s.read(6)
			s.gets("x", "0 2")
			s.gets("y", "1 3")
			s.leave("x")
			s.acks("y", 1, 3)
			s.gets("y", "0+1 2+1")
		}},
		{"leaving parks nothing", often, func(s *scenario) {
			s.read(1)
			for range 5 {
				s.join("x", 1)
				s.leave("x")
			}
			s.parks("")
			s.join("x", 1)
			s.gets("x", "0+2")
		}},
		{"no checkpoint before the maximum", often, func(s *scenario) {
			s.join("x", 5)
			s.read(5)
			s.acks("x", 0, 1)
			s.checks(false, none)
			s.acks("x", 2)
			s.checks(false, 2)
			s.checks(false, none)
		}},
		{"a checkpoint on time when there is enough for one", often, func(s *scenario) {
			s.join("x", 5)
			s.read(5)
			s.acks("x", 0)
			s.checks(true, none)
			s.acks("x", 1)
			s.checks(true, 1)
		}},
		{"event 0 can be the checkpoint", groupSettings{MinCheckpoint: 1, MaxCheckpoint: 1}, func(s *scenario) {
			s.join("x", 5)
			s.read(2)
			s.acks("x", 0)
			s.checks(false, 0)
		}},
		{"a checkpoint leaves out what is not answered", often, func(s *scenario) {
			s.join("x", 5)
			s.read(5)
			s.acks("x", 0, 2, 3, 4)
			s.checks(false, 0)
			s.acks("x", 1)
			s.checks(true, none) // one is not enough
		}},
		{"a checkpoint leaves out what came back", often, func(s *scenario) {
			s.join("x", 5)
			s.read(5)
			s.leave("x")
			s.skip(3)
			s.checks(false, none)
		}},
		{"a checkpoint leaves out what is being parked", often, func(s *scenario) {
			s.join("x", 5)
			s.read(4)
			s.nacks("x", refusalPark, 0)
			s.acks("x", 1, 2, 3)
			s.checks(false, none)
			s.parks("0@a")
			s.checks(false, 3)
		}},
		{"what could not be parked is tried again", often, func(s *scenario) {
			s.join("x", 5)
			s.read(1)
			s.nacks("x", refusalPark, 0)
			s.storing, s.parking = s.parking, nil
			s.stored(false)
			s.checks(true, none)
			s.parks("0@a")
		}},
		{"a checkpoint leaves out what was not given out yet", often, func(s *scenario) {
			s.read(5)
			s.skip(3)
			s.checks(false, none)
		}},
		{"events that the filter leaves out count", often, func(s *scenario) {
			s.join("x", 5)
			s.skip(2)
			s.checks(false, none)
			s.checks(true, 1)
			s.skip(3)
			s.checks(false, 4)
		}},
		{"some left out, some answered, enough together", often, func(s *scenario) {
			s.join("x", 5)
			s.read(1)
			s.skip(1)
			s.read(1)
			s.acks("x", 0, 2)
			s.checks(false, 2)
		}},
		{"a checkpoint on time when nobody is connected any more", often, func(s *scenario) {
			s.join("x", 5)
			s.read(3)
			s.acks("x", 0, 1)
			s.leave("x")
			s.checks(true, 1)
		}},
		{"many left out, one unanswered: no checkpoint behind it", often, func(s *scenario) {
			s.join("x", 5)
			s.read(1)
			s.skip(10)
			s.checks(false, none)
			s.acks("x", 0)
			s.checks(false, 10)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.do(newScenario(t, row.settings))
		})
	}
}

// TestGroup_random plays random groups: no event is lost, none is answered for twice by the count, and the checkpoint never passes one
// that is not done with.
func TestGroup_random(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		playGroup(t, seed)
	}
}

package embedded

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// playGroup lets random consumers come, answer, fail and leave, and holds a group against a plain list of what is done with.
func playGroup(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 24))
	s := newScenario(t, groupSettings{
		MaxRetries: int32(random.IntN(4)), MinCheckpoint: 1, MaxCheckpoint: int32(1 + random.IntN(10)), MessageTimeoutMS: int64(random.IntN(3)) * 500,
		Strategy: []string{strategyRoundRobin, strategySingle, strategyPinned}[random.IntN(3)],
	})
	done := map[int64]bool{}
	inHand := map[string][]int64{} // what a consumer was given and has not answered for
	next := 0
	checkpoint := func() {
		at, due := s.due(random.IntN(2) == 0)
		for place := int64(0); due && place <= at; place++ {
			if !done[place] {
				t.Fatalf("seed %d: the checkpoint is %d, and %d is not done with", seed, at, place)
			}
		}
	}
	parkAll := func() {
		for _, p := range s.parking {
			done[p.message.place] = true
		}
		s.storing, s.parking = s.parking, nil
		s.stored(true)
	}
	take := func(name string) {
		c := s.came[name]
		for len(c.out) > 0 {
			m := <-c.out
			if _, flying := c.flights[m.event.ID]; !flying {
				continue // it has timed out before it was sent, and somebody else has it
			}
			if done[m.place] {
				t.Fatalf("seed %d: event %d is given out after it was done with", seed, m.place)
			}
			inHand[name] = append(inHand[name], m.place)
		}
	}
	answer := func(name string) {
		take(name)
		held := inHand[name]
		if len(held) == 0 {
			return
		}
		at := random.IntN(len(held))
		place := held[at]
		inHand[name] = append(held[:at:at], held[at+1:]...)
		if _, flying := s.came[name].flights[s.events[place].ID]; !flying {
			return // it has timed out; somebody else has it
		}
		switch action := random.IntN(6); action {
		case 0:
			s.nacks(name, refusalRetry, int(place))
		case 1:
			s.nacks(name, refusalPark, int(place))
		case 2:
			done[place] = true
			s.nacks(name, refusalSkip, int(place))
		default:
			done[place] = true
			s.acks(name, int(place))
		}
	}
	for range 300 {
		switch random.IntN(10) {
		case 0:
			s.read(1+random.IntN(5), "a", "b", "c", "d")
		case 1:
			for range 1 + random.IntN(3) {
				done[int64(len(s.events))] = true
				s.skip(1)
			}
		case 2:
			if len(s.consumers) < 4 {
				next++
				s.join(fmt.Sprint(next), 1+random.IntN(5))
			}
		case 3:
			if name := anyOf(random, s); name != "" && random.IntN(3) == 0 {
				s.leave(name)
				delete(inHand, name)
				delete(s.came, name)
			}
		case 4:
			s.after(time.Duration(random.IntN(600)) * time.Millisecond)
		case 5:
			parkAll()
		default:
			if name := anyOf(random, s); name != "" {
				answer(name)
			}
		}
		checkpoint()
	}
	// Whoever is there in the end answers for everything.
	s.join("last", 1000)
	for name := range s.came {
		if name != "last" {
			s.leave(name)
		}
	}
	for range 3 {
		c := s.came["last"]
		for len(c.out) > 0 {
			m := <-c.out
			done[m.place] = true
			s.acks("last", int(m.place))
		}
		parkAll()
	}
	if at := s.checkpointAt(); at != int64(len(s.events)-1) || len(done) != len(s.events) {
		t.Fatalf("seed %d: of %d events %d are done with, up to %d", seed, len(s.events), len(done), at)
	}
}

func anyOf(random *rand.Rand, s *scenario) string {
	for name, c := range s.came {
		for _, there := range s.consumers {
			if there == c && random.IntN(2) == 0 {
				return name
			}
		}
	}
	return ""
}

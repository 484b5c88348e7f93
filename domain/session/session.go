// Package session remembers which sessions of the console were ended before their time. What remembers them is an aggregate: a
// key, or the roster of operators.
package session

import "time"

// most is how many ended sessions are remembered one by one.
const most = 1000

// One is a session that somebody has ended.
type One struct {
	ID    string
	Began time.Time
	Until time.Time // when it would have ended by itself
	At    time.Time // when it was ended
}

// Ended are the sessions that were ended before their time. The zero Ended has none.
type Ended struct {
	one   map[string]One // by their ids
	floor time.Time      // every session that began no later has ended
}

// Add remembers one, and forgets those that would have ended by now anyway. When there are too many, the oldest and all that
// began before it count as ended.
func (s *Ended) Add(e One) {
	if s.one == nil {
		s.one = map[string]One{}
	}
	for id, other := range s.one {
		if !other.Until.After(e.At) {
			delete(s.one, id)
		}
	}
	s.one[e.ID] = e
	if len(s.one) <= most {
		return
	}
	oldest := e
	for _, other := range s.one {
		if other.Began.Before(oldest.Began) {
			oldest = other
		}
	}
	delete(s.one, oldest.ID)
	if oldest.Began.After(s.floor) {
		s.floor = oldest.Began
	}
}

// Has says whether the session with an id, begun at a time, was ended.
func (s *Ended) Has(id string, began time.Time) bool {
	_, ended := s.one[id]
	return ended || !began.After(s.floor)
}

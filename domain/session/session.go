// Package session records which console sessions were ended before they expired. The record is a part of the aggregate that the
// session began with: a key, or the roster of operators.
package session

import "time"

// most is the maximum of ended sessions that are recorded individually.
const most = 1000

// One is a session that was ended before it expired.
type One struct {
	ID    string
	Began time.Time
	Until time.Time // when it would have expired
	At    time.Time // when it was ended
}

// Ended are the sessions that were ended before they expired. The zero Ended has none.
type Ended struct {
	one   map[string]One // by session id
	floor time.Time      // every session that began at this time or before counts as ended
}

// Add records an ended session, and removes those that would have expired by now. When there are more than most, the oldest one
// is removed, and it counts as ended together with all sessions that began before it.
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

// Has reports whether the session with an id, which began at a time, was ended.
func (s *Ended) Has(id string, began time.Time) bool {
	_, ended := s.one[id]
	return ended || !began.After(s.floor)
}

// Package session records which console sessions were ended before they expired. The record is a part of the aggregate with
// which the session began: a key, or the roster of operators.
package session

import "time"

// most is the maximum number of ended sessions that are recorded individually.
const most = 1000

// One is a session that was ended before it expired.
type One struct {
	ID    string
	Began time.Time
	Until time.Time // when the session would have expired
	At    time.Time // when the session was ended
}

// Ended are the sessions that were ended before they expired. The zero Ended has none.
type Ended struct {
	one   map[string]One // ended sessions by their ids
	floor time.Time      // every session that began at this time or before counts as ended
}

// Add records that the session e was ended. It also removes recorded sessions that would have expired by now. If more than
// `most` sessions are recorded then, Add removes the one that began first. To be safe, all sessions that began no later
// than the removed one count as ended from then on.
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

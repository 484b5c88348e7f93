package key

import (
	"time"

	"moviola/domain"
)

// maxEnded is how many ended sessions a key remembers one by one.
const maxEnded = 1000

// endedSessions are the sessions of a key that were ended before their time.
type endedSessions struct {
	one   map[string]SessionEnded // by their ids
	floor time.Time               // every session that began no later has ended
}

// add remembers one, and forgets those that would have ended by now anyway. When there are too many, the oldest and all that
// began before it count as ended.
func (s *endedSessions) add(e SessionEnded) {
	if s.one == nil {
		s.one = map[string]SessionEnded{}
	}
	for id, other := range s.one {
		if !other.Until.After(e.At) {
			delete(s.one, id)
		}
	}
	s.one[e.Session] = e
	if len(s.one) <= maxEnded {
		return
	}
	oldest := e
	for _, other := range s.one {
		if other.Began.Before(oldest.Began) {
			oldest = other
		}
	}
	delete(s.one, oldest.Session)
	if oldest.Began.After(s.floor) {
		s.floor = oldest.Began
	}
}

// Ended says whether the session with an id, begun at a time, was ended.
func (k *Key) Ended(session string, began time.Time) bool {
	_, ended := k.sessions.one[session]
	return ended || !began.After(k.sessions.floor)
}

// EndSession ends a session of the key. It decides nothing when the session was ended before.
func (k *Key) EndSession(id string, e SessionEnded) ([]domain.Event, error) {
	switch {
	case !k.exists():
		return nil, domain.Errorf(domain.NotFound, "key_not_found", "Key %s not found", id)
	case k.Ended(e.Session, e.Began):
		return nil, nil
	}
	return []domain.Event{e}, nil
}

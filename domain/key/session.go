package key

import (
	"time"

	"moviola/domain"
)

// Ended reports whether the session with an id, begun at a time, was ended.
func (k *Key) Ended(session string, began time.Time) bool { return k.sessions.Has(session, began) }

// EndSession ends a session of the key. It returns no event when the session was ended before.
func (k *Key) EndSession(id string, e SessionEnded) ([]domain.Event, error) {
	switch {
	case !k.exists():
		return nil, domain.Errorf(domain.NotFound, "key_not_found", "Key %s not found", id)
	case k.Ended(e.Session, e.Began):
		return nil, nil
	}
	return []domain.Event{e}, nil
}

// Package idempotency holds the idempotency keys of clients: a repeated request with the same key gets the project of the
// first request. Decision 25.
package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

const (
	// remembered is how long an idempotency key is bound to its first request.
	remembered = 24 * time.Hour
	// underWay is the maximum time between the reservation of an idempotency key for a request and the submission of the
	// request's movie.
	underWay = time.Minute
	// maxKeyLength is the maximum length of an idempotency key in code points.
	maxKeyLength = 255
)

// Reserved binds a key to a project.
type Reserved struct {
	Project  domain.ProjectID `json:"project"`
	BodyHash string           `json:"body_hash" personal:"no"` // hex SHA-256 of the request body
	At       time.Time        `json:"at"`
}

// EventType is the persisted name.
func (Reserved) EventType() string { return "IdempotencyKeyReserved" }

// EventKey returns what distinguishes the event from others of its type in the same stream.
func (e Reserved) EventKey() string { return string(e.Project) }

// StreamCategory is the part of the names of idempotency streams before the first dash.
const StreamCategory = "idempotency"

// Stream names the stream of one key of an account. The name contains a hash, not the key that the client chose.
func Stream(account domain.AccountID, key string) string {
	hash := sha256.Sum256([]byte(key))
	return StreamCategory + "-" + string(account) + "." + hex.EncodeToString(hash[:])
}

// CheckKey refuses a key that is too long.
func CheckKey(key string) error {
	if utf8.RuneCountInString(key) <= maxKeyLength {
		return nil
	}
	return domain.Errorf(domain.Invalid, "idempotency_key_invalid", "Idempotency-Key must be 1 to %d characters", maxKeyLength)
}

// Key is one key of an account, folded from its stream.
type Key struct{ last Reserved }

// Apply folds one event.
func (k *Key) Apply(event domain.Event) {
	if e, ok := event.(Reserved); ok {
		k.last = e
	}
}

// Reservation returns the reservation that binds the key to a project at the time now. It returns false when the key has no
// reservation, or the reservation has expired.
func (k *Key) Reservation(now time.Time) (Reserved, bool) {
	return k.last, k.last.Project != "" && now.Before(k.last.At.Add(remembered))
}

// Fate is the state of the movie for which a key is reserved.
type Fate int

// The states of the movie for which a key is reserved.
const (
	Missing   Fate = iota // the movie has not been submitted yet
	Accepted              // the movie was submitted: the request was answered with success
	Abandoned             // the submission was abandoned: the movie can no longer be submitted
)

// Reserve binds the key to a project. An existing reservation for the same body stays, so that both requests take the same
// steps for the same project; fate is the state of that project's movie. A reservation that has expired, or whose movie was
// abandoned, is renewed. A request with another body is refused, unless the movie of the first request is still missing
// after the time underWay.
func (k *Key) Reserve(project domain.ProjectID, bodyHash string, fate Fate, now time.Time) ([]domain.Event, error) {
	renewed := []domain.Event{Reserved{Project: project, BodyHash: bodyHash, At: now}}
	have, live := k.Reservation(now)
	switch {
	case !live || fate == Abandoned:
		return renewed, nil
	case have.BodyHash == bodyHash:
		return nil, nil
	case fate == Missing && !now.Before(have.At.Add(underWay)):
		return renewed, nil
	}
	return nil, domain.Errorf(domain.Conflict, "idempotency_key_reused", "This Idempotency-Key was used with another movie")
}

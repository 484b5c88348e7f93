// Package key holds the API keys of accounts: their form, their roles, and when they are valid. The events of a key hold its
// SHA-256, by which it is recognised, and not the key itself. Decision 49; spec: Authentication.
package key

import (
	"crypto/subtle"
	"strings"
	"time"
	"unicode/utf8"

	"moviola/domain"
	"moviola/domain/session"
)

// maxNameLength is the maximum length of a name, in code points.
const maxNameLength = 100

// ranks orders the roles: each role may do all that lower ones may. Spec: Authentication 3.
var ranks = map[Role]int{Viewer: 1, Render: 2, Editor: 3, Manager: 4, Admin: 5}

// ParseRole returns the role with the given name. An unknown name is refused.
func ParseRole(name string) (Role, error) {
	if _, ok := ranks[Role(name)]; ok {
		return Role(name), nil
	}
	return "", domain.Errorf(domain.Invalid, "role_invalid", "role must be viewer, render, editor, manager or admin")
}

// AtLeast reports whether the role has all rights of another. An unknown role has no rights.
func (r Role) AtLeast(other Role) bool { return ranks[r] > 0 && ranks[r] >= ranks[other] }

// ParseLegacy returns the legacy kind with the given name, and the role that a key of this kind has.
func ParseLegacy(name string) (Legacy, Role, error) {
	switch kind := Legacy(name); kind {
	case Primary:
		return kind, Admin, nil
	case Secondary:
		return kind, Render, nil
	}
	return "", "", domain.Errorf(domain.Invalid, "legacy_invalid", "legacy must be primary or secondary")
}

// Key is one API key.
type Key struct {
	issued    Issued // the event by which the key was issued; zero before that
	revokedAt *time.Time
	sessions  session.Ended
}

// New returns a key without history.
func New() *Key { return &Key{} }

// Apply folds one event of the key's stream.
func (k *Key) Apply(event domain.Event) {
	switch e := event.(type) {
	case Issued:
		k.issued = e
	case Revoked:
		k.revokedAt = &e.At
	case SessionEnded:
		k.sessions.Add(session.One{ID: e.Session, Began: e.Began, Until: e.Until, At: e.At})
	}
}

// Issued returns the event by which the key was issued; zero before that.
func (k *Key) Issued() Issued { return k.issued }

// RevokedAt returns when the key was revoked, or nil when it was not revoked.
func (k *Key) RevokedAt() *time.Time { return k.revokedAt }

// Opens reports whether the key with a hash gives access at a time: the hash is this key's, and the key is neither revoked
// nor expired. The comparison takes constant time. Decision 49.
func (k *Key) Opens(hash string, now time.Time) bool {
	same := subtle.ConstantTimeCompare([]byte(k.issued.Hash), []byte(hash)) == 1
	return same && k.Valid(now)
}

// Valid reports whether the key gives access at a time to its holder.
func (k *Key) Valid(now time.Time) bool {
	return k.exists() && k.revokedAt == nil && (k.issued.ExpiresAt == nil || now.Before(*k.issued.ExpiresAt))
}

func (k *Key) exists() bool { return k.issued.Hash != "" }

// Issue makes the key valid. i.At is the time of issue; i.ExpiresAt must be later, if it is set. Issue checks name and role.
// The caller sets i.Hash to the hash of the key.
func (k *Key) Issue(i Issued) ([]domain.Event, error) {
	i.Name = strings.TrimSpace(i.Name)
	if i.Legacy != "" {
		_, role, err := ParseLegacy(string(i.Legacy))
		if err != nil {
			return nil, err
		}
		i.Role = role
	}
	if _, err := ParseRole(string(i.Role)); err != nil {
		return nil, err
	}
	switch {
	case k.exists():
		return nil, domain.Errorf(domain.Conflict, "key_exists", "This key already exists")
	case i.Name == "":
		return nil, domain.Errorf(domain.Invalid, "name_required", "name is required")
	case utf8.RuneCountInString(i.Name) > maxNameLength:
		return nil, domain.Errorf(domain.Invalid, "name_too_long", "name must be at most %d characters", maxNameLength)
	case i.ExpiresAt != nil && !i.ExpiresAt.After(i.At):
		return nil, domain.Errorf(domain.Invalid, "expires_at_invalid", "expires_at must be in the future")
	}
	return []domain.Event{i}, nil
}

// Revoke ends the key. An account can revoke its own keys only: a key of another account is NotFound (decision 6). An empty
// account means the operator. It returns no event when the key was revoked before.
func (k *Key) Revoke(id string, account domain.AccountID, now time.Time) ([]domain.Event, error) {
	switch {
	case !k.exists(), account != "" && k.issued.Account != account:
		return nil, domain.Errorf(domain.NotFound, "key_not_found", "Key %s not found", id)
	case k.revokedAt != nil:
		return nil, nil
	}
	return []domain.Event{Revoked{At: now}}, nil
}

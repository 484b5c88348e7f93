package operator

import (
	"maps"
	"slices"
	"strings"
	"time"

	"moviola/domain"
	"moviola/domain/session"
)

// SignedIn records that a person has signed in to the operators' console. It lets owners see which sessions are open, and end
// them. A session is valid without this record, too.
type SignedIn struct {
	Session string `json:"session" personal:"no"` // id of the session
	// By is the id of what the person signed in with: a token, or the identity provider's configuration.
	By   string `json:"by" personal:"no"`
	Name string `json:"name" personal:"no"` // name of the operator; empty: the person used the configured token
	Role Role   `json:"role"`
	// Issuer and Subject identify the person at the identity provider; empty: the person used a token.
	Issuer  string    `json:"issuer,omitempty" personal:"no"`
	Subject string    `json:"subject,omitempty" personal:"no"`
	Began   time.Time `json:"began"`
	Until   time.Time `json:"until"` // when the session expires
}

// EventType is the persisted name.
func (SignedIn) EventType() string { return "OperatorSignedIn" }

// EventKey distinguishes the event from others of its type in the same stream.
func (s SignedIn) EventKey() string { return "signed in/" + s.Session }

// mostSessions is the maximum number of open sessions that are listed. A further session replaces the oldest one in the list.
const mostSessions = 1000

// signedIn adds a session, and removes the sessions that had expired when this session began.
func (r *Roster) signedIn(e SignedIn) {
	if r.open == nil {
		r.open = map[string]SignedIn{}
	}
	maps.DeleteFunc(r.open, func(_ string, other SignedIn) bool { return !other.Until.After(e.Began) })
	r.open[e.Session] = e
	if len(r.open) > mostSessions {
		oldest := slices.MinFunc(slices.Collect(maps.Values(r.open)), bySignIn)
		delete(r.open, oldest.Session)
	}
}

func bySignIn(a, b SignedIn) int {
	if order := a.Began.Compare(b.Began); order != 0 {
		return order
	}
	return strings.Compare(a.Session, b.Session)
}

func (r *Roster) signedOut(e SignedOut) {
	delete(r.open, e.Session)
	r.ended.Add(session.One{ID: e.Session, Began: e.Began, Until: e.Until, At: e.At})
}

// Sessions returns the sessions of the console that are open at a time, the newest first. It leaves out those of operators'
// own tokens that are no longer valid.
func (r *Roster) Sessions(at time.Time) []SignedIn {
	var all []SignedIn
	for _, one := range r.open {
		_, held := r.WithID(one.By)
		byToken := one.Name != "" && one.Issuer == ""
		if one.Until.After(at) && (held || !byToken) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b SignedIn) int { return bySignIn(b, a) })
	return all
}

// SignIn begins a session of the console. It ends the session that the browser had before; nil: the browser had none.
func (r *Roster) SignIn(e SignedIn, before *SignedOut) []domain.Event {
	if before == nil {
		return []domain.Event{e}
	}
	return append(r.SignOut(*before), e)
}

// ErrNoSession refuses the id of a session that is not open.
var ErrNoSession = domain.Errorf(domain.NotFound, "session_not_found", "There is no open session with this id")

// EndSession ends an open session of the console.
func (r *Roster) EndSession(id string, at time.Time) ([]domain.Event, error) {
	one, ok := r.open[id]
	if !ok || !one.Until.After(at) {
		return nil, ErrNoSession
	}
	return r.SignOut(SignedOut{Session: id, Began: one.Began, Until: one.Until, At: at}), nil
}

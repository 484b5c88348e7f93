package operator

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"moviola/domain"
	"moviola/domain/session"
)

// Role determines what an operator may do. Each role may do everything that the roles before it may do.
type Role string

// The roles. The token of the installation's configuration has role Owner.
const (
	Observer Role = "observer" // may only read
	Acting   Role = "operator" // may also act on accounts, credits, keys, stuck work and the library of templates
	Owner    Role = "owner"    // may also add and revoke operators
)

var roles = []Role{Observer, Acting, Owner}

// AtLeast reports whether the role may do everything that another role may do.
func (r Role) AtLeast(other Role) bool {
	return slices.Contains(roles, r) && slices.Index(roles, r) >= slices.Index(roles, other)
}

// The form of an operator's own token.
const (
	tokenPrefix = "mo_"
	tokenLength = 40
)

// GenerateToken makes a new random token. random is its source of random bytes.
func GenerateToken(random io.Reader) (string, error) {
	text, err := domain.RandomText(random, tokenLength)
	if err != nil {
		return "", fmt.Errorf("draw an operator's token: %w", err)
	}
	return tokenPrefix + text, nil
}

// IsToken reports whether a text has the form of an operator's token.
func IsToken(s string) bool {
	text, ok := strings.CutPrefix(s, tokenPrefix)
	return ok && len(text) == tokenLength && domain.IsBase62(text)
}

// Hash returns the hex SHA-256 of a token. Only the hash is stored.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// RosterStream names the stream of the operators.
const RosterStream = "operators-roster"

// Added records that an operator has a token: a new operator, or one whose token was renewed.
type Added struct {
	Name string    `json:"name" personal:"no"`
	Role Role      `json:"role"`
	Hash string    `json:"hash" personal:"no"` // hash of the operator's token
	At   time.Time `json:"at"`
}

// EventType is the persisted name.
func (Added) EventType() string { return "OperatorAdded" }

// EventKey distinguishes the event from others of its type in the same stream.
func (a Added) EventKey() string { return "added/" + a.Hash }

// Revoked records that an operator's token is no longer valid.
type Revoked struct {
	Name string    `json:"name" personal:"no"`
	Hash string    `json:"hash" personal:"no"` // hash of the token that is no longer valid
	At   time.Time `json:"at"`
}

// EventType is the persisted name.
func (Revoked) EventType() string { return "OperatorRevoked" }

// EventKey distinguishes the event from others of its type in the same stream.
func (r Revoked) EventKey() string { return "revoked/" + r.Hash }

// mostOperators is the maximum number of operators at the same time.
const mostOperators = 200

// mostName is the maximum number of characters of an operator's name.
const mostName = 64

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]*$`)

// CheckName refuses an invalid name of an operator. It also refuses a token given as a name, because names are recorded and
// shown.
func CheckName(name string) error {
	if len(name) > mostName || !nameForm.MatchString(name) || IsToken(name) {
		return domain.Errorf(domain.Invalid, "name_invalid",
			"name must begin with a letter or digit and have up to 64 letters, digits, dots, @, - and _; a token is no name")
	}
	return nil
}

// Check refuses an invalid name or role.
func Check(name string, role Role) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if !role.AtLeast(Observer) {
		return domain.Errorf(domain.Invalid, "role_invalid", "role must be observer, operator or owner")
	}
	return nil
}

// SignedOut records that a session of the operators' console was ended before it expired.
type SignedOut struct {
	Session string    `json:"session" personal:"no"` // id of the session
	Began   time.Time `json:"began"`
	Until   time.Time `json:"until"` // when the session would have expired
	At      time.Time `json:"at"`
}

// EventType is the persisted name.
func (SignedOut) EventType() string { return "OperatorSignedOut" }

// EventKey distinguishes the event from others of its type in the same stream.
func (s SignedOut) EventKey() string { return "signed out/" + s.Session }

// Roster is the state of the operators, folded from their stream.
type Roster struct {
	in    []Added
	open  map[string]SignedIn // sessions of the console, by id; an expired session stays until the next sign-in
	ended session.Ended
}

// Apply folds an event into the roster.
func (r *Roster) Apply(event domain.Event) {
	switch e := event.(type) {
	case Added:
		r.in = append(r.in, e)
	case Revoked:
		r.in = slices.DeleteFunc(r.in, func(a Added) bool { return a.Name == e.Name })
	case SignedIn:
		r.signedIn(e)
	case SignedOut:
		r.signedOut(e)
	}
}

// All returns the operators, sorted by name.
func (r *Roster) All() []Added {
	all := slices.Clone(r.in)
	slices.SortFunc(all, func(a, b Added) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Holder returns the operator whose token has a hash. The time of the comparisons reveals nothing about stored hashes.
func (r *Roster) Holder(hash string) (Added, bool) {
	at := slices.IndexFunc(r.in, func(a Added) bool { return subtle.ConstantTimeCompare([]byte(a.Hash), []byte(hash)) == 1 })
	if at < 0 {
		return Added{}, false
	}
	return r.in[at], true
}

// idLengthOfHash is the number of characters of a token's hash that form its id.
const idLengthOfHash = 32

// TokenID returns the id of the token with a hash. An id names a token, but gives no access.
func TokenID(hash string) string { return hash[:min(len(hash), idLengthOfHash)] }

// WithID returns the operator whose token has an id.
func (r *Roster) WithID(id string) (Added, bool) {
	at := slices.IndexFunc(r.in, func(a Added) bool { return TokenID(a.Hash) == id })
	if at < 0 {
		return Added{}, false
	}
	return r.in[at], true
}

// Ended reports whether a session of the console was ended before it expired.
func (r *Roster) Ended(session string, began time.Time) bool { return r.ended.Has(session, began) }

// SignOut ends a session of the console. It returns no event when the session was ended before.
func (r *Roster) SignOut(e SignedOut) []domain.Event {
	if r.Ended(e.Session, e.Began) {
		return nil
	}
	return []domain.Event{e}
}

// Renew replaces an operator's token. The old token is no longer valid.
func (r *Roster) Renew(name, hash string, at time.Time) ([]domain.Event, error) {
	events, err := r.Revoke(name, at)
	if err != nil {
		return nil, err
	}
	found, _ := r.named(name)
	return append(events, Added{Name: name, Role: found.Role, Hash: hash, At: at}), nil
}

func (r *Roster) named(name string) (Added, bool) {
	at := slices.IndexFunc(r.in, func(a Added) bool { return a.Name == name })
	if at < 0 {
		return Added{}, false
	}
	return r.in[at], true
}

// Add makes a person an operator.
func (r *Roster) Add(name string, role Role, hash string, at time.Time) ([]domain.Event, error) {
	if err := Check(name, role); err != nil {
		return nil, err
	}
	if len(r.in) >= mostOperators {
		return nil, domain.Errorf(domain.Conflict, "operators_full", "There are %d operators: revoke one first", mostOperators)
	}
	if _, there := r.named(name); there {
		return nil, domain.Errorf(domain.Conflict, "operator_exists", "%s is an operator: revoke the old token first", name)
	}
	return []domain.Event{Added{Name: name, Role: role, Hash: hash, At: at}}, nil
}

// Revoke makes an operator's token invalid.
func (r *Roster) Revoke(name string, at time.Time) ([]domain.Event, error) {
	found, there := r.named(name)
	if !there {
		return nil, domain.Errorf(domain.NotFound, "operator_not_found", "There is no operator of this name")
	}
	return []domain.Event{Revoked{Name: name, Hash: found.Hash, At: at}}, nil
}

package key

import (
	"time"

	"moviola/domain"
)

// Issued is the first event of an API key. The key itself is not stored; it is recognised by Hash.
type Issued struct {
	Account   domain.AccountID `json:"account"`
	Name      string           `json:"name" personal:"yes"`
	Role      Role             `json:"role"`
	Hash      string           `json:"hash" personal:"no"` // hex SHA-256 of the key
	Legacy    Legacy           `json:"legacy,omitempty"`
	First     bool             `json:"first,omitempty"` // the key was made with the account and completes the account's opening
	ExpiresAt *time.Time       `json:"expires_at,omitempty"`
	At        time.Time        `json:"at"`
}

// Legacy is the kind of a key from the time before keys had roles; empty for every other key. Decision "Roles".
type Legacy string

// The kinds of legacy keys.
const (
	Primary   Legacy = "primary"   // has the role admin
	Secondary Legacy = "secondary" // has the role render
)

// Role determines what the holder of a key may do. Spec: Authentication 3.
type Role string

// The roles, from the lowest to the highest.
const (
	Viewer  Role = "viewer"
	Render  Role = "render"
	Editor  Role = "editor"
	Manager Role = "manager"
	Admin   Role = "admin"
)

// Revoked ends a key.
type Revoked struct {
	At time.Time `json:"at"`
}

// SessionEnded ends one session of the console that was begun with the key, because the user has signed out.
type SessionEnded struct {
	Session string    `json:"session" personal:"no"` // id of the session
	Began   time.Time `json:"began"`
	Until   time.Time `json:"until"` // when the session would have expired: after that time its end can be forgotten
	At      time.Time `json:"at"`
}

// EventType is the persisted name.
func (Issued) EventType() string       { return "KeyIssued" }
func (Revoked) EventType() string      { return "KeyRevoked" }
func (SessionEnded) EventType() string { return "KeySessionEnded" }

// EventKey returns what distinguishes the event from others of its type in the same stream.
func (Issued) EventKey() string         { return "" }
func (Revoked) EventKey() string        { return "" }
func (e SessionEnded) EventKey() string { return e.Session }

// StreamCategory is the part of the names of key streams before the first dash.
const StreamCategory = "key"

// Stream names the stream of a key by its id: the first 32 hex digits of the key's SHA-256.
func Stream(id string) string { return StreamCategory + "-" + id }

// Package connection holds the saved connections of accounts: where finished movies are delivered to and which providers may be
// asked, under a name the account chooses. Secrets are encrypted before they come here; what encrypts them is not known here.
// Decisions 48 and 50.
package connection

import (
	"regexp"
	"time"

	"moviola/domain"
)

// ids are the names a connection may have. They become part of a stream's name.
var ids = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// CheckID refuses a name that a connection cannot have.
func CheckID(id string) error {
	if id == "" {
		return domain.Errorf(domain.Invalid, "id_required", "id is required")
	}
	if !ids.MatchString(id) {
		return domain.Errorf(domain.Invalid, "id_invalid",
			"id must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a letter or digit")
	}
	return nil
}

// NotFound is the answer about a connection that does not exist, or is another account's. Decision 6.
func NotFound(id string) error {
	return domain.Errorf(domain.NotFound, "connection_not_found", "Connection %s not found", id)
}

// Connection is one saved connection, folded from its stream.
type Connection struct {
	saved    Saved // zero while there is none
	versions int   // ever saved
	tests    int
	hostKey  string // that was seen first since it was saved
}

// New returns a connection without history.
func New() *Connection { return &Connection{} }

// Apply folds one event of the connection's stream.
func (c *Connection) Apply(event domain.Event) {
	switch e := event.(type) {
	case Saved:
		if c.saved.Settings["host"] != e.Settings["host"] || c.saved.Settings["port"] != e.Settings["port"] {
			c.hostKey = ""
		}
		c.saved, c.versions = e, e.Version
	case Tested:
		c.tests = e.Number
		if c.hostKey == "" {
			c.hostKey = e.HostKey
		}
	case Deleted:
		c.saved, c.hostKey = Saved{}, ""
	}
}

// Exists says whether the connection is there to be used.
func (c *Connection) Exists() bool { return c.saved.Version > 0 }

// Saved is the connection as it was last saved: zero when there is none.
func (c *Connection) Saved() Saved { return c.saved }

// HostKey is the fingerprint that the SFTP server showed when it was first used; empty when it was not used yet.
func (c *Connection) HostKey() string { return c.hostKey }

// NextVersion is the version of a connection that is saved now.
func (c *Connection) NextVersion() int { return c.versions + 1 }

// Save creates the connection or replaces it. What a kind asks for has been checked by Read.
func (c *Connection) Save(s Saved) []domain.Event {
	s.Version = c.NextVersion()
	return []domain.Event{s}
}

// RecordTest records the result of a test. It decides nothing when the connection is gone.
func (c *Connection) RecordTest(t Tested) []domain.Event {
	if !c.Exists() {
		return nil
	}
	t.Number = c.tests + 1
	return []domain.Event{t}
}

// Delete ends the connection; one that does not exist is NotFound.
func (c *Connection) Delete(id string, now time.Time) ([]domain.Event, error) {
	if !c.Exists() {
		return nil, NotFound(id)
	}
	return []domain.Event{Deleted{Version: c.saved.Version, At: now}}, nil
}

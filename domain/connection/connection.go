// Package connection holds the saved connections of accounts: the destinations of finished movies and the providers that the
// service may call, each under a name that the account chooses. Its events hold secrets only in encrypted form; other packages
// encrypt and decrypt them. Decisions 48 and 50.
package connection

import (
	"regexp"
	"strings"
	"time"

	"moviola/domain"
)

// ids matches the valid ids of connections. An id becomes a part of a stream's name.
var ids = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`), 64}

// CheckID refuses an id that a connection cannot have.
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

// NotFound refuses a connection that does not exist, or belongs to another account. Decision 6.
func NotFound(id string) error {
	return domain.Errorf(domain.NotFound, "connection_not_found", "Connection %s not found", domain.Brief(id))
}

// Connection is one saved connection, folded from its stream.
type Connection struct {
	saved    Saved // zero while the connection does not exist
	versions int   // number of times that the connection was saved
	tests    int
	hostKey  string // fingerprint of the host key that the SFTP server at the present host and port showed first; empty: none
}

// New returns a connection without history.
func New() *Connection { return &Connection{} }

// Apply folds one event of the connection's stream.
func (c *Connection) Apply(event domain.Event) {
	switch e := event.(type) {
	case Saved:
		c.hostKey = e.Settings.KeptHostKey(c.saved.Settings, c.hostKey)
		c.saved, c.versions = e, e.Version
	case Tested:
		c.tests = e.Number
		if c.hostKey == "" {
			c.hostKey = c.saved.Settings.KeptHostKey(c.saved.Settings, e.HostKey)
		}
	case Deleted:
		c.saved, c.hostKey = Saved{}, ""
	}
}

// KeptHostKey returns the host key that remains known when the settings s replace the settings before. A key that was shown by
// a server at another host or port, or that is not the one that s demands, is forgotten.
func (s Settings) KeptHostKey(before Settings, shown string) string {
	demanded := strings.TrimRight(s["host-key"], "=")
	if s["host"] != before["host"] || s["port"] != before["port"] || demanded != "" && demanded != shown {
		return ""
	}
	return shown
}

// Exists reports whether the connection is saved and not deleted.
func (c *Connection) Exists() bool { return c.saved.Version > 0 }

// Saved returns the connection as it was last saved; zero when the connection does not exist.
func (c *Connection) Saved() Saved { return c.saved }

// HostKey returns the fingerprint of the host key that the SFTP server showed at the first use; empty before that.
func (c *Connection) HostKey() string { return c.hostKey }

// NextVersion returns the version number of the next save.
func (c *Connection) NextVersion() int { return c.versions + 1 }

// Save creates or replaces the connection. The caller has checked the settings with Read.
func (c *Connection) Save(s Saved) []domain.Event {
	s.Version = c.NextVersion()
	return []domain.Event{s}
}

// RecordTest records the result of a test of one version of the connection. It returns no event when the connection has been
// saved or deleted since: the result, and a host key above all, would be taken for that of other settings.
func (c *Connection) RecordTest(version int, t Tested) []domain.Event {
	if !c.Exists() || c.saved.Version != version {
		return nil
	}
	t.Number, t.Message = c.tests+1, domain.Brief(t.Message)
	return []domain.Event{t}
}

// Delete deletes the connection. A connection that does not exist is NotFound.
func (c *Connection) Delete(id string, now time.Time) ([]domain.Event, error) {
	if !c.Exists() {
		return nil, NotFound(id)
	}
	return []domain.Event{Deleted{Version: c.saved.Version, At: now}}, nil
}

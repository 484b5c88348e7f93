// Package installation holds the facts about an installation as a whole: the fingerprint of the secret that its keys are derived
// from.
package installation

import (
	"time"

	"moviola/domain"
)

// Stream is the stream of the installation. A log has one.
const Stream = "installation-1"

// Opened is the first event of an installation.
type Opened struct {
	Fingerprint string    `json:"fingerprint"` // hex; identifies a secret without revealing it
	At          time.Time `json:"at"`
}

// EventType is the persisted name.
func (Opened) EventType() string { return "InstallationOpened" }

// EventKey tells the event from others of its type in the same stream. Two secrets make two events, so that the second of two
// processes that open the installation at the same time gets a conflict.
func (e Opened) EventKey() string { return e.Fingerprint }

// Installation is folded from its stream.
type Installation struct {
	fingerprint string // empty: not opened yet
}

// Apply folds one event.
func (i *Installation) Apply(event domain.Event) {
	if e, ok := event.(Opened); ok {
		i.fingerprint = e.Fingerprint
	}
}

// Open opens the installation for a secret, once. Another secret is a Conflict: it could not read what the first one has signed
// and encrypted.
func (i *Installation) Open(fingerprint string, at time.Time) ([]domain.Event, error) {
	switch i.fingerprint {
	case "":
		return []domain.Event{Opened{Fingerprint: fingerprint, At: at}}, nil
	case fingerprint:
		return nil, nil
	}
	return nil, domain.Errorf(domain.Conflict, "secret_differs",
		"the secret is not the one this installation was opened with: set MOVIOLA_SECRET, or the file secret in the data "+
			"folder, to what it was")
}

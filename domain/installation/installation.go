// Package installation holds the facts about an installation as a whole: the fingerprint of the secret from which its keys are
// derived.
package installation

import (
	"time"

	"moviola/domain"
)

// Stream is the name of the installation's stream. A log has one such stream.
const Stream = "installation-1"

// Opened is the first event of an installation.
type Opened struct {
	Fingerprint string    `json:"fingerprint" personal:"no"` // fingerprint in hex; it identifies a secret without revealing it
	At          time.Time `json:"at"`
}

// EventType is the persisted name.
func (Opened) EventType() string { return "InstallationOpened" }

// EventKey distinguishes the event from others of its type in the same stream. Two secrets make two events. So when two
// processes open the installation with different secrets at the same time, the second gets a conflict.
func (e Opened) EventKey() string { return e.Fingerprint }

// Installation is the state of an installation, folded from its stream.
type Installation struct {
	fingerprint string // fingerprint of the secret; empty: the installation is not opened yet
}

// Apply folds one event.
func (i *Installation) Apply(event domain.Event) {
	if e, ok := event.(Opened); ok {
		i.fingerprint = e.Fingerprint
	}
}

// Open opens the installation for a secret. It returns no event when the installation was opened with this secret before.
// Another secret is a Conflict, because data that were signed and encrypted with the first secret could not be read.
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

package accounts

import (
	"context"
	"time"

	"moviola/domain/installation"
	"moviola/eventstore"
)

// OpenInstallation checks that a process has the same secret as the first process that used the log.
type OpenInstallation struct {
	Fingerprint string // fingerprint of the installation's secret
}

// OpenInstallationHandler handles OpenInstallation.
type OpenInstallationHandler struct {
	log *eventstore.Log
	now eventstore.Clock
}

// NewOpenInstallationHandler returns a handler.
func NewOpenInstallationHandler(log *eventstore.Log, now func() time.Time) OpenInstallationHandler {
	return OpenInstallationHandler{log: log, now: now}
}

// Handle records the secret's fingerprint at the first start. At a later start it changes nothing; a secret other than the
// first is a Conflict. Design §2.
func (h OpenInstallationHandler) Handle(ctx context.Context, cmd OpenInstallation) error {
	var i installation.Installation
	_, err := h.log.Decide(ctx, installation.Stream, &i, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := i.Open(cmd.Fingerprint, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, "", at), Events: events}, err
	})
	return err
}

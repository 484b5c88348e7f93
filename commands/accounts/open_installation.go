package accounts

import (
	"context"
	"time"

	"moviola/domain/installation"
	"moviola/eventstore"
)

// OpenInstallation says with which secret a process works on the log.
type OpenInstallation struct {
	Fingerprint string // of the secret
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

// Handle opens the installation on the first start, and does nothing after. Another secret than the first is a Conflict.
// Design §2.
func (h OpenInstallationHandler) Handle(ctx context.Context, cmd OpenInstallation) error {
	var i installation.Installation
	_, err := h.log.Decide(ctx, installation.Stream, &i, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := i.Open(cmd.Fingerprint, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, "", at), Events: events}, err
	})
	return err
}

package templates

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/template"
	"moviola/eventstore"
)

// templates has the functions that commands on templates share.
type templates struct {
	commands.Templates
	log   *eventstore.Log
	files commands.Files
	now   eventstore.Clock
}

func newTemplates(log *eventstore.Log, files commands.Files, now eventstore.Clock) templates {
	return templates{Templates: commands.NewTemplates(log, files), log: log, files: files, now: now}
}

// decide loads a template, calls the function in the parameter decide, and appends the events that it returns.
func (s templates) decide(
	ctx context.Context, account domain.AccountID, t *template.Template, id template.ID, decide func() ([]domain.Event, error),
) (eventstore.Appended, error) {
	appended, err := s.log.Decide(ctx, template.Stream(id), t, func() (eventstore.Decision, error) {
		events, err := decide()
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, account, s.now.Stamp()), Events: events}, err
	})
	var refusal *domain.Error
	if err == nil || errors.As(err, &refusal) {
		return appended, err
	}
	return appended, notSaved(id, err)
}

// notSaved returns the error for the client when a store has failed. Spec: Errors, POST /templates.
func notSaved(id template.ID, err error) error {
	refusal := domain.Errorf(domain.Internal, "template_not_saved", "Error saving template")
	return fmt.Errorf("save template %s: %w: %w", id, refusal, err)
}

// keep stores the movie JSON of a template and returns its description (see describe). Nothing uses it until an event names its
// hash.
func (s templates) keep(ctx context.Context, id template.ID, body []byte) (template.Body, error) {
	described, err := describe(body)
	if err != nil {
		return template.Body{}, err
	}
	if err := s.files.Put(ctx, blobkey.Body(id, described.Hash), bytes.NewReader(body)); storage.IsStorageFull(err) {
		return template.Body{}, fmt.Errorf("save template %s: %w", id, err)
	} else if err != nil {
		return template.Body{}, notSaved(id, err)
	}
	return described, nil
}

// describe checks the movie JSON of a template and returns its hash, its size in bytes, and the width and height of the
// movie. It does not make the checks of a submission (decisions 15 and 22): a template may be only a part of a movie, and
// its errors are found when a movie that is made of it is validated, submitted or rendered.
func describe(body []byte) (template.Body, error) {
	if len(body) > template.MaxBody {
		return template.Body{}, template.TooLarge()
	}
	width, height, ok := document.Canvas(body)
	if !ok {
		return template.Body{}, template.TooLarge()
	}
	hash := sha256.Sum256(body)
	return template.Body{Hash: hex.EncodeToString(hash[:]), Size: int64(len(body)), Width: width, Height: height}, nil
}

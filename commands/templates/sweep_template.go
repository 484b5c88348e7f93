package templates

import (
	"context"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/template"
	"moviola/eventstore"
)

// SweepTemplate removes the files of a deleted template.
type SweepTemplate struct {
	ID template.ID
	// Departed reports whether the template's account is closed. The files of the template are then removed without waiting for
	// further deliveries.
	Departed bool
}

// SweepTemplateConfig is what NewSweepTemplateHandler needs. Every field is required.
type SweepTemplateConfig struct {
	Log   *eventstore.Log
	Files commands.Files
	// UsedFunc reports whether a movie that is still to be rendered or delivered, or a batch that is not complete, is made
	// of a template, according to the log.
	UsedFunc func(ctx context.Context, id template.ID) (bool, error)
	Now      func() time.Time
	// Kept is how long the template's movie JSON is kept after the deletion, for movies that may be delivered again.
	Kept time.Duration
	// Age is the minimum time from the deletion until the files are removed. It is longer than a submission with the template may
	// take until it is appended.
	Age time.Duration
}

// SweepTemplateHandler handles SweepTemplate.
type SweepTemplateHandler struct {
	templates templates
	cfg       SweepTemplateConfig
}

// NewSweepTemplateHandler returns a handler.
func NewSweepTemplateHandler(cfg SweepTemplateConfig) SweepTemplateHandler {
	return SweepTemplateHandler{newTemplates(cfg.Log, cfg.Files, cfg.Now), cfg}
}

// Handle removes the movie JSON and the examples of the template, and then records the removal; after a crash in between
// the removal is repeated. ErrNothingToDo: the template is not deleted, was deleted too recently, its files are removed
// already, or a movie still needs them. No later movie can need them: submissions find no deleted template, and
// submissions from before the deletion are in the log by now.
func (h SweepTemplateHandler) Handle(ctx context.Context, cmd SweepTemplate) error {
	kept := max(h.cfg.Kept, h.cfg.Age)
	if cmd.Departed {
		kept = h.cfg.Age
	}
	t, err := h.templates.Load(ctx, cmd.ID)
	if err != nil {
		return err
	}
	if len(t.Sweep(h.templates.now.Stamp(), kept)) == 0 {
		return commands.ErrNothingToDo
	}
	used, err := h.cfg.UsedFunc(ctx, cmd.ID)
	if err != nil {
		return fmt.Errorf("look for movies of template %s: %w", cmd.ID, err)
	}
	if used {
		return commands.ErrNothingToDo
	}
	for _, prefix := range []string{blobkey.BodiesOf(cmd.ID), blobkey.ExamplesOf(cmd.ID)} {
		if err := commands.DeleteBelow(ctx, h.cfg.Files, prefix); err != nil {
			return fmt.Errorf("sweep template %s: %w", cmd.ID, err)
		}
	}
	owner := t.Owner()
	t = template.New(cmd.ID)
	_, err = h.templates.decide(ctx, owner, t, cmd.ID, func() ([]domain.Event, error) {
		return t.Sweep(h.templates.now.Stamp(), kept), nil
	})
	return err
}

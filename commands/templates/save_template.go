package templates

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/template"
	"moviola/eventstore"
)

// SaveTemplate creates a template, or changes parts of one.
type SaveTemplate struct {
	Account domain.AccountID
	ID      template.ID // empty: a new template is created
	Name    *string     // new name; nil: unchanged; required for a new template
	Tags    *[]string
	Movie   []byte // the movie as JSON; nil: unchanged, or {} for a new template
	Prompt  *string
}

// SavedTemplate is a template as a command has left it.
type SavedTemplate struct {
	ID       template.ID
	Name     string
	Position eventstore.Position
}

// TemplateConfig is what the handlers of commands on templates need. Every field is required.
type TemplateConfig struct {
	Log   *eventstore.Log
	Files commands.Files
	NewID func() template.ID // source of template ids: NewTemplateID, except in tests
	Now   func() time.Time
}

// SaveTemplateHandler handles SaveTemplate.
type SaveTemplateHandler struct {
	templates templates
	newID     func() template.ID
}

// NewSaveTemplateHandler returns a handler.
func NewSaveTemplateHandler(cfg TemplateConfig) SaveTemplateHandler {
	return SaveTemplateHandler{newTemplates(cfg.Log, cfg.Files, cfg.Now), cfg.NewID}
}

// Handle saves the template, or refuses it with the *domain.Error of spec: Errors, POST /templates. Two concurrent updates both
// apply, in the order of their events. Decision 41.
func (h SaveTemplateHandler) Handle(ctx context.Context, cmd SaveTemplate) (SavedTemplate, error) {
	if cmd.ID == "" {
		return h.create(ctx, h.newID(), cmd)
	}
	t, err := h.templates.Load(ctx, cmd.ID)
	if err != nil {
		return SavedTemplate{}, err
	}
	// The update is checked on the present template before the body is stored.
	change := template.Change{Request: string(h.newID()), Name: cmd.Name, Tags: cmd.Tags, Prompt: cmd.Prompt}
	if _, err := t.Update(cmd.Account, change, h.templates.now.Stamp()); err != nil {
		return SavedTemplate{}, err
	}
	if cmd.Movie != nil {
		body, err := h.templates.keep(storage.StoredFor(ctx, cmd.Account), cmd.ID, cmd.Movie)
		if err != nil {
			return SavedTemplate{}, err
		}
		change.Body = &body
	}
	t = template.New(cmd.ID)
	appended, err := h.templates.decide(ctx, cmd.Account, t, cmd.ID, func() ([]domain.Event, error) {
		return t.Update(cmd.Account, change, h.templates.now.Stamp())
	})
	return SavedTemplate{ID: cmd.ID, Name: t.Name(), Position: appended.Position}, err
}

func (h SaveTemplateHandler) create(ctx context.Context, id template.ID, cmd SaveTemplate) (SavedTemplate, error) {
	draft := template.Draft{Name: valueOf(cmd.Name), Tags: valueOf(cmd.Tags), Prompt: valueOf(cmd.Prompt)}
	if _, err := template.New(id).Create(cmd.Account, draft, h.templates.now.Stamp()); err != nil {
		return SavedTemplate{}, err
	}
	movie := cmd.Movie
	if movie == nil {
		movie = []byte("{}")
	}
	var err error
	if draft.Body, err = h.templates.keep(storage.StoredFor(ctx, cmd.Account), id, movie); err != nil {
		return SavedTemplate{}, err
	}
	t := template.New(id)
	appended, err := h.templates.decide(ctx, cmd.Account, t, id, func() ([]domain.Event, error) {
		return t.Create(cmd.Account, draft, h.templates.now.Stamp())
	})
	return SavedTemplate{ID: id, Name: t.Name(), Position: appended.Position}, err
}

func valueOf[T any](p *T) T {
	var none T
	if p == nil {
		return none
	}
	return *p
}

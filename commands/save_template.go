package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/template"
	"moviola/eventstore"
)

// SaveTemplate creates a template, or replaces parts of one.
type SaveTemplate struct {
	Account domain.AccountID
	ID      template.ID // empty: a new one
	Name    *string     // nil: as it is; required for a new one
	Tags    *[]string
	Movie   []byte // JSON; nil: as it is, {} for a new one
	Prompt  *string
}

// SavedTemplate is a template after a command.
type SavedTemplate struct {
	ID       template.ID
	Name     string
	Position eventstore.Position
}

// TemplateConfig is what the handlers of commands on templates need. Every field is required.
type TemplateConfig struct {
	Log   *eventstore.Log
	Files Files
	NewID func() template.ID // NewTemplateID outside of tests
	Now   func() time.Time
}

// SaveTemplateHandler handles SaveTemplate.
type SaveTemplateHandler struct {
	templates templates
	newID     func() template.ID
}

// NewSaveTemplateHandler returns a handler.
func NewSaveTemplateHandler(cfg TemplateConfig) SaveTemplateHandler {
	return SaveTemplateHandler{templates{cfg.Log, cfg.Files, cfg.Now}, cfg.NewID}
}

// Handle saves the template, or refuses it with the *domain.Error of spec: Errors, POST /templates. Two updates at once both apply, in
// the order of their events. Decision 41.
func (h SaveTemplateHandler) Handle(ctx context.Context, cmd SaveTemplate) (SavedTemplate, error) {
	if cmd.ID == "" {
		return h.create(ctx, h.newID(), cmd)
	}
	t, err := h.templates.load(ctx, cmd.ID)
	if err != nil {
		return SavedTemplate{}, err
	}
	// Refused before anything is stored for it.
	change := template.Change{Request: string(h.newID()), Name: cmd.Name, Tags: cmd.Tags, Prompt: cmd.Prompt}
	if _, err := t.Update(cmd.Account, change, h.templates.now.Stamp()); err != nil {
		return SavedTemplate{}, err
	}
	if cmd.Movie != nil {
		body, err := h.templates.keep(StoredFor(ctx, cmd.Account), cmd.ID, cmd.Movie)
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
	if draft.Body, err = h.templates.keep(StoredFor(ctx, cmd.Account), id, movie); err != nil {
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

// DuplicateTemplate copies a template, of the account or of the library, into the account.
type DuplicateTemplate struct {
	Account   domain.AccountID
	Source    template.ID
	Name      string         // empty: the source's, with a suffix
	Variables map[string]any // laid over those of the source, key by key
}

// DuplicateTemplateHandler handles DuplicateTemplate.
type DuplicateTemplateHandler struct {
	templates templates
	newID     func() template.ID
}

// NewDuplicateTemplateHandler returns a handler.
func NewDuplicateTemplateHandler(cfg TemplateConfig) DuplicateTemplateHandler {
	return DuplicateTemplateHandler{templates{cfg.Log, cfg.Files, cfg.Now}, cfg.NewID}
}

// Handle copies the template. A source that does not exist, or is private to another account, is not found. Decisions 6 and 41.
func (h DuplicateTemplateHandler) Handle(ctx context.Context, cmd DuplicateTemplate) (SavedTemplate, error) {
	source, err := h.templates.load(ctx, cmd.Source)
	if err != nil {
		return SavedTemplate{}, err
	}
	id := h.newID()
	if _, err := template.New(id).Duplicate(source, cmd.Account, cmd.Name, template.Body{}, h.templates.now.Stamp()); err != nil {
		return SavedTemplate{}, err
	}
	movie, err := h.templates.read(ctx, cmd.Source, source.Body().Hash)
	if err != nil {
		return SavedTemplate{}, err
	}
	if movie, err = withVariables(movie, cmd.Variables); err != nil {
		return SavedTemplate{}, fmt.Errorf("duplicate template %s: %w", cmd.Source, err)
	}
	body, err := h.templates.keep(StoredFor(ctx, cmd.Account), id, movie)
	if err != nil {
		return SavedTemplate{}, err
	}
	t := template.New(id)
	appended, err := h.templates.decide(ctx, cmd.Account, t, id, func() ([]domain.Event, error) {
		return t.Duplicate(source, cmd.Account, cmd.Name, body, h.templates.now.Stamp())
	})
	return SavedTemplate{ID: id, Name: t.Name(), Position: appended.Position}, err
}

// withVariables lays variables over those of a movie.
func withVariables(movie []byte, variables map[string]any) ([]byte, error) {
	if len(variables) == 0 {
		return movie, nil
	}
	tree, err := document.Tree(movie)
	if err != nil {
		return nil, domain.Errorf(domain.Internal, "template_source_invalid", "Source template movie is not valid JSON")
	}
	return json.Marshal(document.Merge(tree, map[string]any{"variables": variables}))
}

// DeleteTemplate removes a template of the account.
type DeleteTemplate struct {
	Account domain.AccountID
	ID      template.ID
}

// DeleteTemplateHandler handles DeleteTemplate.
type DeleteTemplateHandler struct{ templates templates }

// NewDeleteTemplateHandler returns a handler.
func NewDeleteTemplateHandler(cfg TemplateConfig) DeleteTemplateHandler {
	return DeleteTemplateHandler{templates{cfg.Log, cfg.Files, cfg.Now}}
}

// Handle deletes the template. Movies that were submitted with it still render.
func (h DeleteTemplateHandler) Handle(ctx context.Context, cmd DeleteTemplate) (eventstore.Position, error) {
	t := template.New(cmd.ID)
	appended, err := h.templates.decide(ctx, cmd.Account, t, cmd.ID, func() ([]domain.Event, error) {
		return t.Delete(cmd.Account, h.templates.now.Stamp())
	})
	return appended.Position, err
}

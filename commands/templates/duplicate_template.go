package templates

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/template"
)

// DuplicateTemplate copies the template Source, which belongs to the account or is in the template library, into the account.
type DuplicateTemplate struct {
	Account   domain.AccountID
	Source    template.ID
	Name      string         // name of the copy; empty: the name of Source with a suffix
	Variables map[string]any // values of variables of the copy; all other variables are as in Source
}

// DuplicateTemplateHandler handles DuplicateTemplate.
type DuplicateTemplateHandler struct {
	templates templates
	newID     func() template.ID
}

// NewDuplicateTemplateHandler returns a handler.
func NewDuplicateTemplateHandler(cfg TemplateConfig) DuplicateTemplateHandler {
	return DuplicateTemplateHandler{newTemplates(cfg.Log, cfg.Files, cfg.Now), cfg.NewID}
}

// Handle copies the template. A template that does not exist, or is private to another account, is NotFound. Decisions 6 and 41.
func (h DuplicateTemplateHandler) Handle(ctx context.Context, cmd DuplicateTemplate) (SavedTemplate, error) {
	source, err := h.templates.Load(ctx, cmd.Source)
	if err != nil {
		return SavedTemplate{}, err
	}
	id := h.newID()
	if _, err := template.New(id).Duplicate(source, cmd.Account, cmd.Name, template.Body{}, h.templates.now.Stamp()); err != nil {
		return SavedTemplate{}, err
	}
	movie, err := h.templates.Read(ctx, cmd.Source, source.Body().Hash)
	if err != nil {
		return SavedTemplate{}, err
	}
	if movie, err = withVariables(movie, cmd.Variables); err != nil {
		return SavedTemplate{}, fmt.Errorf("duplicate template %s: %w", cmd.Source, err)
	}
	body, err := h.templates.keep(storage.StoredFor(ctx, cmd.Account), id, movie)
	if err != nil {
		return SavedTemplate{}, err
	}
	t := template.New(id)
	appended, err := h.templates.decide(ctx, cmd.Account, t, id, func() ([]domain.Event, error) {
		return t.Duplicate(source, cmd.Account, cmd.Name, body, h.templates.now.Stamp())
	})
	return SavedTemplate{ID: id, Name: t.Name(), Position: appended.Position}, err
}

// withVariables replaces variables of a movie. Markup in its texts takes no more bytes than before.
func withVariables(movie []byte, variables map[string]any) ([]byte, error) {
	if len(variables) == 0 {
		return movie, nil
	}
	tree, err := document.Tree(movie)
	if err != nil {
		return nil, domain.Errorf(domain.Internal, "template_source_invalid", "Source template movie is not valid JSON")
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document.Merge(tree, map[string]any{"variables": variables})); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

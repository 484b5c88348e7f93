package templates

import (
	"context"

	"moviola/domain"
	"moviola/domain/template"
	"moviola/eventstore"
)

// DeleteTemplate deletes a template of the account.
type DeleteTemplate struct {
	Account domain.AccountID
	ID      template.ID
}

// DeleteTemplateHandler handles DeleteTemplate.
type DeleteTemplateHandler struct{ templates templates }

// NewDeleteTemplateHandler returns a handler.
func NewDeleteTemplateHandler(cfg TemplateConfig) DeleteTemplateHandler {
	return DeleteTemplateHandler{newTemplates(cfg.Log, cfg.Files, cfg.Now)}
}

// Handle deletes the template. Movies that were submitted with the template still render.
func (h DeleteTemplateHandler) Handle(ctx context.Context, cmd DeleteTemplate) (eventstore.Position, error) {
	t := template.New(cmd.ID)
	appended, err := h.templates.decide(ctx, cmd.Account, t, cmd.ID, func() ([]domain.Event, error) {
		return t.Delete(cmd.Account, h.templates.now.Stamp())
	})
	return appended.Position, err
}

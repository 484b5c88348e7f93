package resources

import (
	"github.com/sirupsen/logrus"

	templatecommands "moviola/commands/templates"
	"moviola/handlers/http/access"
	"moviola/handlers/http/templates"
)

// NewTemplates wires the operations on templates.
func (s *Resources) NewTemplates(gate *access.Gate, log logrus.FieldLogger) (*templates.API, error) {
	cfg := s.TemplateConfig()
	return templates.New(templates.Config{
		Templates: s.Models.Templates,
		Movies:    templatecommands.NewTemplateMovies(cfg),
		Save:      templatecommands.NewSaveTemplateHandler(cfg),
		Duplicate: templatecommands.NewDuplicateTemplateHandler(cfg),
		Delete:    templatecommands.NewDeleteTemplateHandler(cfg),
		Publish:   s.LibraryHandler(),
		Gate:      gate,
		Files:     s.Stores.Files,
		Operator:  s.Operator,
		Projected: s.Models.Reader,
		PublicURL: s.Config.PublicURL,
		Log:       log,
	})
}

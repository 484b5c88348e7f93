package resources

import (
	"github.com/sirupsen/logrus"

	templatecommands "moviola/commands/templates"
	"moviola/handlers/http/access"
	"moviola/handlers/http/templates"
)

// NewTemplates wires the operations on templates.
func (s *Resources) NewTemplates(gate *access.Gate, log logrus.FieldLogger) (*templates.API, error) {
	return templates.New(templates.Config{
		Templates: s.Models.Templates,
		Movies:    templatecommands.NewTemplateMovies(s.TemplateConfig()),
		Save:      s.Do.SaveTemplate,
		Duplicate: s.Do.DuplicateTemplate,
		Delete:    s.Do.DeleteTemplate,
		Publish:   s.Do.Library,
		Gate:      gate,
		Files:     s.Stores.Files,
		Operator:  s.Operator,
		Acts:      s.Do.RecordAct,
		Projected: s.Models.Reader,
		PublicURL: s.Config.PublicURL,
		Log:       log,
	})
}

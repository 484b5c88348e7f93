package background

import (
	templatecommands "moviola/commands/templates"
	builtin "moviola/domain/template/library"
	"moviola/handlers/background/curator"
	"moviola/third_party/photographs"
)

// newCurator wires the curator, which keeps the template library up to date. Without --library, only templates that operators
// publish are listed.
func (s *Background) newCurator() (*curator.Curator, error) {
	cfg := curator.Config{Library: s.Do.Library, Movies: s.Models.Movies, Log: s.Logger.WithField("part", "library")}
	if s.Config.Library {
		all, err := builtin.All()
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			cfg.BuiltIn = append(cfg.BuiltIn, templatecommands.BuiltIn{ID: t.ID, Name: t.Name, Tags: t.Tags, Prompt: t.Prompt,
				Movie: t.At(s.Config.PublicURL + photographs.Path)})
		}
	}
	return curator.New(cfg), nil
}

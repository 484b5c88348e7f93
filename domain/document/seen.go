package document

import (
	"slices"
)

// unseen are the properties that are neither seen nor heard, by the title of their chapter: they name things, choose who makes something, or say
// where files come from and go to.
var unseen = map[string][]string{
	"Movie": {"elements", "template", "project", "preload", "exports", "cache", "id", "client-data"}, "Scene": {"cache"},
	"Elements":              {"id", "cache", "save-to-media"},
	"Element image":         {"prompt", "model", "aspect-ratio", "connection", "model-settings"},
	"Settings of subtitles": {"keywords"},
	"Element voice":         {"connection", "model-settings"},
	"Element template":      {"template", "component", "settings"}, // as those of the movie and of components
	"Element subtitles": {
		"language", "model", "connection", "cache",
	},
	"Preload": {"id", "type"}, "Exports": {"destinations"},
}

// Unseen says that a row of a chapter is neither seen nor heard in a movie.
func (c Chapter) Unseen(p Property) bool {
	return p.Idle || c.Title == "Destination" || slices.Contains(unseen[c.Title], p.Name)
}

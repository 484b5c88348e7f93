package document

import (
	"slices"
)

// unseen are the properties that change neither picture nor sound, by the title of their chapter: they name things, select a
// provider, or give addresses of sources and destinations.
var unseen = map[string][]string{
	"Movie": {"elements", "template", "project", "preload", "exports", "cache", "id", "client-data"}, "Scene": {"cache"},
	"Elements":              {"id", "cache", "save-to-media"},
	"Element image":         {"prompt", "model", "aspect-ratio", "connection", "model-settings"},
	"Settings of subtitles": {"keywords"},
	"Element voice":         {"connection", "model-settings"},
	// the chapters of movies and components list these properties already
	"Element template": {"template", "component", "settings"},
	"Element subtitles": {
		"language", "model", "connection", "cache",
	},
	"Preload": {"id", "type"}, "Exports": {"destinations", "format", "codec"},
}

// Unseen reports whether a property of the chapter changes neither picture nor sound.
func (c Chapter) Unseen(p Property) bool {
	return p.Idle || c.Title == "Destination" || slices.Contains(unseen[c.Title], p.Name)
}

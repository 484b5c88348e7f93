package document

import (
	"fmt"
	"slices"
	"strings"
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

// SeenMarkdown is a page of the documentation: for every property that is seen or heard the movie of the gallery in which it was looked at, the test
// that measures it, and what in it is our own choice. Second says at which second of a movie its picture was taken.
func SeenMarkdown(second func(picture string) string) string {
	var out strings.Builder
	out.WriteString(`# What was looked at, and what is measured

For every property of [movie.md](movie.md) that is seen or heard: the movie of [the gallery](gallery/README.md) in which somebody looked at it, with the second of the
picture; the test that measures it in finished movies, plans or single pictures; and the values that no source prints, with what was chosen ("ours"). The page is made
of the table of properties (` + "`go generate ./domain/document`" + `); a test holds that the movies have the properties, and that the tests are there.
`)
	for _, c := range Chapters() {
		rows := slices.DeleteFunc(slices.Clone(c.Rows), c.Unseen)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n| property | looked at | measured | ours |\n|---|---|---|---|\n", c.Title)
		for _, p := range rows {
			looked := ""
			if p.Picture != "" {
				looked = fmt.Sprintf("[%s](gallery/%s.jpg), %s s", p.Picture, p.Picture, second(p.Picture))
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", p.Name, looked, p.Measured, strings.ReplaceAll(p.Ours, "|", `\|`))
		}
	}
	return out.String()
}

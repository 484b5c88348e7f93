// Package pages makes the pages of the documentation that come from the table of properties.
package pages

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"moviola/domain/document"
)

// Movie is docs/movie.md: the reference of all properties.
func Movie() string {
	var out strings.Builder
	out.WriteString(`# The movie JSON

Every property that a movie can have. This page is made of the table of properties (` + "`go generate ./domain/document`" +
		`); the JSON Schema of
the same is at ` + "`/v2/movie.schema.json`" + ` of a running service: name it as ` + "`$schema`" +
		` in a movie and an editor completes and explains.

Numbers and booleans may be written as text, and any value may hold expressions, ` + "`{{ … }}`" +
		` ([expressions.md](expressions.md)). Null is the same as
nothing. ` + "`-` and `_`" + ` in names are the same. Unknown properties are ignored, and warned about.
`)
	for _, c := range document.Chapters() {
		fmt.Fprintf(&out, "\n%s %s\n\n%s\n\n", strings.Repeat("#", c.Level), c.Title, c.Doc)
		if len(c.Rows) == 0 {
			continue
		}
		out.WriteString("| property | type | default | what it does |\n|---|---|---|---|\n")
		shown := ""
		for _, p := range c.Rows {
			out.WriteString(line(p, p.Picture == shown))
			shown = p.Picture
		}
	}
	return out.String()
}

// line is a row of a table in Markdown. A picture that the row before shows is only named.
func line(p document.Property, shown bool) string {
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	code := func(text string) string {
		if text == "" {
			return ""
		}
		return "`" + cell(text) + "`"
	}
	name := code(p.Name)
	for _, alias := range p.Aliases {
		name += "<br>also " + code(alias)
	}
	doc := cell(strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(p.Doc))
	if p.Required {
		doc = "Required. " + doc
	}
	if p.Example != "" {
		doc += "<br>" + code(p.Example)
	}
	switch {
	case p.Picture == "":
	case shown:
		doc += `<br><a href="gallery/` + p.Picture + `.jpg">picture</a>`
	default:
		doc += `<br><a href="gallery/` + p.Picture + `.json"><img src="gallery/` + p.Picture + `.jpg" alt="` + p.Name +
			`" width="240"></a>`
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, cell(p.TypeText()), code(p.Default), doc)
}

// LookedAt is docs/looked-at.md: for every property that is seen or heard the movie of the gallery in which it was looked at, the
// test that measures it, and what in it is our own choice. Second says at which second of a movie its picture was taken.
func LookedAt(second func(picture string) string) string {
	var out strings.Builder
	out.WriteString(`# What was looked at, and what is measured

For every property of [movie.md](movie.md) that is seen or heard: the movie of [the gallery](gallery/README.md) in which ` +
		`somebody looked at it, with the second of the
picture; the test that measures it in finished movies, plans or single pictures; and the values that no source prints, with ` +
		`what was chosen ("ours"). The page is made
of the table of properties (` + "`go generate ./domain/document`" +
		`); a test holds that the movies have the properties, and that the tests are there.
`)
	out.WriteString("\n## The sheets\n\nThe movies of the gallery that show many properties at once, and what is seen in " +
		"each.\n\n| movie | what is seen |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(Sheets)) {
		fmt.Fprintf(&out, "| [%s](gallery/%s.jpg) | %s |\n", name, name, Sheets[name])
	}
	for _, c := range document.Chapters() {
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

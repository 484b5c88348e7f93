package openapi

import (
	"fmt"
	"strings"
	"sync"

	"moviola/docs"
	"moviola/domain/document"
)

// llms is a list of the documents about the API, written for language models in the form of https://llmstxt.org.
const llms = `# Moviola

> A video rendering service: post a movie as JSON, get a project id at once, and poll or receive a webhook when the MP4 is ready.

Every request to /v2 carries an API key in the header x-api-key. Agents with the Model Context Protocol use /mcp, which takes ` +
	`the key as a bearer token too.

## Docs

- [All in one text](/v2/llms-full.txt): every property of the movie JSON, components, text styles, fonts, voices, templates, ` +
	`expressions
- [OpenAPI](/v2/openapi.json): every operation, with its errors
- [JSON Schema of movies](/v2/movie.schema.json)
`

// Reference returns every property of the movie JSON as Markdown: a line for each row of the table of properties.
var Reference = sync.OnceValue(func() string {
	var out strings.Builder
	out.WriteString("# The movie JSON\n\nNumbers and booleans may be written as text, and any value may hold expressions, " +
		"{{ … }}. Unknown properties are ignored, and warned about.\n")
	for _, c := range document.Chapters() {
		fmt.Fprintf(&out, "\n%s %s\n\n%s\n\n", strings.Repeat("#", c.Level), c.Title, c.Doc)
		for _, p := range c.Rows {
			fmt.Fprintf(&out, "- `%s` (%s", p.Name, p.TypeText())
			if p.Required {
				out.WriteString(", required")
			}
			if p.Default != "" {
				fmt.Fprintf(&out, ", default %s", p.Default)
			}
			fmt.Fprintf(&out, "): %s", p.Doc)
			if p.Example != "" {
				fmt.Fprintf(&out, " Example: `%s`", p.Example)
			}
			out.WriteString("\n")
		}
	}
	return out.String()
})

// full returns, as one text, all documentation that is needed to write a movie.
var full = sync.OnceValue(func() string {
	return strings.Join([]string{llms, Reference(), docs.Components, docs.TextStyles, docs.Fonts, docs.Voices, docs.Templates,
		docs.Expressions}, "\n")
})

// Package docs holds the pages of the documentation that the program shows to agents.
package docs

import _ "embed"

// The documentation pages, in Markdown.
var (
	//go:embed components.md
	Components string
	//go:embed text-styles.md
	TextStyles string
	//go:embed voices.md
	Voices string
	//go:embed fonts.md
	Fonts string
	//go:embed templates.md
	Templates string
	//go:embed expressions.md
	Expressions string
)

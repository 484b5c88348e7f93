// Package tailwindcss holds Tailwind CSS as it is published for the browser. The script is not ours: README.md says where it is
// from.
package tailwindcss

import _ "embed"

// Script is the text of index.global.js. Run in a page, it writes the styles of the utility classes which the page uses.
//
//go:embed index.global.js
var Script string

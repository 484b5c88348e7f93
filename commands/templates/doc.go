// Package templates has the use cases of templates: saving, duplicating, deleting and sweeping them, and showing them in the
// template library.
package templates

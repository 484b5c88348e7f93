// Package templates has the use cases of templates: saving, duplicating, deleting and sweeping
// them, and showing them in the library.
package templates

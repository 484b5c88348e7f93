// Package templates has the use cases of templates: saving, duplicating and deleting them, removing the files of deleted
// templates, and showing templates in the template library.
package templates

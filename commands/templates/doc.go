// Package templates has the use cases of templates: they are saved, duplicated, deleted and swept, and shown in the library.
package templates

package commands

import (
	"crypto/rand"

	"moviola/domain"
	"moviola/domain/template"
)

// NewProjectID draws a project id that cannot be guessed: 16 characters of [A-Za-z0-9], 95 bits.
func NewProjectID() domain.ProjectID {
	project, err := domain.NewProjectID(rand.Reader)
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return project
}

// NewTemplateID draws a template id that cannot be guessed: 20 characters of [A-Za-z0-9].
func NewTemplateID() template.ID {
	id, err := template.NewID(rand.Reader)
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return id
}

package commands

import (
	"crypto/rand"
	"time"

	"moviola/domain"
	"moviola/domain/template"
)

// NewProjectID returns a new project id.
func NewProjectID() domain.ProjectID {
	project, err := domain.NewProjectID(rand.Reader, time.Now())
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return project
}

// NewTemplateID returns a random template id that cannot be guessed: 20 characters of [A-Za-z0-9].
func NewTemplateID() template.ID {
	id, err := template.NewID(rand.Reader)
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return id
}

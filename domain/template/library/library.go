// Package library holds the templates that the program brings along, as data: each is a file with a name, tags, a prompt and a movie.
// What they look like is shown by their examples, which every installation renders for itself.
package library

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"moviola/domain"
	"moviola/domain/template"
)

//go:embed templates/*.json
var files embed.FS

// Template is one template of the program.
type Template struct {
	Slug   string // the name of its file, without extension
	ID     template.ID
	Name   string
	Tags   []string
	Prompt string // what to ask a machine for that is to write such movies
	Movie  []byte // JSON
}

// All returns the templates, by slug.
func All() ([]Template, error) {
	entries, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	var all []Template
	for _, entry := range entries {
		raw, err := files.ReadFile(path.Join("templates", entry.Name()))
		if err != nil {
			return nil, err
		}
		var file struct {
			Name, Prompt string
			Tags         []string
			Movie        json.RawMessage
		}
		if err := json.Unmarshal(raw, &file); err != nil {
			return nil, fmt.Errorf("read template %s: %w", entry.Name(), err)
		}
		slug := strings.TrimSuffix(entry.Name(), ".json")
		all = append(all, Template{Slug: slug, ID: idOf(slug), Name: file.Name, Tags: file.Tags, Prompt: file.Prompt, Movie: file.Movie})
	}
	return all, nil
}

// idOf is the id of a template, the same in every installation.
func idOf(slug string) template.ID {
	const half = 10
	sum := sha256.Sum256([]byte("moviola library " + slug))
	return template.ID(domain.Base62(binary.BigEndian.Uint64(sum[:8]), half) + domain.Base62(binary.BigEndian.Uint64(sum[8:16]), half))
}

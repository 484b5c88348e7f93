// Package library holds the templates that the program brings along, as data: each is a file with a name, tags, a prompt and a movie.
// What they look like is shown by their examples, which every installation renders for itself.
package library

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"

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
	Credit string // how the photographs that the movie shows have to be named; empty: it shows none that ask for it
	Movie  []byte // movie JSON; addresses of photographs in it begin with the constant Photographs
}

// Photographs begins the addresses of photographs in the files. Every installation shows them at an address of its own.
const Photographs = "https://photographs.invalid/library/photographs/"

// At is the movie with the photographs at the base address of an installation.
func (t Template) At(base string) []byte {
	return bytes.ReplaceAll(t.Movie, []byte(Photographs), []byte(base))
}

// CreditOf is how the photographs of a template of the program have to be named; empty: it is none, or needs no credit.
func CreditOf(id template.ID) string { return credits()[id] }

var credits = sync.OnceValue(func() map[template.ID]string {
	found := map[template.ID]string{}
	all, err := All()
	if err != nil {
		return found // a test reads them all
	}
	for _, t := range all {
		found[t.ID] = t.Credit
	}
	return found
})

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
			Name, Prompt, Credit string

			Tags  []string
			Movie json.RawMessage
		}
		if err := json.Unmarshal(raw, &file); err != nil {
			return nil, fmt.Errorf("read template %s: %w", entry.Name(), err)
		}
		slug := strings.TrimSuffix(entry.Name(), ".json")
		all = append(all, Template{Slug: slug, ID: idOf(slug), Name: file.Name, Tags: file.Tags, Prompt: file.Prompt, Credit: file.Credit, Movie: file.Movie})
	}
	return all, nil
}

// idOf is the id of a template, the same in every installation.
func idOf(slug string) template.ID {
	const half = 10
	sum := sha256.Sum256([]byte("moviola library " + slug))
	return template.ID(domain.Base62(binary.BigEndian.Uint64(sum[:8]), half) + domain.Base62(binary.BigEndian.Uint64(sum[8:16]), half))
}

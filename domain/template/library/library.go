// Package library holds the templates that come with the program, as data: one file for each, with a name, tags, a prompt, a
// movie and perhaps a credit line. An installation renders the examples of these templates itself.
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
	Slug   string // name of the template's file, without extension
	ID     template.ID
	Name   string
	Tags   []string
	Prompt string // prompt for a language model that is to write movies like this one
	Credit string // credit line that the photographs in the movie require; empty: no photograph requires one
	Movie  []byte // movie JSON; addresses of photographs in it begin with the constant Photographs
}

// Photographs is the prefix of photograph addresses in the files. Each installation replaces this prefix by its own
// address.
const Photographs = "https://photographs.invalid/library/photographs/"

// At returns the template's movie JSON, in which photograph addresses begin with base, an installation's address, instead
// of with the constant Photographs.
func (t Template) At(base string) []byte {
	return bytes.ReplaceAll(t.Movie, []byte(Photographs), []byte(base))
}

// CreditOf returns the credit line that the photographs of a template require; empty: the template needs none, or does not
// come with the program.
func CreditOf(id template.ID) string { return credits()[id] }

var credits = sync.OnceValue(func() map[template.ID]string {
	found := map[template.ID]string{}
	all, err := All()
	if err != nil {
		return found // an error cannot happen here, because a test reads all templates
	}
	for _, t := range all {
		found[t.ID] = t.Credit
	}
	return found
})

// All returns the templates, sorted by slug.
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
		all = append(all, Template{Slug: slug, ID: idOf(slug), Name: file.Name, Tags: file.Tags, Prompt: file.Prompt,
			Credit: file.Credit, Movie: file.Movie})
	}
	return all, nil
}

// idOf derives the id of a template from its slug. The id is the same in every installation.
func idOf(slug string) template.ID {
	const half = 10
	sum := sha256.Sum256([]byte("moviola library " + slug))
	return template.ID(domain.Base62(binary.BigEndian.Uint64(sum[:8]), half) + domain.Base62(binary.BigEndian.Uint64(sum[8:16]),
		half))
}

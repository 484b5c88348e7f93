package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"moviola/domain"
)

// maxChain is the maximum length of a chain of templates that refer to each other.
const maxChain = 10

// Reference returns the id of the saved template from which a document is rendered. Empty: the document refers to no
// template, or is not a movie.
func Reference(raw []byte) string {
	if !bytes.Contains(raw, []byte(`"template`)) {
		return ""
	}
	var top struct {
		Template   any `json:"template"`
		TemplateID any `json:"templateId"`
	}
	if json.Unmarshal(raw, &top) != nil {
		return ""
	}
	return referenceOf(map[string]any{"template": top.Template, "templateId": top.TemplateID})
}

// referenceOf returns the id of the template that a movie names. It also reads templateId, because one page of the public
// documentation has that spelling.
func referenceOf(movie map[string]any) string {
	for _, name := range []string{"template", "templateId"} {
		switch id := movie[name].(type) {
		case string:
			if id != "" {
				return id
			}
		case json.Number: // a number is not a valid id, but the client means a template: the error names the number
			return id.String()
		case float64:
			return strconv.FormatFloat(id, 'f', -1, 64)
		}
	}
	return ""
}

// Fill replaces a document's reference to a saved template by the template. Scenes and elements come from the template. All
// other properties of the document override those of the template; variables and other objects are merged key by key. A
// template may refer to another template. Elements that show a template are replaced by the template's elements. load
// returns the movie JSON of the template with the id `id`; `by` is the id of the template in which the reference stands, or
// empty when it stands in the document. Errors of load are returned unchanged. A document without references is returned
// unchanged. Spec: Template, movie; decisions 27 and 41.
func Fill(raw []byte, load func(id, by string) ([]byte, error)) ([]byte, error) {
	return fill(raw, &filler{from: load})
}

func fill(raw []byte, f *filler) ([]byte, error) {
	if !NeedsTemplates(raw) {
		return raw, nil
	}
	movie, err := object(raw)
	if err != nil {
		return nil, err
	}
	if movie, f.scenesOf, err = f.resolve(movie, ""); err != nil {
		return nil, err
	}
	if err := f.embed(movie, "", 0); err != nil {
		return nil, err
	}
	return json.Marshal(movie)
}

// filler holds the state of one Fill.
type filler struct {
	from   func(id, by string) ([]byte, error)
	loads  int
	filled int // bytes that copies of templates' elements have got: see maxFilled
	// scenesOf is the template from which the document's scenes and elements come; empty: the document has its own.
	scenesOf string
	mayRead  func(by, id string) bool // see FillGuarded; nil: nothing is refused
}

// maxLoads is the maximum number of templates that a movie is made of, repetitions included.
const maxLoads = 30

func (f *filler) load(id, by string) ([]byte, error) {
	if f.loads++; f.loads > maxLoads {
		return nil, domain.Errorf(domain.Invalid, "template_chain_too_long", "A movie can be made of %d templates at most", maxLoads)
	}
	return f.from(id, by)
}

func errLongChain() error {
	return domain.Errorf(domain.Invalid, "template_chain_too_long", "More than %d templates refer to one another", maxChain)
}

// resolve follows the references from a movie to a saved template, from that template to the next one, and so on. movie is
// the template with the id `by`, or the document if `by` is empty. filled is the movie merged with all these templates.
// from is the id of the template at the end of the chain, which has the scenes and elements; empty: the document has no
// reference.
func (f *filler) resolve(movie map[string]any, by string) (filled map[string]any, from string, err error) {
	var chain []string
	links := []link{{id: by, movie: movie}}
	for id := referenceOf(movie); id != ""; id = referenceOf(movie) {
		switch {
		case slices.Contains(chain, id) || id == by:
			return nil, "", domain.Errorf(domain.Invalid, "template_circle", "Template %s refers to itself", id)
		case len(chain) == maxChain:
			return nil, "", errLongChain()
		}
		body, err := f.load(id, by)
		if err != nil {
			return nil, "", err
		}
		base, err := object(body)
		if err != nil {
			return nil, "", fmt.Errorf("read template %s: %w", id, err)
		}
		chain, by, links = append(chain, id), id, append(links, link{id: id, movie: base})
		movie = over(base, movie)
	}
	return movie, by, f.guardChain(links)
}

// over merges a document into the template to which it refers. Scenes and elements of the document are dropped.
func over(base, movie map[string]any) map[string]any {
	own := maps.Clone(movie)
	for _, name := range []string{"scenes", "elements", "template", "templateId"} {
		delete(own, name)
	}
	return Merge(base, own)
}

// Merge returns the deep merge of two objects: objects, also those kept as raw JSON, are merged key by key; any other value
// in over replaces the value in base. It does not change its arguments. Decision 41.
func Merge(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range over {
		if above, isFree := value.(json.RawMessage); isFree {
			below, _ := out[name].(json.RawMessage)
			out[name] = mergeFree(below, above)
			continue
		}
		below, isObject := out[name].(map[string]any)
		if above, ok := value.(map[string]any); ok && isObject {
			out[name] = Merge(below, above)
		} else {
			out[name] = value
		}
	}
	return out
}

// object decodes a JSON object of bounded depth.
func object(raw []byte) (map[string]any, error) {
	if err := measure(raw); err != nil {
		return nil, err
	}
	tree, err := decode(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	if err != nil {
		return nil, errUnreadable()
	}
	movie, ok := tree.(map[string]any)
	if !ok {
		return nil, errUnreadable()
	}
	return movie, nil
}

// Tree decodes a JSON object; numbers keep their spelling. An error is a *domain.Error.
func Tree(raw []byte) (map[string]any, error) { return object(raw) }

// Canvas returns the canvas size of a document, as far as it can be known without the templates to which it refers. It
// returns the default size when the size cannot be computed, and false when the text is not a JSON object, or exceeds a
// bound of documents.
func Canvas(raw []byte) (width, height int, ok bool) {
	tree, err := object(raw)
	if err != nil {
		return 0, 0, false
	}
	m, err := expanded(map[string]any{
		"resolution": tree["resolution"], "width": tree["width"], "height": tree["height"], "variables": tree["variables"],
	}, Known{})
	if err != nil {
		return defaultWidth, defaultHeight, true
	}
	return m.Width, m.Height, true
}

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

// maxChain is how many templates may rest on each other.
const maxChain = 10

// Reference is the id of the saved template that a document is rendered from; empty: none, or it is no movie.
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

// referenceOf is the template that a movie names. One page of the public documentation spells it templateId.
func referenceOf(movie map[string]any) string {
	for _, name := range []string{"template", "templateId"} {
		switch id := movie[name].(type) {
		case string:
			if id != "" {
				return id
			}
		case json.Number: // no id has this form, but it is meant as one
			return id.String()
		case float64:
			return strconv.FormatFloat(id, 'f', -1, 64)
		}
	}
	return ""
}

// Fill replaces a document's reference to a saved template by the template: its scenes and elements are the movie's, all else that the
// document says goes over it, variables and other objects key by key. A template may itself refer to another. Elements that show a
// template are replaced by its elements. load returns the movie JSON of a template, on behalf of the template that names it, empty: the
// document itself; its errors are returned as they are. A document that needs none is returned unchanged. Spec: Template, movie;
// decisions 27 and 41.
func Fill(raw []byte, load func(id, by string) ([]byte, error)) ([]byte, error) {
	if !NeedsTemplates(raw) {
		return raw, nil
	}
	movie, err := object(raw)
	if err != nil {
		return nil, err
	}
	f := filler{from: load}
	if movie, _, err = f.resolve(movie, ""); err != nil {
		return nil, err
	}
	if err := f.embed(movie, "", 0); err != nil {
		return nil, err
	}
	return json.Marshal(movie)
}

// filler fills templates in.
type filler struct {
	from  func(id, by string) ([]byte, error)
	loads int
}

// maxLoads is how many templates a movie may be made of, each counted as often as it is shown.
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

// resolve follows the references of a movie that is part of a template, or of the document itself when by is empty. from is the last one: the
// template that the scenes and elements are those of.
func (f *filler) resolve(movie map[string]any, by string) (filled map[string]any, from string, err error) {
	var chain []string
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
		chain, by = append(chain, id), id
		movie = over(base, movie)
	}
	return movie, by, nil
}

// over lays a document over the template that it refers to. What the document has of scenes and elements is not shown.
func over(base, movie map[string]any) map[string]any {
	own := maps.Clone(movie)
	for _, name := range []string{"scenes", "elements", "template", "templateId"} {
		delete(own, name)
	}
	return Merge(base, own)
}

// Merge is the deep merge of two objects: objects key by key, everything else in over replaces what is in base. Neither is changed.
// Decision 41.
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

// Tree decodes a JSON object whose numbers stay as they were written. An error is a *domain.Error.
func Tree(raw []byte) (map[string]any, error) { return object(raw) }

// Canvas is the size that a document asks for, or would be shown in: as far as it can be read without the templates that it refers to.
// False: it is no JSON object, or one that is nested too deep.
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

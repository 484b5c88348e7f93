package document

import (
	"encoding/json"
	"maps"
	"slices"

	"moviola/domain"
	"moviola/domain/expr"
)

// FillGuarded is Fill for a document that is submitted. It refuses a document that uses a secret variable of a template's
// destinations in an expression of its own, because the value could be seen in the picture or in a message. Of two templates
// the same holds, unless mayRead allows the template `by` to read what is in the template `id`. Decision 104.
func FillGuarded(raw []byte, load func(id, by string) ([]byte, error), mayRead func(by, id string) bool) ([]byte, error) {
	return fill(raw, &filler{from: load, mayRead: mayRead})
}

// untouched are the properties of a document that are not computed, or are dropped when the document is filled in.
var untouched = map[string]bool{
	"scenes": true, "elements": true, "template": true, "templateId": true, "project": true, "id": true, "comment": true,
	"client-data": true, "client_data": true,
}

// link is a document in a chain of references: the submitted one, whose id is empty, or a template.
type link struct {
	id    string
	movie map[string]any
}

// guardChain checks each document of a chain against the templates that follow it, of which it is made.
func (f *filler) guardChain(chain []link) error {
	if f.mayRead == nil || len(chain) < 2 {
		return nil
	}
	below := chain[len(chain)-1].movie
	for i := len(chain) - 2; i >= 0; i-- {
		upper := chain[i]
		if err := f.guard(upper.movie, upper.id, objectIn(upper.movie, "variables"), below, chain[i+1].id); err != nil {
			return err
		}
		below = over(below, upper.movie)
	}
	return nil
}

// guardElement checks an element that shows a template.
func (f *filler) guardElement(element map[string]any, by string, shown map[string]any, id string) error {
	own := Merge(objectIn(element, "settings"), objectIn(element, "variables"))
	used := maps.Clone(element)
	for _, name := range []string{"condition", "iterate", "start"} { // expressions without their braces: see both and delay
		if text, ok := used[name].(string); ok && (name != "start" || expr.Has(text)) {
			used[name] = bareText(bare(text))
		}
	}
	return f.guard(used, by, own, shown, id)
}

// guard refuses the object upper of the document `by` if an expression in it uses a variable that is secret in the template
// `id`, unless upper gives the variable a value of its own. lower is the movie of the template.
func (f *filler) guard(upper map[string]any, by string, own, lower map[string]any, id string) error {
	if f.mayRead == nil || lower["exports"] == nil || f.mayRead(by, id) {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"exports": lower["exports"], "variables": lower["variables"]})
	if err != nil {
		return err
	}
	secret := map[string]bool{}
	for _, name := range SecretVariables(raw) {
		value, given := own[name]
		if _, merged := value.(map[string]any); !given || merged {
			secret[name] = true
		}
	}
	if len(secret) == 0 {
		return nil
	}
	for _, property := range slices.Sorted(maps.Keys(upper)) {
		if untouched[property] {
			continue
		}
		if name, found := uses(upper[property], secret); found {
			where := "The property '" + Shorten(property) + "'"
			if by != "" {
				where += " of template " + by
			}
			return domain.Errorf(domain.Invalid, "template_secret_used", "%s uses the variable '%s', which is a secret of the "+
				"destinations of template %s: remove it there, or give the variable a value of your own in 'variables'",
				where, Shorten(name), id)
		}
	}
	return nil
}

// bareText is an expression without braces.
type bareText string

// uses returns the first of the names that an expression inside a value uses.
func uses(value any, names map[string]bool) (string, bool) {
	switch v := value.(type) {
	case bareText:
		return firstOf(expr.NamesOf(string(v)), names)
	case string:
		if expr.Has(v) {
			return firstOf(expr.Names(v), names)
		}
	case []any:
		for _, item := range v {
			if name, found := uses(item, names); found {
				return name, true
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if name, found := uses(v[key], names); found {
				return name, true
			}
		}
	}
	return "", false
}

func firstOf(found []string, names map[string]bool) (string, bool) {
	for _, name := range found {
		if names[name] {
			return name, true
		}
	}
	return "", false
}

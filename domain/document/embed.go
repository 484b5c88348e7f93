package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"moviola/domain"
	"moviola/domain/expr"
)

// embeddedMark is a property that Fill adds to elements that come from a template element, so that warnings can name the
// template.
const embeddedMark = "__template"

// templateIDLength is the number of characters in the id of a saved template. An element of type template may name a component
// instead: the id of a component has another form, such as basic/001.
const templateIDLength = 20

// NeedsTemplates reports whether Fill would change a document, because it refers to a template or has template elements.
func NeedsTemplates(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`"template`)) {
		return false
	}
	if Reference(raw) != "" {
		return true
	}
	movie, err := object(raw)
	return err == nil && hasEmbedded(movie)
}

// embeddedID returns the id of the saved template that an element of the deprecated type template shows. Empty: the element
// shows no template.
func embeddedID(element any) string {
	props, _ := element.(map[string]any)
	kind, _ := props["type"].(string)
	id, _ := props["template"].(string)
	if strings.ToLower(strings.TrimSpace(kind)) != "template" || len(id) != templateIDLength || !domain.IsBase62(id) {
		return ""
	}
	return id
}

// EmbeddedFrom returns the template from which Fill has copied an element, and the JSON pointer of the original in that
// template.
func EmbeddedFrom(element map[string]any) (template, pointer string, ok bool) {
	mark, _ := element[embeddedMark].(string)
	return strings.Cut(mark, " ")
}

// OwnElements returns the indexes of the elements that Fill leaves in place. pointer names the movie, or a scene as in
// /scenes/0.
func OwnElements(movie map[string]any, pointer string) []int {
	container := movie
	if index, ok := strings.CutPrefix(pointer, "/scenes/"); ok {
		scenes, _ := movie["scenes"].([]any)
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(scenes) {
			return nil
		}
		container, _ = scenes[i].(map[string]any)
	}
	elements, _ := container["elements"].([]any)
	var own []int
	for i, element := range elements {
		if embeddedID(element) == "" {
			own = append(own, i)
		}
	}
	return own
}

// containers returns the movie and its scenes: the objects that have elements.
func containers(movie map[string]any) []map[string]any {
	all := []map[string]any{movie}
	scenes, _ := movie["scenes"].([]any)
	for _, item := range scenes {
		if scene, ok := item.(map[string]any); ok {
			all = append(all, scene)
		}
	}
	return all
}

// IsEmbedded reports whether Fill replaces the element by the elements of a saved template.
func IsEmbedded(element map[string]any) bool { return embeddedID(element) != "" }

func hasEmbedded(movie map[string]any) bool {
	for _, c := range containers(movie) {
		elements, _ := c["elements"].([]any)
		for _, e := range elements {
			if embeddedID(e) != "" {
				return true
			}
		}
	}
	return false
}

// embed replaces elements that show saved templates by the elements of those templates, in place. Decision 27.
func (f *filler) embed(movie map[string]any, by string, depth int) error {
	if !hasEmbedded(movie) {
		return nil
	}
	if depth == maxChain {
		return errLongChain()
	}
	for _, c := range containers(movie) {
		elements, ok := c["elements"].([]any)
		if !ok {
			continue
		}
		var out []any
		for _, e := range elements {
			id := embeddedID(e)
			if id == "" {
				out = append(out, e)
				continue
			}
			shown, err := f.shown(e.(map[string]any), id, by, depth)
			if err != nil {
				return err
			}
			out = append(out, shown...)
		}
		c["elements"] = out
	}
	return nil
}

// shown returns the elements of the template with the given id, for the element that shows the template. The template's
// scenes follow each other from the element's start, and a scene without a length in seconds takes 5 seconds. The element's
// settings and variables override the variables of the template, but not those of its scenes and elements.
func (f *filler) shown(element map[string]any, id, by string, depth int) ([]any, error) {
	body, err := f.load(id, by)
	if err != nil {
		return nil, err
	}
	movie, err := object(body)
	if err != nil {
		return nil, err
	}
	from := id
	if movie, from, err = f.resolve(movie, id); err != nil {
		return nil, err
	}
	if err := f.guardElement(element, cmp.Or(by, f.scenesOf), movie, id); err != nil {
		return nil, err
	}
	if err := f.embed(movie, id, depth+1); err != nil {
		return nil, err
	}
	variables := Merge(Merge(objectIn(movie, "variables"), objectIn(element, "settings")), objectIn(element, "variables"))
	at := startOf(element)
	out, err := f.placed(movie["elements"], element, variables, at, from+" /elements/")
	if err != nil {
		return nil, err
	}
	scenes, _ := movie["scenes"].([]any)
	for i, item := range scenes {
		scene, _ := item.(map[string]any)
		mark := from + " /scenes/" + strconv.Itoa(i) + "/elements/"
		copies, err := f.placed(scene["elements"], element, Merge(variables, objectIn(scene, "variables")), at, mark)
		if err != nil {
			return nil, err
		}
		out = append(out, copies...)
		length, given := secondsIn(scene, "duration")
		if !given || length <= 0 {
			length = unlimited
		}
		at.seconds += length
	}
	return out, nil
}

// moment is a time in seconds from the start of a scene or movie: a number, or an expression plus a number.
type moment struct {
	computed string // expression without its braces; empty: the moment is the number alone
	seconds  float64
}

// startOf returns the start of an element that shows a template: 0 if it is negative, or neither number nor expression.
func startOf(element map[string]any) moment {
	seconds, isNumber := secondsIn(element, "start")
	if text, _ := element["start"].(string); !isNumber && expr.Has(text) {
		return moment{computed: bare(text)}
	}
	return moment{seconds: max(seconds, 0)}
}

// delay adds the moment to the start of an element, unless that is a negative number, or neither number nor text.
func (m moment) delay(element map[string]any) {
	start, isNumber := secondsIn(element, "start")
	text, isText := element["start"].(string)
	sum := strconv.FormatFloat(start+m.seconds, 'f', -1, 64)
	switch {
	case m == moment{} || isNumber && start < 0 || !isNumber && !isText:
		return
	case isNumber && m.computed == "":
		element["start"] = json.Number(sum)
		return
	}
	if m.computed != "" {
		sum = "(" + m.computed + ") + " + sum
	}
	if !isNumber {
		sum = "(" + bare(text) + ") + " + sum
	}
	element["start"] = "{{ " + sum + " }}"
}

// placed returns copies of a template's elements in `list`, which replace the element `by` that shows the template. Each
// copy starts later than its original by the moment `at` (see delay), gets the given variables, and is shown only if the
// condition of `by` is true too. `mark` names the template and the list in it. Each copy stores `mark` with its index in the
// list, unless the copied element has such a mark already.
func (f *filler) placed(list any, by, variables map[string]any, at moment, mark string) ([]any, error) {
	elements, _ := list.([]any)
	if err := f.charge(len(elements), variables, by["condition"], at.computed); err != nil {
		return nil, err
	}
	var out []any
	for i, item := range elements {
		own, ok := item.(map[string]any)
		if !ok {
			continue
		}
		e := Merge(own, map[string]any{"variables": Merge(variables, objectIn(own, "variables"))})
		if e[embeddedMark] == nil { // an element with a mark comes from a template inside of this template: its mark stays
			e[embeddedMark] = mark + strconv.Itoa(i)
		}
		if condition, ok := by["condition"]; ok {
			e["condition"] = both(condition, own["condition"])
		}
		at.delay(e)
		out = append(out, e)
	}
	return out, nil
}

// maxFilled is the maximum size of what copies of templates' elements get, all copies of a movie together, in bytes.
const maxFilled = 16 << 20

// charge counts what a number of copies get. It returns an error when maxFilled is exceeded.
func (f *filler) charge(copies int, get ...any) error {
	const each = 200 // memory of a copy
	if copies > 0 {
		f.filled += copies * (each + weight(get))
	}
	if f.filled > maxFilled {
		return domain.Errorf(domain.Invalid, "movie_expansion_too_large", "The movie is too large once its templates are filled "+
			"in: their elements get more than %d bytes of variables, conditions and times", maxFilled)
	}
	return nil
}

// weight returns the approximate length of a value as JSON, in bytes.
func weight(value any) int {
	n := 4
	switch v := value.(type) {
	case string:
		n += len(v)
	case json.Number:
		n += len(v)
	case json.RawMessage:
		n += len(v)
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case map[string]any:
		for name, item := range v {
			n += len(name) + weight(item)
		}
	}
	return n
}

// both returns the condition that is true when a and b are both true.
func both(a, b any) any {
	if b == nil {
		return a
	}
	first, isA := Scalar(a)
	second, isB := Scalar(b)
	if !isA || !isB {
		return a
	}
	return "{{ (" + bare(first) + ") and (" + bare(second) + ") }}"
}

// bare returns an expression without its braces.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "{{"); ok {
		text, _ = strings.CutSuffix(inner, "}}")
	}
	if strings.TrimSpace(text) == "" {
		return "null"
	}
	return text
}

func objectIn(props map[string]any, name string) map[string]any {
	inner, _ := props[name].(map[string]any)
	return inner
}

// secondsIn returns a property as a number of seconds, or 0 when it is missing or blank. It returns false when the property
// is not a number.
func secondsIn(props map[string]any, name string) (float64, bool) {
	value, present := props[name]
	if !present || value == nil {
		return 0, true
	}
	text, isScalar := Scalar(value)
	if isScalar && strings.TrimSpace(text) == "" {
		return 0, true
	}
	n, err := parseDecimal(text)
	return n.Float(), err == nil
}

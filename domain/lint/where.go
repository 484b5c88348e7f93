package lint

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/document"
	"moviola/domain/jsontext"
)

// where finds the places of a movie's scenes and elements. A place is a JSON pointer, in the posted JSON or in a template.
type where struct {
	in Input
	// The map `of` gives the places of scenes and elements: JSON pointers in the posted JSON or in a template. A key is the
	// address of the scene's or element's object in the tree from which the movie was read. nil: the map was not needed
	// yet. Most movies have no problem that needs it.
	of map[uintptr]place
	// chain is the body followed by the template to which it refers, the template to which that one refers, and so on. Each
	// template is overridden by the text before it. The last text has the scenes and elements.
	chain []Text
}

func newWhere(in Input) *where {
	w := &where{in: in, chain: []Text{in.Body}}
	for _, t := range in.Templates {
		if document.Reference(w.chain[len(w.chain)-1].Raw) != t.Template {
			break
		}
		w.chain = append(w.chain, t)
	}
	return w
}

// places computes w.of: the place in the body or template of every scene and element.
func (w *where) places() {
	w.of = map[uintptr]place{}
	base := w.chain[len(w.chain)-1]
	w.list(base, w.in.Filled, "")
	scenes, _ := w.in.Filled["scenes"].([]any)
	for i, item := range scenes {
		scene, ok := item.(map[string]any)
		if !ok {
			continue
		}
		pointer := jsontext.Pointer("", "scenes", strconv.Itoa(i))
		w.of[identity(scene)] = place{base.Template, pointer}
		w.list(base, scene, pointer)
	}
}

// list records the places of the elements of the movie or of a scene. An element from a template names its origin; the other
// elements are in their original order.
func (w *where) list(base Text, container map[string]any, pointer string) {
	elements, _ := container["elements"].([]any)
	own := document.OwnElements(base.Tree, pointer)
	at := 0
	for _, item := range elements {
		element, ok := item.(map[string]any)
		if !ok {
			at++
			continue
		}
		if template, inner, ok := document.EmbeddedFrom(element); ok {
			w.of[identity(element)] = place{template, inner}
			continue
		}
		index := at
		if at < len(own) {
			index = own[at]
		}
		at++
		w.of[identity(element)] = place{base.Template, jsontext.Pointer(pointer, "elements", strconv.Itoa(index))}
	}
}

func identity(object map[string]any) uintptr { return reflect.ValueOf(object).Pointer() }

// place returns the JSON pointer to what a note is about, and the template into which the pointer leads, if it is not the
// posted JSON.
func (w *where) place(n document.Note) place {
	if n.Ref.Scene == 0 && n.Ref.Element == 0 && n.From == nil {
		return w.top(n.Path)
	}
	from := n.From
	if from == nil {
		from = w.made(n.Ref)
	}
	at := w.ref(n.Ref, from)
	at.pointer += written(from, n.Path)
	return at
}

// written returns the path of a setting as the element spells it: in upper or lower case, with dashes or underscores, or
// outside of the settings.
func written(element map[string]any, path string) string {
	setting, ok := strings.CutPrefix(path, "/settings/")
	settings, _ := element["settings"].(map[string]any)
	if _, exact := settings[setting]; !ok || exact {
		return path
	}
	kind := document.SettingsKind(strings.ToLower(strings.TrimSpace(typeOf(element))))
	meant, known := document.Find(kind, setting)
	for _, object := range []map[string]any{settings, element} {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if p, ok := document.Find(kind, name); ok && known && p.Name == meant.Name {
				if path = jsontext.Pointer("/settings", name); reflect.ValueOf(object).Pointer() == identity(element) {
					path = jsontext.Pointer("", name)
				}
				return path
			}
		}
	}
	return path
}

// ref returns the place of a scene, an element or the movie.
func (w *where) ref(ref document.Ref, from map[string]any) place {
	if from == nil {
		from = w.made(ref)
	}
	if w.of == nil {
		w.places()
	}
	if at, known := w.of[identity(from)]; known {
		return at
	}
	// the movie has no object of its own here, so the place is the template as a whole
	at := place{template: w.chain[len(w.chain)-1].Template}
	if ref.Scene > 0 {
		at.pointer = jsontext.Pointer("", "scenes", strconv.Itoa(ref.Scene-1))
	}
	if ref.Element > 0 {
		at.pointer = jsontext.Pointer(at.pointer, "elements", strconv.Itoa(ref.Element-1))
	}
	return at
}

// made returns the object of the tree from which a scene or element was made.
func (w *where) made(ref document.Ref) map[string]any {
	if w.in.Movie != nil {
		if from := w.in.Movie.MadeOf(ref); from != nil {
			return from
		}
	}
	container := w.in.Filled
	if ref.Scene > 0 {
		if container = nth(container["scenes"], ref.Scene); ref.Element == 0 {
			return container
		}
	}
	return nth(container["elements"], ref.Element)
}

// nth returns item n of a list, counted from 1, if it is an object; otherwise nil.
func nth(list any, n int) map[string]any {
	items, _ := list.([]any)
	if n < 1 || n > len(items) {
		return nil
	}
	object, _ := items[n-1].(map[string]any)
	return object
}

// top returns the place of a property of the movie. It is in the body, unless only a template has the property.
func (w *where) top(path string) place {
	tokens := jsontext.Tokens(path)
	for _, t := range w.chain {
		if len(tokens) > 0 && has(t.Tree, tokens) {
			return place{t.Template, path}
		}
	}
	return place{"", path}
}

func has(tree any, tokens []string) bool {
	for _, token := range tokens {
		object, ok := tree.(map[string]any)
		if !ok {
			// has does not look into a list: every pointer into a list of the tree counts as present.
			return true
		}
		if tree, ok = object[token]; !ok {
			return false
		}
	}
	return true
}

package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/document"
	"moviola/domain/expr"
	"moviola/domain/jsontext"
)

// ruler compares a text with the table of properties.
type ruler struct {
	c       *collector
	text    Text
	address func(string) string
}

// path is the list of names and indexes that lead to a value. Paths share memory, so appending to one may overwrite another. A
// path is converted to a pointer only when a problem is found.
type path []string

// usualDepth is the nesting depth of most movies. Memory for a path of that depth is reserved.
const usualDepth = 16

func (r ruler) add(at path, p Problem) { r.addAt(jsontext.Pointer("", at...), p) }

func (r ruler) addAt(pointer string, p Problem) {
	p.Template, p.Pointer, p.ruled = r.text.Template, pointer, true
	if p.Severity == "" {
		p.Severity = Warning
	}
	r.c.add(p)
}

// usualNames is the number of names in most objects. Memory for that many names is reserved.
const usualNames = 24

// sortedNames returns the names of an object, sorted. It uses room as memory if room is large enough.
func sortedNames(room []string, object map[string]any) []string {
	for name := range object {
		room = append(room, name)
	}
	slices.Sort(room)
	return room
}

// object checks the members of an object of a kind, in the order of their names, until the collector needs no more.
func (r ruler) object(kind string, pointer path, object map[string]any) {
	var room [usualNames]string
	for _, name := range sortedNames(room[:0], object) {
		if r.c.enough() {
			return
		}
		r.member(kind, pointer, name, object)
	}
}

func (r ruler) member(kind string, pointer path, name string, object map[string]any) {
	value := object[name]
	at := append(pointer, name)
	p, known := document.Find(kind, name)
	switch {
	case !known:
		r.unknown(kind, pointer, name, object)
	case value == nil || p.Type == document.DataType:
	case p.Kind == "element":
		r.list(at, p, value, func(pointer path, element map[string]any) { r.element(pointer, element) })
	case p.Kind == document.PreloadKind:
		r.list(at, p, value, func(pointer path, item map[string]any) { r.object(document.ElementKind(typeOf(item)), pointer, item) })
	case p.Kind == document.SettingsKind(document.TypeComponent):
		r.groups(at, object["component"], value)
	default:
		r.value(at, p, value)
	}
}

func typeOf(element map[string]any) string {
	kind, _ := element["type"].(string)
	return kind
}

// element checks an element. If its type is an expression, only properties that no type has are reported.
func (r ruler) element(pointer path, element map[string]any) {
	if document.IsEmbedded(element) {
		r.add(append(pointer, "type"), Problem{Code: document.Deprecated, Remedy: "Refer to the template in the movie's 'template'",
			Message: "The element type 'template' is deprecated, use the movie's own 'template'"})
	}
	r.object(document.ElementKind(typeOf(element)), pointer, element)
}

// unknown adds a problem for an unknown name, unless the object may have other members, or the name begins with _, @ or --:
// clients give such names to their own data. A setting of the element's type is reported by misplaced. For an element whose
// type is not known, the names of all types are accepted.
func (r ruler) unknown(kind string, pointer path, name string, object map[string]any) {
	if document.OpenKind(kind) || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "@") || strings.HasPrefix(name, "--") {
		return
	}
	at := append(pointer, name)
	if kind == "element" { // the type is unknown or an expression, so all types are searched
		if knownSomewhere(name) {
			return
		}
	}
	elementType, isElement := strings.CutPrefix(kind, "element:")
	if isElement {
		if setting, ok := document.Find(document.SettingsKind(elementType), name); ok {
			r.misplaced(at, name, setting, object)
			return
		}
	}
	if r.c.full() { // the problem is only counted, so no similar name is searched
		r.c.extra++
		return
	}
	p := Problem{Code: PropertyUnknown, Message: "The property '" + document.Shorten(name) + "' is unknown and has no effect",
		atName: true, Remedy: "Remove it"}
	if other, ok := others[strings.ReplaceAll(strings.ToLower(name), "_", "-")]; ok {
		p.Code, p.Remedy = PropertyOfOthers, other
		p.Message = "The property '" + document.Shorten(name) + "' is one of other services and has no effect"
	} else if near, ok := document.Nearest(kind, name); ok {
		p.Message = "The property '" + document.Shorten(name) + "' is unknown and has no effect: did you mean '" + near.Name + "'?"
		p.Remedy = "Write '" + near.Name + "'"
		if isElement && near.Settings {
			p.Remedy += " into 'settings'"
		}
	}
	r.add(at, p)
}

// misplaced adds a problem for a setting, such as a colour, that stands in the element itself instead of its object
// settings. The render uses such a setting nevertheless, unless the object settings has it too. Decision 53.
func (r ruler) misplaced(at path, name string, setting document.Property, object map[string]any) {
	p := Problem{Code: document.PropertyMisplaced, Remedy: "Write it into 'settings'", atName: true,
		Message: "The property '" + document.Shorten(name) + "' belongs in 'settings'; it is used as if it stood there"}
	if document.HasSetting(object, name) {
		p.Message = "The property '" + document.Shorten(name) + "' belongs in 'settings', which have another value: that one is used"
		p.Remedy = "Remove it"
	}
	r.add(at, p)
	r.value(at, setting, object[name])
}

// knownSomewhere reports whether elements of some type have a property.
func knownSomewhere(name string) bool {
	for _, kind := range document.Kinds() {
		if strings.HasPrefix(kind, "element:") || strings.HasPrefix(kind, "settings:") {
			if _, ok := document.Find(kind, name); ok {
				return true
			}
		}
	}
	return false
}

// others maps properties of other services' formats, in lower case with dashes, to advice on what to write in this format.
var others = map[string]string{
	"fit":           "Use 'resize': \"cover\" or \"fit\"",
	"blur":          "Remove it: elements cannot be blurred; a text can have a blurred 'text-shadow', an html any CSS",
	"filter":        "Use 'correction' for brightness, contrast, gamma and saturation; an html can have any CSS",
	"animation":     "Use 'fade-in', 'fade-out', 'zoom', 'pan', or the 'style' of a text",
	"animations":    "Use 'fade-in', 'fade-out', 'zoom', 'pan', or the 'style' of a text",
	"effect":        "Use 'zoom', 'pan', 'rotate' or 'correction'",
	"effects":       "Use 'zoom', 'pan', 'rotate' or 'correction'",
	"rotation":      "Use 'rotate': {\"angle\": degrees}",
	"z":             "Use 'z-index'",
	"track":         "Use 'z-index': elements are also drawn in the order of their list",
	"layer":         "Use 'z-index': elements are also drawn in the order of their list",
	"length":        "Use 'duration'",
	"time":          "Use 'start'",
	"end":           "Use 'start' and 'duration'",
	"trim":          "Use 'seek', and 'duration' for the length",
	"trim-start":    "Use 'seek'",
	"source":        "Use 'src'",
	"url":           "Use 'src'",
	"clips":         "Use 'scenes' with 'elements'",
	"timeline":      "Use 'scenes' with 'elements'",
	"output":        "Use 'resolution', 'fps' and 'quality'",
	"soundtrack":    "Use an element of type 'audio' in the movie's 'elements', with 'duration': -2",
	"webhook":       "Use 'exports': [{\"destinations\": [{\"type\": \"webhook\", \"endpoint\": …}]}]",
	"callback":      "Use 'exports': [{\"destinations\": [{\"type\": \"webhook\", \"endpoint\": …}]}]",
	"frame-rate":    "Use 'fps'",
	"offset":        "Use 'x' and 'y'",
	"fill-color":    "Use 'color' in 'settings'",
	"text-color":    "Use 'color' in 'settings'",
	"keyframes":     "Use 'zoom', 'pan' and 'rotate', or an html with CSS animations and 'capture'",
	"border":        "Use an html or a shape component",
	"blend-mode":    "Remove it: elements are laid over each other as they are",
	"speed":         "Remove it: videos play at their own speed",
	"playback-rate": "Remove it: videos play at their own speed",
}

// list checks the items of a list of objects.
func (r ruler) list(at path, p document.Property, value any, one func(pointer path, item map[string]any)) {
	items, ok := value.([]any)
	if !ok {
		r.value(at, p, value)
		return
	}
	for i, item := range items {
		if r.c.enough() {
			return
		}
		pointer := append(at, strconv.Itoa(i))
		if object, ok := item.(map[string]any); ok {
			one(pointer, object)
			continue
		}
		r.add(pointer, Problem{Code: document.ValueType,
			Message: "Entry #" + strconv.Itoa(i+1) + " of '" + p.Name + "' must be an object, not " + shown(item),
			Remedy:  "Write {…}, or remove it"})
	}
}

// groups checks the settings of a component.
func (r ruler) groups(at path, component, value any) {
	object, ok := value.(map[string]any)
	id, isText := component.(string)
	if !ok {
		if !computed(value) {
			r.add(at, Problem{Code: document.ValueType,
				Message: "The property 'settings' must be an object, not " + shown(value), Remedy: "Write {…}"})
		}
		return
	}
	names := document.ComponentGroups(strings.TrimSpace(id))
	if !isText || names == nil {
		return // an unknown component has no known groups to check
	}
	var room [usualNames]string
	for _, name := range sortedNames(room[:0], object) {
		kind := document.ComponentKind(strings.TrimSpace(id), name)
		pointer := append(at, name)
		if document.Lookup(kind) == nil {
			r.unknownGroup(pointer, name, id, names)
			continue
		}
		switch group := object[name].(type) {
		case map[string]any:
			r.object(kind, pointer, group)
		case []any:
			r.add(pointer, Problem{Code: document.ValueType,
				Message: "The group '" + document.Shorten(name) + "' must be an object, not a list", Remedy: "Write {…}"})
		}
	}
}

func (r ruler) unknownGroup(pointer path, name, id string, names []string) {
	if strings.HasPrefix(name, "_") {
		return
	}
	p := Problem{Code: GroupUnknown, atName: true, Remedy: "Use one of: " + strings.Join(names, ", "),
		Message: "The component '" + document.Shorten(id) + "' has no group '" + document.Shorten(name) + "'"}
	if near, ok := document.NearestWord(names, name); ok {
		p.Message += fmt.Sprintf(": did you mean '%s'?", near)
		p.Remedy = "Write '" + near + "'"
	}
	r.add(pointer, p)
}

// repeated adds problems for repeated names in an object. Decision 24.
func (r ruler) repeated() {
	if r.c.enough() {
		return
	}
	for _, again := range document.Repeated(r.text.Raw) {
		p := Problem{Code: document.PropertyRepeated, Remedy: "Remove all but one", atName: true}
		p.Message = document.RepeatedWarning("")
		if tokens := jsontext.Tokens(again); len(tokens) > 0 {
			name := document.Shorten(tokens[len(tokens)-1])
			p.Message = "The property '" + name + "' is given more than once, the last one counts"
		}
		if r.text.Template == "" {
			p.warning = document.RepeatedWarning(again)
		}
		r.addAt(again, p)
	}
}

// computed reports whether a value is a text with an expression, so its result is not known yet.
func computed(value any) bool {
	text, ok := value.(string)
	return ok && expr.Has(text)
}

// shown formats a value for a message.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return strconv.Quote(document.Shorten(v))
	default:
		return fmt.Sprint(v)
	}
}

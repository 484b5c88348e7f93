package document

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Patterns for numbers and booleans written as texts (decision 23); an empty text means absent.
const (
	numberPattern  = `^\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?\s*$`
	booleanPattern = `^\s*([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|0|1)?\s*$`
	colorPattern   = `^\s*(#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|[A-Za-z]+\(.*\)|[A-Za-z]*)\s*$`
)

// scalars returns the definitions of the scalar types: the value, its text form, or an expression; null means absent.
func (s schemaMaker) scalars() jsonObject {
	expression := jsonObject{{"type", "string"}, {"pattern", `\{\{`}, {"description", "An expression, {{ … }}, is replaced " +
		"by what it comes to."}}
	either := func(doc, pattern string, value jsonObject, loose ...string) jsonObject {
		types := append(loose, "null")
		if !s.closed {
			return jsonObject{{"description", doc}, {"type", append([]string{}, types...)}}
		}
		return jsonObject{{"description", doc}, {"anyOf", []any{
			value, jsonObject{{"type", "string"}, {"pattern", pattern}}, s.ref("Expression"), jsonObject{{"type", "null"}},
		}}}
	}
	text := jsonObject{{"description", "A text; numbers and booleans are written out."},
		{"type", []string{"string", "number", "boolean", "null"}}}
	return jsonObject{
		{"Expression", expression},
		{"Text", text},
		{"Number", either("A number, also as text.", numberPattern, jsonObject{{"type", "number"}}, "number", "string")},
		{"Integer", either("A whole number, also as text; others are rounded.", numberPattern, jsonObject{{"type", "number"}},
			"number", "string")},
		{"Boolean", either("True or false, also as text.", booleanPattern, jsonObject{{"enum", []any{true, false, 0, 1}}},
			"boolean", "string", "number")},
		{"Color", either("A colour of CSS: #rgb, #rrggbb, #rrggbbaa, rgb(), a name, or transparent.", colorPattern,
			jsonObject{{"type", "null"}}, "string")},
		{"Address", jsonObject{{"description", "The address of a file, http or https."}, {"type", []string{"string", "null"}}}},
		{"Length", jsonObject{{"description", "A number of pixels, or a number with a unit: px, vw, vh, em, rem, %."},
			{"type", []string{"number", "string", "null"}}}},
		{"CSS", jsonObject{{"description", "A value in the notation of CSS."},
			{"type", []string{"string", "number", "boolean", "null"}}}},
	}
}

// scalarNames are the names of the definitions of the scalar types.
var scalarNames = map[PropertyType]string{
	TextType: "Text", NumberType: "Number", IntegerType: "Integer", BooleanType: "Boolean", ColorType: "Color",
	AddressType:  "Address",
	DurationType: "Number", LengthType: "Length", CSSType: "CSS",
}

// properties returns the schemas of the properties in rows by their names. In a closed schema it adds the aliases and the
// spellings with underscores, and with camelled also spellings like fontSize.
func (s schemaMaker) properties(rows []Property, camelled bool) jsonObject {
	var all, others jsonObject
	for _, p := range rows {
		schema := s.property(p)
		all = append(all, member{p.Name, schema})
		if !s.closed {
			continue
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			spellings := []string{name, strings.ReplaceAll(name, "-", "_")}
			if first, rest, found := strings.Cut(name, "-"); camelled && found {
				spellings = append(spellings, first+camel(rest))
			}
			for _, spelling := range spellings {
				if spelling == p.Name || slices.ContainsFunc(others, func(m member) bool { return m.name == spelling }) {
					continue
				}
				others = append(others, member{spelling, append(jsonObject{{"deprecated", true}}, schema...)})
			}
		}
	}
	return append(all, others...)
}

// property returns the schema of the values of one property.
func (s schemaMaker) property(p Property) jsonObject {
	doc := p.Doc
	if bounds := boundsOf(p); bounds != "" {
		doc += " " + bounds
	}
	// An open schema has no defaults: generated clients take a property with a default as required, or send the default.
	if p.Default != "" && !s.closed {
		doc += " Default: " + p.Default + "."
	}
	o := jsonObject{{"description", doc}}
	if p.Default != "" && s.closed {
		o = append(o, member{"default", json.RawMessage(p.Default)})
	}
	if p.Example != "" {
		o = append(o, member{"examples", []any{json.RawMessage(p.Example)}})
	}
	if note := p.Name == "comment" || p.Name == "$schema"; p.Idle && !note {
		o = append(o, member{"deprecated", true})
	}
	forms := s.forms(p)
	if len(forms) == 1 {
		return append(o, forms[0]...)
	}
	return append(o, member{"anyOf", forms})
}

// boundsOf describes the range of a number in words.
func boundsOf(p Property) string {
	unit := p.Unit
	if unit != "" {
		unit = " " + unit
	}
	switch {
	case p.Min != nil && p.Max != nil:
		return fmt.Sprintf("From %s to %s%s.", plainNumber(*p.Min), plainNumber(*p.Max), unit)
	case p.Min != nil:
		return fmt.Sprintf("At least %s%s.", plainNumber(*p.Min), unit)
	case unit != "":
		return "In" + unit + "."
	}
	return ""
}

func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// forms returns the schemas of all forms of a property's value.
func (s schemaMaker) forms(p Property) []jsonObject {
	if p.Type == DataType {
		return []jsonObject{nil}
	}
	forms := s.formsOf(p, p.Type)
	if p.Or != "" {
		forms = append(forms, s.formsOf(p, p.Or)...)
	}
	if p.Type != ChoiceType && p.Type != TextType && p.Type != ObjectType && len(p.Values) > 0 {
		forms = append(forms, s.words(p.Values))
	}
	return forms
}

// formsOf returns JSON schemas for the values that property p accepts if its type is the argument `as`. That argument is
// one of the types that p has.
func (s schemaMaker) formsOf(p Property, as PropertyType) []jsonObject {
	switch as {
	case ObjectType:
		return []jsonObject{s.objectForm(p), {{"type", "null"}}}
	case ListType:
		items := s.ref("Text")
		if p.Kind != "" {
			items = s.ref(itemName(p.Kind))
		}
		return []jsonObject{{{"type", "array"}, {"items", items}}}
	case ChoiceType:
		return []jsonObject{s.words(p.valuesOr()), s.expression()}
	}
	one := s.ref(scalarNames[as])
	if s.closed && p.Min != nil {
		one = append(one, member{"minimum", *p.Min})
	}
	if s.closed && p.Max != nil {
		one = append(one, member{"maximum", *p.Max})
	}
	return []jsonObject{one}
}

// valuesOr returns the words that a choice accepts: its Values or, for the transition of a scene, which has none,
// TransitionStyles.
func (p Property) valuesOr() []string {
	if len(p.Values) > 0 {
		return p.Values
	}
	return TransitionStyles
}

func (s schemaMaker) words(values []string) jsonObject { return jsonObject{{"enum", values}} }

// expression returns the schema of the texts that a choice accepts besides its words: in a closed schema an expression; in
// an open schema any text, since case does not matter and most unknown words cause a warning only.
func (s schemaMaker) expression() jsonObject {
	if s.closed {
		return s.ref("Expression")
	}
	return jsonObject{{"type", []string{"string", "null"}}}
}

func (s schemaMaker) objectForm(p Property) jsonObject {
	if p.Kind == SettingsKind(TypeComponent) {
		other := jsonObject{{"type", "object"}}
		// A closed schema, which allows no unknown properties, needs only any object here: byComponent adds the settings of
		// each component.
		if s.closed {
			return other
		}
		var all []any
		for _, c := range components {
			all = append(all, s.ref(SchemaName("component:"+c.id+"/settings")))
		}
		return jsonObject{{"anyOf", append(all, other)}}
	}
	return s.ref(SchemaName(p.Kind))
}

// itemName returns the name of the definition of a list's items.
func itemName(kind string) string {
	if kind == PreloadKind {
		return "PreloadedElement"
	}
	return SchemaName(kind)
}

// element returns the schema of all elements, selected by type.
func (s schemaMaker) element() jsonObject {
	if !s.closed {
		var types []any
		for _, name := range elementTypes {
			types = append(types, s.ref(SchemaName(ElementKind(name))))
		}
		other := jsonObject{{"type", "object"}, {"allOf", []any{s.ref("AnyElement"), s.ref("Repeated")}},
			{"properties", jsonObject{{"type", s.ref("Text")}}}}
		return jsonObject{{"description", "One picture, text or sound; its type says which properties it has."},
			{"anyOf", append(types, other)}}
	}
	var branches []any
	for _, name := range elementTypes {
		branches = append(branches, jsonObject{{"if", isConst("type", name)}, {"then", s.ref(SchemaName(ElementKind(name)))}})
	}
	kind, _ := Find("element", "type")
	return jsonObject{
		{"type", "object"}, {"description", "One picture, text or sound; its type says which properties it has."},
		{"properties", jsonObject{{"type", s.property(kind)}}}, {"required", []string{"type"}}, {"allOf", branches},
	}
}

func isConst(name, value string) jsonObject {
	return jsonObject{{"properties", jsonObject{{name, jsonObject{{"const", value}}}}}, {"required", []string{name}}}
}

// preload returns the schema of a preload item: an element with an id.
func (s schemaMaker) preload() jsonObject {
	return jsonObject{{"description", "An asset to make ready: an element with an id."}, {"allOf", []any{s.ref("Element")}},
		{"required", []string{"id"}}}
}

// byComponent returns, for each component, the schema of its settings.
func (s schemaMaker) byComponent() []any {
	var all []any
	for _, c := range components {
		all = append(all, jsonObject{{"if", isConst("component", c.id)}, {"then", jsonObject{
			{"properties", jsonObject{{"settings", s.ref(SchemaName("component:" + c.id + "/settings"))}}},
		}}})
	}
	return all
}

// groups returns the schema of the settings of one component.
func (s schemaMaker) groups(c componentRow) jsonObject {
	var named, numbered jsonObject
	for _, g := range c.groups {
		form := jsonObject{{"description", g.doc}, {"anyOf", []any{
			s.ref(SchemaName(ComponentKind(c.id, g.name))), s.ref("Text"), jsonObject{{"type", "array"}, {"items", s.ref("Text")}},
		}}}
		if g.parts&isNumbered != 0 { // names with numbers are accepted too: rectangle1, rectangle2 …
			numbered = append(numbered, member{"^" + g.name + "[-_]?[0-9]*$", form})
			continue
		}
		named = append(named, member{g.name, form})
		if underlined := strings.ReplaceAll(g.name, "-", "_"); s.closed && underlined != g.name {
			named = append(named, member{underlined, form})
		}
	}
	o := jsonObject{{"type", []string{"object", "null"}}, {"description", c.doc}, {"properties", named}}
	if len(numbered) > 0 {
		o = append(o, member{"patternProperties", numbered})
	}
	if s.closed {
		o = append(o, member{"additionalProperties", false})
	}
	return o
}

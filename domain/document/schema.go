package document

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Schema returns the JSON Schema (2020-12) of movies, generated from the table of properties. Objects of most kinds allow no
// unknown members (see OpenKind), so that an editor marks such members. Every scalar may also be a text (decision 23) or an
// expression.
func Schema() []byte {
	s := schemaMaker{base: "#/$defs/", closed: true}
	root := s.kind(MovieKind, "A movie.")
	head := jsonObject{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Movie"},
		{"$comment", "Made of the table of properties in domain/document."},
	}
	return s.encode(slices.Concat(head, root, jsonObject{{"$defs", s.definitions()}}))
}

// OpenSchemas returns the definitions of Schema in the form for OpenAPI, by name, Movie among them. Objects allow unknown
// members, value types are loose, and defaults are described in words. So generated clients do not refuse a movie that the
// service accepts, and do not send defaults.
func OpenSchemas() map[string]json.RawMessage {
	s := schemaMaker{base: "#/components/schemas/"}
	all := map[string]json.RawMessage{"Movie": s.encode(s.kind(MovieKind,
		"A movie. It has at least one of scenes, elements, template and project. "+
			"Unknown properties are ignored, numbers and booleans may be written as text (Decision 23), and any value may be "+
			"an expression, {{…}}."))}
	for _, d := range s.definitions() {
		all[d.name] = s.encode(d.value)
	}
	return all
}

// jsonObject is a JSON object whose members keep their order.
type jsonObject []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o jsonObject) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// schemaMaker makes the definitions either of Schema (closed is true) or of OpenSchemas.
type schemaMaker struct {
	base   string // what a reference to a definition has before the definition's name
	closed bool
}

func (s schemaMaker) encode(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("document: the schema cannot be written: " + err.Error())
	}
	return raw
}

func (s schemaMaker) ref(name string) jsonObject { return jsonObject{{"$ref", s.base + name}} }

// sharedRows maps names of definitions to the properties that several kinds share.
func sharedRows() map[string][]Property {
	n := len(elementProperties) - len(repeatedProperties)
	return map[string][]Property{
		"Repeated": repeatedProperties, "AnyElement": elementProperties[1:n], "Visual": visualProperties, "Sound": soundProperties,
		"Styles": belonging(styleProperties(ofComponent)), "Motion": belonging(motionProperties),
	}
}

// definitions returns all shared definitions, scalars first.
func (s schemaMaker) definitions() jsonObject {
	all := s.scalars()
	shared := sharedRows()
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		all = append(all, member{name, jsonObject{{"type", "object"},
			{"properties", s.properties(shared[name], name == "Styles" || name == "Motion")}}})
	}
	all = append(all, member{"Scene", s.kind(SceneKind, "One part of a movie.")})
	all = append(all, member{"Element", s.element()}, member{"PreloadedElement", s.preload()})
	for _, kind := range Kinds() {
		if kind == MovieKind || kind == SceneKind || kind == PreloadKind || kind == "element" || kind == SettingsKind(TypeComponent) {
			continue
		}
		all = append(all, member{SchemaName(kind), s.kind(kind, kindDoc(kind))})
	}
	for _, c := range components {
		all = append(all, member{SchemaName("component:" + c.id + "/settings"), s.groups(c)})
	}
	return all
}

// SchemaName returns the name of a kind's definition in Schema and OpenSchemas: ImageElement, TextSettings,
// Basic050Headline, ChromaKey.
func SchemaName(kind string) string {
	group, name, found := strings.Cut(kind, ":")
	if !found {
		return camel(kind)
	}
	switch group {
	case "element":
		return camel(name) + "Element"
	case "settings":
		return camel(name) + "Settings"
	}
	return camel(name)
}

// camel joins words in camel case: basic/050/headline becomes Basic050Headline.
func camel(text string) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '-' || r == ' ' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// kindDoc describes a kind of object in words.
func kindDoc(kind string) string {
	group, name, _ := strings.Cut(kind, ":")
	switch group {
	case "element":
		return "An element of type " + name + "."
	case "settings":
		return "The settings of an element of type " + name + "."
	}
	for _, c := range components {
		for _, g := range c.groups {
			if kind == ComponentKind(c.id, g.name) {
				return g.doc
			}
		}
	}
	return ""
}

// kind returns the schema of a kind of object, with the description doc. It refers to the shared definitions for the properties
// that several kinds share.
func (s schemaMaker) kind(kind, doc string) jsonObject {
	rows, parts := Lookup(kind), []any{}
	shared := sharedRows()
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if !contains(rows, shared[name]) {
			continue
		}
		parts = append(parts, s.ref(name))
		rows = slices.DeleteFunc(slices.Clone(rows), func(p Property) bool { return slices.ContainsFunc(shared[name], p.same) })
	}
	o := jsonObject{{"type", "object"}}
	if doc != "" {
		o = append(o, member{"description", doc})
	}
	properties := s.properties(rows, strings.HasPrefix(kind, "component:"))
	var required []string
	if elementType, ok := strings.CutPrefix(kind, "element:"); ok {
		properties = slices.DeleteFunc(properties, func(m member) bool { return m.name == "type" })
		properties = append(jsonObject{{"type", jsonObject{{"const", elementType}}}}, properties...)
		required = append(required, "type")
	}
	for _, p := range rows {
		if p.Required && s.closed && p.Name != "type" {
			required = append(required, p.Name)
		}
	}
	if kind == ElementKind(TypeComponent) && s.closed {
		parts = append(parts, s.byComponent()...)
	}
	if len(parts) > 0 {
		o = append(o, member{"allOf", parts})
	}
	o = append(o, member{"properties", properties})
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	if s.closed && !OpenKind(kind) {
		o = append(o, member{"unevaluatedProperties", false})
	}
	return o
}

// same reports whether two properties have the same name, description, default and type, and the same field Idle (which
// says that a property has no effect).
func (p Property) same(other Property) bool {
	return p.Name == other.Name && p.Doc == other.Doc && p.Default == other.Default && p.Type == other.Type && p.Idle == other.Idle
}

// contains reports whether rows has a property of the same name for each property in shared. The two may differ in other ways,
// because a type may define a shared property differently.
func contains(rows, shared []Property) bool {
	n := 0
	for _, p := range shared {
		if slices.ContainsFunc(rows, func(other Property) bool { return other.Name == p.Name }) {
			n++
		}
	}
	return n == len(shared)
}

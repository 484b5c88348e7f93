package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// roots are the schemas of answers and messages that become types of the client; what they refer to comes with them.
var roots = []string{
	"Batch", "Batches", "Cancelled", "CancelledBatch", "Credits", "Deleted", "History", "List", "LiveEvent", "MediaDone",
	"MediaFileAnswer", "MediaList", "MediaRegistered", "Moment", "PricedBatch", "SavedTemplate", "Single", "SingleTemplate",
	"StartedBatch", "Stills", "Submitted", "TemplateDone", "TemplateLibrary", "Templates", "Validation", "WebhookPayload",
}

// schema is a JSON Schema, as far as the description uses it.
type schema struct {
	Ref         string `json:"$ref"`
	Type        types  `json:"type"`
	Description string
	Const       any
	Enum        []any
	Properties  map[string]*schema
	Required    []string
	Items       *schema
	AnyOf       []*schema
	OneOf       []*schema
}

// types are the types of a value: one, or a list.
type types []string

func (t *types) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// operation is a method of a path; other members of a path are read as one without answers.
type operation struct {
	Responses map[string]struct {
		Content map[string]struct{ Schema schema }
	}
}

func (o *operation) UnmarshalJSON(raw []byte) error {
	type plain operation
	if raw[0] != '{' {
		return nil
	}
	return json.Unmarshal(raw, (*plain)(o))
}

// answersOf returns the operations whose success is a schema, as "GET /v2/movies", by the schema's name.
func answersOf(paths map[string]map[string]operation) map[string][]string {
	found := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(paths[path])) {
			s := paths[path][method].Responses["200"].Content["application/json"].Schema
			for _, one := range append([]*schema{&s}, slices.Concat(s.AnyOf, s.OneOf)...) {
				if _, name, ok := strings.Cut(one.Ref, "#/components/schemas/"); ok {
					found[name] = append(found[name], strings.ToUpper(method)+" "+path)
				}
			}
		}
	}
	return found
}

// generator writes types, each once.
type generator struct {
	schemas map[string]*schema
	answers map[string][]string // the operations that answer with a schema, by its name
	done    map[string]string   // declarations by name
}

// generate returns the source of the types.
func generate(description []byte) ([]byte, error) {
	var d struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]*schema }
	}
	if err := json.Unmarshal(description, &d); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	g := generator{d.Components.Schemas, answersOf(d.Paths), map[string]string{}}
	for _, name := range roots {
		if g.schemas[name] == nil {
			return nil, fmt.Errorf("the description has no schema %s", name)
		}
		g.declare(name, g.schemas[name], "")
	}
	var out bytes.Buffer
	out.WriteString("// Code generated from the description of the HTTP interface; DO NOT EDIT.\n\n" +
		"package client\n\nimport \"time\"\n")
	for _, name := range slices.Sorted(maps.Keys(g.done)) {
		out.WriteString(g.done[name])
	}
	return format.Source(out.Bytes())
}

// declare writes a struct. within is the struct that it is a part of; empty: none.
func (g *generator) declare(name string, s *schema, within string) {
	if _, there := g.done[name]; there {
		return
	}
	g.done[name] = "" // it may refer to itself
	var out strings.Builder
	about := s.Description
	switch answers := g.answers[name]; {
	case about != "":
	case len(answers) > 0:
		about = "The answer of " + strings.Join(answers, ", ") + "."
	case within != "":
		about = "A part of " + within + "."
	}
	fmt.Fprintf(&out, "\n%stype %s struct {\n", wrapped(name+": "+comment(about)), name)
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[property]
		field, omitted := g.typeOf(name+exported(property), p, name), ""
		if !slices.Contains(s.Required, property) {
			omitted = ",omitempty"
			if field == "time.Time" {
				field = "*time.Time" // the zero time is not left out
			}
		}
		out.WriteString(wrapped(describe(p)))
		fmt.Fprintf(&out, "%s %s `json:\"%s%s\"`\n", exported(property), field, property, omitted)
	}
	out.WriteString("}\n")
	g.done[name] = out.String()
}

// describe is the comment of a field: its description, and the values that it may have.
func describe(s *schema) string {
	about := comment(s.Description)
	if len(s.Enum) == 0 {
		return about
	}
	values := make([]string, len(s.Enum))
	for i, value := range s.Enum {
		values[i] = fmt.Sprint(value)
	}
	return strings.TrimSpace(about + " One of: " + strings.Join(values, ", ") + ".")
}

// wrapped is a text as lines of comments; none for no text.
func wrapped(text string) string {
	const width = 120
	var out strings.Builder
	line := ""
	for _, word := range append(strings.Fields(text), "") {
		if line != "" && (word == "" || len(line)+len(word) >= width) {
			out.WriteString("//" + line + "\n")
			line = ""
		}
		line += " " + word
	}
	return out.String()
}

func comment(text string) string { return strings.Join(strings.Fields(text), " ") }

// typeOf is the Go type of a schema in a struct; name is that of a struct that it needs.
func (g *generator) typeOf(name string, s *schema, within string) string {
	if nullable, rest := withoutNull(s); nullable {
		inner := g.typeOf(name, rest, within)
		if strings.HasPrefix(inner, "[]") || strings.HasPrefix(inner, "map[") || inner == "any" {
			return inner
		}
		return "*" + inner
	}
	if _, ref, ok := strings.Cut(s.Ref, "#/components/schemas/"); ok {
		return g.referred(ref, within)
	}
	switch s.kind() {
	case "string":
		return "string"
	case "boolean":
		return "bool"
	case "integer":
		return "int64"
	case "number":
		return "float64"
	case "array":
		if s.Items != nil {
			return "[]" + g.typeOf(name, s.Items, within)
		}
		return "[]any"
	case "object":
		if len(s.Properties) > 0 {
			g.declare(name, s, within)
			return name
		}
		return "map[string]any"
	}
	return "any"
}

// referred is the type of a schema with a name, in a struct.
func (g *generator) referred(ref, within string) string {
	s := g.schemas[ref]
	switch {
	case ref == "Timestamp":
		return "time.Time"
	case s == nil:
		return "any"
	case s.kind() == "object" && len(s.Properties) > 0:
		g.declare(ref, s, within)
		return ref
	}
	return g.typeOf(ref, s, within)
}

// kind is the one type of a schema, or that of its values where they are texts or booleans; empty: not known.
func (s *schema) kind() string {
	if len(s.Type) == 1 {
		return s.Type[0]
	}
	value := s.Const
	if len(s.Enum) > 0 {
		value = s.Enum[0]
	}
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return ""
}

// withoutNull parts a schema from null.
func withoutNull(s *schema) (nullable bool, rest *schema) {
	if i := slices.Index(s.Type, "null"); i >= 0 && len(s.Type) == 2 {
		plain := *s
		plain.Type = types{s.Type[1-i]}
		return true, &plain
	}
	for _, choice := range [][]*schema{s.AnyOf, s.OneOf} {
		if i := slices.IndexFunc(choice, func(c *schema) bool { return slices.Equal(c.Type, types{"null"}) }); i >= 0 &&
			len(choice) == 2 {
			return true, choice[1-i]
		}
	}
	return false, nil
}

// exported is the Go name of a property: client-data is ClientData.
func exported(property string) string {
	parts := strings.FieldsFunc(property, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, part := range parts {
		switch lower := strings.ToLower(part); lower {
		case "id", "url", "fps":
			parts[i] = strings.ToUpper(part)
		default:
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

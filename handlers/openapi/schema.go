package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is as much of a JSON Schema as the page shows.
type schema struct {
	Ref         string `json:"$ref"`
	Type        any
	Format      string
	Description string
	Enum        []any
	Const       any
	Required    []string
	Properties  map[string]schema
	Items       *schema
	AnyOf       []schema `json:"anyOf"`
	OneOf       []schema `json:"oneOf"`
	AllOf       []schema `json:"allOf"`
	Minimum     any
	Maximum     any
	MinLength   any
	MaxLength   any
	Default     any
}

// row is one property of an object.
type row struct {
	Name     string
	Required bool
	Schema   schema
}

// rows are the properties of an object: those that are always there first, then by name.
func (s schema) rows() []row {
	var list []row
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		list = append(list, row{Name: name, Required: slices.Contains(s.Required, name), Schema: s.Properties[name]})
	}
	slices.SortStableFunc(list, func(a, b row) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return list
}

// Name is the shared schema that a schema refers to; empty: it is no reference.
func (s schema) Name() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// words are the values of an enumeration, as text.
func (s schema) words() []string {
	var list []string
	for _, value := range s.Enum {
		list = append(list, fmt.Sprint(value))
	}
	return list
}

// text is the type of a value, in words: "integer, 1 to 100", "array of Status", "string or null".
func (s schema) text() string {
	switch {
	case s.Ref != "":
		return s.Name()
	case s.Const != nil:
		return "always " + quoted(s.Const)
	case len(s.AnyOf)+len(s.OneOf) > 0:
		var parts []string
		for _, part := range append(slices.Clone(s.AnyOf), s.OneOf...) {
			parts = append(parts, part.text())
		}
		return strings.Join(parts, " or ")
	case s.Items != nil:
		return "array of " + s.Items.text()
	}
	text := s.plain()
	if len(s.Enum) > 0 {
		text += ": " + strings.Join(s.words(), ", ")
	}
	return text + s.bounds()
}

func (s schema) plain() string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		var names []string
		for _, name := range t {
			names = append(names, fmt.Sprint(name))
		}
		return strings.Join(names, " or ")
	}
	return "any"
}

func (s schema) bounds() string {
	var text string
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		text = fmt.Sprintf(", %v to %v", s.Minimum, s.Maximum)
	case s.Minimum != nil:
		text = fmt.Sprintf(", at least %v", s.Minimum)
	case s.MinLength != nil && s.MinLength == s.MaxLength:
		text = fmt.Sprintf(", %v characters", s.MinLength)
	case s.MinLength != nil && s.MaxLength != nil:
		text = fmt.Sprintf(", %v to %v characters", s.MinLength, s.MaxLength)
	}
	if s.Default != nil {
		text += fmt.Sprintf(", default %v", s.Default)
	}
	return text
}

func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

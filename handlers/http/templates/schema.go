package templates

import (
	"encoding/json"
	"slices"
)

// schemaDialect is the version of JSON Schema that is written.
const schemaDialect = "https://json-schema.org/draft/2020-12/schema"

// schema is a JSON Schema.
type schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // name of a type, or a list of names
	Format      string             `json:"format,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	OneOf       []constant         `json:"oneOf,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
}

// constant is one of the values that a variable may have.
type constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// schemaOf describes the variables of a movie. No variable is required, because each has a default. Additional variables
// are allowed. Of the variables with the names in hidden it tells no value: a tool would send what it is told.
func schemaOf(name string, movie []byte, hidden []string) *schema {
	s := &schema{Dialect: schemaDialect, Title: name, Type: "object", Properties: map[string]*schema{}}
	for _, v := range variablesOf(movie) {
		if slices.Contains(hidden, v.name) {
			s.Properties[v.name] = &schema{Title: humanised(v.name), Description: v.help}
			continue
		}
		s.Properties[v.name] = v.schema()
	}
	return s
}

func (v variable) schema() *schema {
	s := valueSchema(v.raw)
	s.Title, s.Description, s.Default = humanised(v.name), v.help, v.raw
	for _, o := range v.options {
		s.OneOf = append(s.OneOf, constant{Const: o.Value, Title: o.Label})
	}
	if len(s.OneOf) > 0 {
		s.Type = "string"
	}
	return s
}

// valueSchema returns the schema of a variable from its default value. Numbers may also be written as texts, as everywhere in a
// movie (decision 23).
func valueSchema(raw json.RawMessage) *schema {
	var value any
	_ = json.Unmarshal(raw, &value) // json.Unmarshal leaves value nil after an error, and the schema then allows any value
	switch value.(type) {
	case bool:
		return &schema{Type: "boolean"}
	case float64:
		return &schema{Type: []string{"number", "string"}}
	case string:
		return &schema{Type: "string"}
	case []any:
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		s := &schema{Type: "array"}
		if len(items) > 0 {
			s.Items = valueSchema(items[0])
		}
		return s
	case map[string]any:
		s := &schema{Type: "object", Properties: map[string]*schema{}}
		for _, m := range membersOf(raw) {
			s.Properties[m.name] = m.schema()
		}
		return s
	}
	return &schema{}
}

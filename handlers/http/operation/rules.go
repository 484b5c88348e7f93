package operation

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Rule changes the schema of a field, a parameter or a model.
type Rule func(*member)

// member is a schema that rules change, and whether the field or parameter with the schema is required.
type member struct {
	models   *Models
	schema   *jsonschema.Schema
	required bool
}

func apply(s *jsonschema.Schema, rules []Rule) {
	changed := &member{schema: s}
	for _, rule := range rules {
		rule(changed)
	}
	*s = *changed.schema
}

func keyword(set func(s *jsonschema.Schema)) Rule { return func(m *member) { set(m.schema) } }

// typed returns a rule that changes the schema to that of a JSON type.
func typed(name string) Rule {
	return keyword(func(s *jsonschema.Schema) { s.Type, s.Types = name, nil })
}

// Rules for JSON types of values that have no Go type.
var (
	Integer = typed("integer")
	Number  = typed("number")
	Boolean = typed("boolean")
	String  = Rule(func(m *member) {
		null := m.schema.AnyOf != nil
		if m.schema = (&jsonschema.Schema{Type: "string"}); null {
			m.schema = nullable(m.schema)
		}
	})
	Map = Rule(func(m *member) { m.schema = &jsonschema.Schema{Type: "object"} })
)

// Time changes the schema to that of a time in the form of web.Stamp. A schema that allowed null still allows it.
var Time Rule = func(m *member) {
	null := len(m.schema.Types) > 0
	m.schema = reference("Timestamp")
	if null {
		m.schema = nullable(m.schema)
	}
}

// Required makes a field required.
var Required Rule = func(m *member) { m.required = true }

// Optional makes a field optional.
var Optional Rule = func(m *member) { m.required = false }

// Null allows null.
var Null Rule = func(m *member) { m.schema = nullable(m.schema) }

// NotNull forbids null even if the Go type allows it.
var NotNull Rule = func(m *member) {
	if len(m.schema.Types) > 0 {
		m.schema.Type, m.schema.Types = m.schema.Types[0], nil
	}
	if m.schema.AnyOf != nil {
		m.schema = m.schema.AnyOf[0]
	}
}

// Is replaces the whole schema by the one that shape returns.
func Is(shape Shape) Rule { return func(m *member) { m.schema = shape(m.models) } }

// Types allows several JSON types.
func Types(names ...string) Rule {
	return keyword(func(s *jsonschema.Schema) { s.Type, s.Types = "", names })
}

// Enum allows only the given values.
func Enum(values ...string) Rule {
	return func(m *member) {
		for _, v := range values {
			m.schema.Enum = append(m.schema.Enum, v)
		}
		if len(m.schema.Types) > 0 {
			m.schema.Enum = append(m.schema.Enum, nil)
		}
	}
}

// Const allows only the given value.
func Const(value any) Rule {
	return func(m *member) { m.schema = &jsonschema.Schema{Const: &value} }
}

// Min sets the minimum of a number.
func Min(n float64) Rule { return keyword(func(s *jsonschema.Schema) { s.Minimum = &n }) }

// Max sets the maximum of a number.
func Max(n float64) Rule { return keyword(func(s *jsonschema.Schema) { s.Maximum = &n }) }

// Shortest sets the minimum length of a string.
func Shortest(n int) Rule { return keyword(func(s *jsonschema.Schema) { s.MinLength = &n }) }

// Longest sets the maximum length of a string.
func Longest(n int) Rule { return keyword(func(s *jsonschema.Schema) { s.MaxLength = &n }) }

// Fewest sets the minimum number of items.
func Fewest(n int) Rule { return keyword(func(s *jsonschema.Schema) { s.MinItems = &n }) }

// Most sets the maximum number of items, or of an object's properties.
func Most(n int) Rule {
	return keyword(func(s *jsonschema.Schema) {
		if s.Type == "object" {
			s.MaxProperties = &n
			return
		}
		s.MaxItems = &n
	})
}

// Pattern sets the regular expression that a string must match.
func Pattern(expression string) Rule {
	return keyword(func(s *jsonschema.Schema) { s.Pattern = expression })
}

// Format names the format of a string.
func Format(name string) Rule { return keyword(func(s *jsonschema.Schema) { s.Format = name }) }

// Encoding names the encoding of bytes in a string.
func Encoding(name string) Rule {
	return keyword(func(s *jsonschema.Schema) { s.ContentEncoding = name })
}

// Default sets the default value.
func Default(value any) Rule {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("operation: a default is no JSON: " + err.Error())
	}
	return keyword(func(s *jsonschema.Schema) { s.Default = raw })
}

// Example adds an example.
func Example(values ...any) Rule { return keyword(func(s *jsonschema.Schema) { s.Examples = values }) }

// List changes the schema to an array whose items follow the rules.
func List(rules ...Rule) Rule {
	return func(m *member) {
		m.schema = &jsonschema.Schema{Type: "array", Items: m.models.ruled(&jsonschema.Schema{Type: "string"}, rules)}
	}
}

// Text adds a description to the schema of a list's items or of a map's values.
func Text(text string) Rule { return keyword(func(s *jsonschema.Schema) { s.Description = text }) }

// Names sets the regular expression for the names of an object's properties.
func Names(expression string) Rule {
	return keyword(func(s *jsonschema.Schema) { s.PropertyNames = &jsonschema.Schema{Pattern: expression} })
}

// Items changes the schema of an array's items. Items are strings unless a rule or the Go type gives another type.
func Items(rules ...Rule) Rule {
	return keyword(func(s *jsonschema.Schema) {
		if s.Items == nil {
			s.Items = &jsonschema.Schema{Type: "string"}
		}
		changed := &member{schema: s.Items}
		for _, rule := range rules {
			rule(changed)
		}
		s.Items = changed.schema
	})
}

// Values changes the schema to an object whose values all follow the rules.
func Values(rules ...Rule) Rule {
	return func(m *member) {
		m.schema = &jsonschema.Schema{Type: "object",
			AdditionalProperties: m.models.ruled(&jsonschema.Schema{Type: "string"}, rules)}
	}
}

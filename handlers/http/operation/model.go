package operation

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Model is a named schema in the OpenAPI document.
type Model struct {
	name   string
	text   string
	goType reflect.Type // nil: the model consists of fields only
	fields []Field
	shape  Shape   // schema of a model that is not a JSON object
	also   []Field // fields in addition to those of the Go type
}

// Of returns a model for a Go type that is encoded to JSON or decoded from it. The model has the fields of the type. The given
// fields add texts and rules to them, and must exist in the type.
func Of[T any](name, text string, fields ...Field) Model {
	return Model{name: name, text: text, goType: reflect.TypeFor[T](), fields: fields}
}

// Object returns a model without a Go type. It has the given fields, which are strings unless a rule changes their type.
func Object(name, text string, fields ...Field) Model {
	return Model{name: name, text: text, fields: fields}
}

// Also returns the model with fields in addition to those of the Go type.
func (m Model) Also(fields ...Field) Model {
	m.also = append(slices.Clip(m.also), fields...)
	return m
}

// Named returns a model that is not an object.
func Named(name string, shape Shape) Model { return Model{name: name, shape: shape} }

// Field describes a field of a model in the OpenAPI document: what it means, and rules such as its bounds.
type Field struct {
	name, text string
	rules      []Rule
}

// F returns a Field: the name, a text (may be empty), and rules.
func F(name, text string, rules ...Rule) Field { return Field{name: name, text: text, rules: rules} }

// Shape is a function that returns a JSON schema. The function may look up models by name.
type Shape func(models *Models) *jsonschema.Schema

// A returns the schema of the JSON form of the Go type T: a reference when a model of T exists.
func A[T any]() Shape {
	return func(models *Models) *jsonschema.Schema { return models.schema(reflect.TypeFor[T]()) }
}

// Ref returns a reference to the model with a name.
func Ref(name string) Shape {
	return func(*Models) *jsonschema.Schema { return reference(name) }
}

// Inline returns the schema of a JSON object without a name.
func Inline(fields ...Field) Shape {
	return func(models *Models) *jsonschema.Schema { return models.object(Object("", "", fields...)) }
}

// Either returns the schema of a value that matches exactly one of the given schemas.
func Either(shapes ...Shape) Shape {
	return func(models *Models) *jsonschema.Schema {
		s := &jsonschema.Schema{}
		for _, shape := range shapes {
			s.OneOf = append(s.OneOf, shape(models))
		}
		return s
	}
}

// Plain returns the schema of a JSON string, changed by the given rules, such as a minimum length.
func Plain(rules ...Rule) Shape {
	return func(models *Models) *jsonschema.Schema {
		return models.ruled(&jsonschema.Schema{Type: "string"}, rules)
	}
}

// Described returns the given schema with a description.
func Described(text string, shape Shape) Shape {
	return func(models *Models) *jsonschema.Schema {
		s := shape(models)
		s.Description = text
		return s
	}
}

// Stream returns the schema of a text that the service sends in parts. The whole text has the media type contentType.
// The parameter `of` is the schema of each part.
func Stream(text, contentType string, of Shape) Shape {
	return func(models *Models) *jsonschema.Schema {
		return &jsonschema.Schema{
			Type: "string", Description: text, ContentMediaType: contentType, ContentSchema: of(models),
		}
	}
}

// Binary is the schema of bytes.
var Binary = Plain(Format("binary"))

func reference(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// Models are all named schemas of the OpenAPI document.
type Models struct {
	list  []Model
	names map[reflect.Type]string
}

// newModels collects models. It returns an error when two models have the same name or type.
func newModels(list []Model) (*Models, error) {
	m := &Models{list: list, names: map[reflect.Type]string{}}
	seen := map[string]bool{}
	for _, one := range list {
		if seen[one.name] {
			return nil, fmt.Errorf("two models are named %s", one.name)
		}
		seen[one.name] = true
		if one.goType == nil {
			continue
		}
		if other := m.names[one.goType]; other != "" {
			return nil, fmt.Errorf("%s has two models, %s and %s", one.goType, other, one.name)
		}
		m.names[one.goType] = one.name
	}
	return m, nil
}

// object returns the schema of a model. It panics when a Field names a field that the type does not have. Such a field is a
// mistake in the program, which every test of the document finds.
func (m *Models) object(model Model) *jsonschema.Schema {
	if model.shape != nil {
		return model.shape(m)
	}
	s := &jsonschema.Schema{Type: "object", Description: model.text}
	if model.goType != nil {
		m.members(model.goType, s)
	}
	for i, f := range slices.Concat(model.fields, model.also) {
		if model.goType == nil || i >= len(model.fields) {
			property(s, f.name, &jsonschema.Schema{Type: "string"}, true)
		}
		found, ok := s.Properties[f.name]
		if !ok {
			panic(fmt.Sprintf("operation: model %s describes %s, which %s does not have", model.name, f.name, model.goType))
		}
		changed := &member{models: m, schema: found, required: slices.Contains(s.Required, f.name)}
		for _, rule := range f.rules {
			rule(changed)
		}
		changed.schema.Description = f.text
		s.Properties[f.name] = changed.schema
		setRequired(s, f.name, changed.required)
	}
	return s
}

func (m *Models) ruled(s *jsonschema.Schema, rules []Rule) *jsonschema.Schema {
	changed := &member{models: m, schema: s}
	for _, rule := range rules {
		rule(changed)
	}
	return changed.schema
}

func setRequired(s *jsonschema.Schema, name string, required bool) {
	at := slices.Index(s.Required, name)
	switch {
	case required && at < 0:
		s.Required = append(s.Required, name)
	case !required && at >= 0:
		s.Required = slices.Delete(s.Required, at, at+1)
	}
}

func property(s *jsonschema.Schema, name string, schema *jsonschema.Schema, required bool) {
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	s.Properties[name] = schema
	s.PropertyOrder = append(s.PropertyOrder, name)
	setRequired(s, name, required)
}

// members adds the fields of a struct to an object's schema, with the names that encoding/json uses.
func (m *Models) members(t reflect.Type, s *jsonschema.Schema) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			m.members(inner, s)
		case name == "-" || !f.IsExported():
		default:
			if name == "" {
				name = f.Name
			}
			required := !strings.Contains(options, "omit")
			one := m.schema(f.Type)
			if f.Type.Kind() == reflect.Pointer && !required { // encoding/json leaves out the field when it is nil
				one = m.schema(f.Type.Elem())
			}
			if name == "success" && f.Type.Kind() == reflect.Bool {
				yes := any(true)
				one = &jsonschema.Schema{Const: &yes}
			}
			property(s, name, timed(name, f.Type, one), required)
		}
	}
}

// timed returns the schema of a time for a string field that is named at or timestamp, or whose name ends in _at. For any
// other field it returns s.
func timed(name string, t reflect.Type, s *jsonschema.Schema) *jsonschema.Schema {
	named := name == "at" || name == "timestamp" || strings.HasSuffix(name, "_at")
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !named || t.Kind() != reflect.String {
		return s
	}
	changed := &member{schema: s}
	Time(changed)
	return changed.schema
}

// schema returns the schema of a type: a reference when a model of the type exists.
func (m *Models) schema(t reflect.Type) *jsonschema.Schema {
	if name := m.names[t]; name != "" {
		return reference(name)
	}
	if t == reflect.TypeFor[[]byte]() || t.Name() == "RawMessage" {
		return &jsonschema.Schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(m.schema(t.Elem()))
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64, reflect.Float32:
		return &jsonschema.Schema{Type: "number"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Slice, reflect.Array:
		return &jsonschema.Schema{Type: "array", Items: m.schema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: m.schema(t.Elem())}
	case reflect.Struct:
		s := &jsonschema.Schema{Type: "object"}
		m.members(t, s)
		return s
	}
	return &jsonschema.Schema{}
}

// nullable returns a schema that also allows null.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type != "" && s.Type != "object" && s.Enum == nil {
		s.Types, s.Type = []string{s.Type, "null"}, ""
		return s
	}
	if s.Type == "" && s.Ref == "" && s.AnyOf == nil {
		return s // a schema without a type allows any value, also null
	}
	text := s.Description
	s.Description = ""
	return &jsonschema.Schema{Description: text, AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}

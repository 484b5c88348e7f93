package templates

// What the tests look at beside the interface.
var (
	FieldsOf = fieldsOf
	SchemaOf = schemaOf
)

// The types of the tests' expectations.
type (
	Field  = field
	Option = option
	Schema = schema
)

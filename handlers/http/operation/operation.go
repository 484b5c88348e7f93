// Package operation declares the operations of the HTTP interface: one Operation describes one method of one path, with its role,
// its parameters, its body and all its answers. A resource registers its routes with these values, and the OpenAPI document is
// made of the same ones, so that a route without a description cannot be written. Models do the same for the JSON of bodies and
// answers: names and types come from the Go type that is encoded or decoded, and only texts and bounds are added.
package operation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"moviola/domain/key"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

// Caller is who may call an operation.
type Caller int

// The callers of operations.
const (
	KeyHolder Caller = iota // whoever has an API key with at least the operation's role
	Operator                // whoever has the operator's token
	Anyone                  // no key is needed
	Agent                   // a key in either header; the operation checks it itself
)

// Operation describes one method of one path.
type Operation struct {
	Method, Path string // the path as the router takes it; the document leaves out patterns such as those of {path:.+}
	ID           string // operationId: the names of methods in generated clients
	Tag          string // the group of the document
	Summary      string
	Text         string // more about it; the role is added
	Caller       Caller
	Role         key.Role      // the minimum role, for callers with a key
	OperatorRole operator.Role // the minimum role of operators; empty: the one that the method needs
	Parameters   []Parameter   // the query parameters and headers that are read, and those of the path
	Body         *Body         // nil: none
	Answers      []Answer      // the successes
	Refusals     []Refusal     // the errors beyond those that follow from the caller, the body and the parameters
	OwnQuery     bool          // the operation parses the query itself, and has its own error for a malformed one
	Alone        bool          // the refusals are all there is: nothing is added
	Fixed        bool          // answers are parts of the program: no error of a storage is possible
}

// Query returns the names of the query parameters, with "a.*" for a parameter that stands for all that begin with "a.".
func (o Operation) Query() []string {
	var names []string
	for _, p := range o.Parameters {
		if p.in == "query" {
			names = append(names, p.name+p.rest)
		}
	}
	return names
}

// LeastOperator is the minimum role of operators who call the operation.
func (o Operation) LeastOperator() operator.Role {
	return cmp.Or(o.OperatorRole, web.RoleFor(o.Method))
}

// template is the path as the document writes it: the pattern of a parameter is left out.
func (o Operation) template() string { return strings.ReplaceAll(o.Path, ":.+}", "}") }

// Parameter is a parameter of the query, the path or the headers.
type Parameter struct {
	in, name, text string
	rest           string // what follows the name in the query, for a parameter with members
	required       bool
	schema         jsonschema.Schema
	example        any
}

// Query is an optional parameter of the query: a string unless a rule says otherwise.
func Query(name, text string, rules ...Rule) Parameter { return parameter("query", name, text, rules) }

// Header is an optional header.
func Header(name, text string, rules ...Rule) Parameter {
	return parameter("header", name, text, rules)
}

// InPath is a part of the path.
func InPath(name, text string, rules ...Rule) Parameter {
	p := parameter("path", name, text, rules)
	p.required = true
	return p
}

func parameter(in, name, text string, rules []Rule) Parameter {
	p := Parameter{in: in, name: name, text: text, schema: jsonschema.Schema{Type: "string"}}
	apply(&p.schema, rules)
	return p
}

// Needed returns the parameter as one that must be sent.
func (p Parameter) Needed() Parameter {
	p.required = true
	return p
}

// Example returns the parameter with an example.
func (p Parameter) Example(value any) Parameter {
	p.example = value
	return p
}

// Members returns a parameter that stands for all whose names begin with its own and a dot.
func (p Parameter) Members() Parameter {
	p.rest = ".*"
	return p
}

// Body is the body of a request.
type Body struct {
	optional bool
	raw      bool // it is not read as JSON here: the errors of that do not occur
	contents []Content
}

// JSON is a body that must be one JSON object.
func JSON(schema Shape) *Body {
	return &Body{contents: []Content{{Type: "application/json", Schema: schema}}}
}

// Upload is a body of other media types.
func Upload(contents ...Content) *Body { return &Body{raw: true, contents: contents} }

// Optional returns the body as one that may be left out.
func (b *Body) Optional() *Body {
	other := *b
	other.optional = true
	return &other
}

// Example returns the body with an example, as JSON.
func (b *Body) Example(text string) *Body {
	other := *b
	other.contents = slices.Clone(b.contents)
	other.contents[0].Example = text
	return &other
}

// OwnErrors returns the body as one that the operation reads itself: it names the errors of that.
func (b *Body) OwnErrors() *Body {
	other := *b
	other.raw = true
	return &other
}

// Content is one form of a body or an answer.
type Content struct {
	Type    string // the media type
	Schema  Shape
	Example string // JSON
}

// Answer is a success.
type Answer struct {
	Status   int
	Text     string
	Headers  []Parameter
	Contents []Content
}

// OK is the answer 200 with a JSON object.
func OK(text string, schema Shape) []Answer {
	return []Answer{{Status: 200, Text: text, Contents: []Content{{Type: "application/json", Schema: schema}}}}
}

// Refusal is the errors of one status.
type Refusal struct {
	Status int
	Text   string   // empty: the usual one
	Codes  []string // beyond those that follow from the caller, the body and the parameters
	plain  *Content // what is answered instead of an error in JSON
	also   Shape    // what else than an error may be answered
}

// On is the errors of one status: a text, empty for the usual one, and their codes.
func On(status int, text string, codes ...string) Refusal {
	return Refusal{Status: status, Text: text, Codes: codes}
}

// Unavailable is for operations whose only unusual error is that a part of the service does not respond.
var Unavailable = On(503, "", unavailable...)

// As returns the refusal with a body that is no error of the interface.
func (r Refusal) As(contentType string, schema Shape) Refusal {
	r.plain = &Content{Type: contentType, Schema: schema}
	return r
}

// Or returns the refusal with another body beside the error.
func (r Refusal) Or(schema Shape) Refusal {
	r.also = schema
	return r
}

// Package operation declares the operations of the HTTP API. One Operation describes one method of one path: who may call
// it, parameters, body, answers and errors. A resource registers its routes with these values, and the OpenAPI document is
// made from the same values, so that none of these routes lacks a description. Models do the same for the JSON of bodies
// and answers: most names and types come from the Go type that is encoded or decoded; texts and limits are added.
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

// Caller is the kind of clients that may call an operation.
type Caller int

// The kinds of clients.
const (
	KeyHolder Caller = iota // holders of an API key that has at least the operation's role
	Operator                // holders of an operator's token
	Anyone                  // everybody: no API key is needed
	Agent                   // agents: the operation itself checks the API key, which may be in either of two headers
)

// Operation describes one method of one path.
type Operation struct {
	Method, Path string // the path as the router's pattern; the document leaves out the expressions in it, as in {path:.+}
	ID           string // operationId, from which generated clients make names of methods
	Tag          string // group of operations in the OpenAPI document
	Summary      string
	Text         string // description of the operation; the OpenAPI document adds the required role
	Caller       Caller
	Role         key.Role      // the minimum role of the caller's key
	OperatorRole operator.Role // minimum role of operators; empty: web.RoleFor(Method)
	FreshSignIn  bool          // refused in a session of the operators' console that began 5 minutes ago or earlier; decision 89
	Parameters   []Parameter   // the parameters of query, headers and path that are read
	Body         *Body         // nil: no body
	Answers      []Answer      // the successful answers
	// Refusals are this operation's own errors. The OpenAPI document adds the errors that all operations with the same
	// kind of caller and of body have.
	Refusals []Refusal
	OwnQuery bool // the operation parses the query itself, and answers a malformed query with an error of its own
	Alone    bool // Refusals is complete: no usual errors are added
	Fixed    bool // answers are built into the program, so no storage can fail
}

// Query returns the names of the query parameters. "a.*" stands for all parameters whose names begin with "a.".
func (o Operation) Query() []string {
	var names []string
	for _, p := range o.Parameters {
		if p.in == "query" {
			names = append(names, p.name+p.rest)
		}
	}
	return names
}

// LeastOperator returns the minimum role of operators who may call the operation.
func (o Operation) LeastOperator() operator.Role {
	return cmp.Or(o.OperatorRole, web.RoleFor(o.Method))
}

// template returns the path in the form of the document, without the patterns of parameters.
func (o Operation) template() string { return strings.ReplaceAll(o.Path, ":.+}", "}") }

// Parameter is a parameter of the query, the path or the headers.
type Parameter struct {
	in, name, text string
	// ".*": the parameter stands for all parameters whose names begin with name and a dot; empty: for one parameter
	rest     string
	required bool
	schema   jsonschema.Schema
	example  any
}

// Query returns an optional query parameter, a string unless a rule changes its type.
func Query(name, text string, rules ...Rule) Parameter { return parameter("query", name, text, rules) }

// Header returns an optional header.
func Header(name, text string, rules ...Rule) Parameter {
	return parameter("header", name, text, rules)
}

// InPath returns a parameter in the path.
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

// Needed copies the parameter, marks the copy as required, and returns the copy.
func (p Parameter) Needed() Parameter {
	p.required = true
	return p
}

// Example returns a copy of the parameter with an example.
func (p Parameter) Example(value any) Parameter {
	p.example = value
	return p
}

// Members returns a parameter that stands for all parameters whose names begin with its name and a dot.
func (p Parameter) Members() Parameter {
	p.rest = ".*"
	return p
}

// Body is the body of a request.
type Body struct {
	optional bool
	// the operation itself declares the errors of a wrong body, instead of the usual errors of a JSON body
	raw      bool
	contents []Content
}

// JSON returns a body that must be one JSON object.
func JSON(schema Shape) *Body {
	return &Body{contents: []Content{{Type: "application/json", Schema: schema}}}
}

// Upload returns a body with the given media types, which need not be JSON. The operation itself declares the errors of
// a wrong body.
func Upload(contents ...Content) *Body { return &Body{raw: true, contents: contents} }

// Optional copies the body, marks the copy as one that clients may omit, and returns the copy.
func (b *Body) Optional() *Body {
	other := *b
	other.optional = true
	return &other
}

// Example returns a copy of the body with an example, as JSON.
func (b *Body) Example(text string) *Body {
	other := *b
	other.contents = slices.Clone(b.contents)
	other.contents[0].Example = text
	return &other
}

// OwnErrors returns a copy of the body for an operation that declares the errors of a wrong body itself. The OpenAPI
// document does not add the usual errors of a JSON body to such an operation.
func (b *Body) OwnErrors() *Body {
	other := *b
	other.raw = true
	return &other
}

// Content is one media type of a body or an answer.
type Content struct {
	Type    string // media type, such as image/png
	Schema  Shape
	Example string // example of the content, as JSON
}

// Answer is a successful answer.
type Answer struct {
	Status   int
	Text     string
	Headers  []Parameter
	Contents []Content
}

// OK returns the declaration of the answer 200, with a JSON object of the given schema, as the only successful answer.
func OK(text string, schema Shape) []Answer {
	return []Answer{{Status: 200, Text: text, Contents: []Content{{Type: "application/json", Schema: schema}}}}
}

// Refusal describes the errors of one status.
type Refusal struct {
	Status int
	Text   string // description of the refusal; empty: the usual description of the status
	// this operation's own error codes; the OpenAPI document adds the codes of all operations with the same kind of
	// caller and body
	Codes []string
	plain *Content // content of the answer if it is not an error in JSON; nil: it is an error in JSON
	also  Shape    // schema of a body that the status can have instead of an error; nil: none
}

// On returns the errors of one status. An empty text means the usual description of the status.
func On(status int, text string, codes ...string) Refusal {
	return Refusal{Status: status, Text: text, Codes: codes}
}

// Unavailable declares the answer 503: a part of the service does not respond. The OpenAPI document adds this answer to
// every operation that is neither Fixed nor Alone. Any other operation that can answer so lists Unavailable itself.
var Unavailable = On(503, "", unavailable...)

// As returns a copy of the refusal. The body of the copy is not an error in JSON, but has the given media type and schema.
func (r Refusal) As(contentType string, schema Shape) Refusal {
	r.plain = &Content{Type: contentType, Schema: schema}
	return r
}

// Or returns a copy of the refusal. The body of the copy is either the error, or a value with the given schema.
func (r Refusal) Or(schema Shape) Refusal {
	r.also = schema
	return r
}

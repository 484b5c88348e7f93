package operation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"moviola/domain/operator"
)

// Room holds the operations and models that a resource declares.
type Room struct {
	Operations []Operation
	Models     []Model
}

// The objects of the OpenAPI document. Document writes the fields of an object in the order in which they are declared.
type (
	describedOperation struct {
		ID          string                   `json:"operationId"`
		Tags        []string                 `json:"tags"`
		Summary     string                   `json:"summary"`
		Description string                   `json:"description,omitempty"`
		Security    *[]map[string][]string   `json:"security,omitempty"`
		Parameters  []describedParameter     `json:"parameters,omitempty"`
		Body        *describedBody           `json:"requestBody,omitempty"`
		Responses   map[string]describedPart `json:"responses"`
	}
	describedParameter struct {
		Name        string            `json:"name,omitempty"`
		In          string            `json:"in,omitempty"`
		Description string            `json:"description,omitempty"`
		Required    bool              `json:"required,omitempty"`
		Style       string            `json:"style,omitempty"`
		Explode     bool              `json:"explode,omitempty"`
		Example     any               `json:"example,omitempty"`
		Schema      jsonschema.Schema `json:"schema"`
	}
	describedBody struct {
		Required bool                        `json:"required"`
		Content  map[string]describedContent `json:"content"`
	}
	describedContent struct {
		Schema  *jsonschema.Schema `json:"schema"`
		Example json.RawMessage    `json:"example,omitempty"`
	}
	describedPart struct {
		Ref         string                        `json:"$ref,omitempty"`
		Description string                        `json:"description,omitempty"`
		Headers     map[string]describedParameter `json:"headers,omitempty"`
		Content     map[string]describedContent   `json:"content,omitempty"`
	}
)

// Document returns the paths and schemas of an OpenAPI document, as JSON. Equal declarations produce equal bytes.
func Document(rooms ...Room) (paths json.RawMessage, schemas map[string]json.RawMessage, err error) {
	var list []Model
	for _, room := range rooms {
		list = append(list, room.Models...)
	}
	models, err := newModels(list)
	if err != nil {
		return nil, nil, err
	}
	schemas = map[string]json.RawMessage{}
	for _, model := range list {
		if schemas[model.name], err = encode(models.object(model)); err != nil {
			return nil, nil, fmt.Errorf("model %s: %w", model.name, err)
		}
	}
	items, ids := map[string]map[string]describedOperation{}, map[string]bool{}
	for _, room := range rooms {
		for _, op := range room.Operations {
			path, method := op.template(), strings.ToLower(op.Method)
			if items[path] == nil {
				items[path] = map[string]describedOperation{}
			}
			if _, twice := items[path][method]; twice || ids[op.ID] || op.ID == "" {
				return nil, nil, fmt.Errorf("%s %s, %q, is declared twice, or has no id", op.Method, op.Path, op.ID)
			}
			items[path][method], ids[op.ID] = op.describe(models), true
		}
	}
	paths, err = encode(items)
	return paths, schemas, err
}

// encode writes JSON that people can read: <, > and & are not escaped.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

func (o Operation) describe(models *Models) describedOperation {
	d := describedOperation{ID: o.ID, Tags: []string{o.Tag}, Summary: o.Summary, Description: o.Text,
		Responses: map[string]describedPart{}}
	switch o.Caller {
	case KeyHolder:
		d.Description = strings.TrimSpace(o.Text + " Role " + string(o.Role) + ".")
	case Operator:
		d.Description = strings.TrimSpace(o.Text + " Operator's role " + string(o.LeastOperator()) + ".")
		d.Security = &[]map[string][]string{{"operator": {}}}
	case Anyone:
		d.Security = &[]map[string][]string{}
	case Agent:
		d.Security = &[]map[string][]string{{"key": {}}, {"bearer": {}}}
	}
	for _, p := range o.Parameters {
		d.Parameters = append(d.Parameters, p.describe())
	}
	if o.Body != nil {
		d.Body = &describedBody{Required: !o.Body.optional, Content: contents(models, o.Body.contents)}
	}
	for _, answer := range o.Answers {
		part := describedPart{Description: answer.Text, Content: contents(models, answer.Contents)}
		part.Headers = headers(answer.Headers)
		d.Responses[strconv.Itoa(answer.Status)] = part
	}
	for _, refusal := range o.refusals() {
		d.Responses[strconv.Itoa(refusal.Status)] = refusal.describe(models)
	}
	d.Responses[strconv.Itoa(http.StatusMethodNotAllowed)] = describedPart{Ref: "#/components/responses/WrongMethod"}
	return d
}

func (p Parameter) describe() describedParameter {
	d := describedParameter{
		Name: p.name, In: p.in, Description: p.text, Required: p.required, Schema: p.schema, Example: p.example,
	}
	if p.rest != "" {
		d.Style, d.Explode = "form", true
	}
	return d
}

func headers(list []Parameter) map[string]describedParameter {
	described := map[string]describedParameter{}
	for _, p := range list {
		one := p.describe()
		one.Name, one.In = "", ""
		described[p.name] = one
	}
	return described
}

func contents(models *Models, list []Content) map[string]describedContent {
	described := map[string]describedContent{}
	for _, c := range list {
		described[c.Type] = describedContent{Schema: c.Schema(models), Example: json.RawMessage(c.Example)}
	}
	return described
}

// describe returns the documentation of a refusal: an error with one of several codes.
func (r Refusal) describe(models *Models) describedPart {
	part := describedPart{Description: r.Text}
	if r.Status == http.StatusServiceUnavailable {
		if r.Text == "" && len(r.Codes) == len(unavailable) {
			return describedPart{Ref: "#/components/responses/Unavailable"}
		}
		part.Headers = headers([]Parameter{Header("Retry-After", "Seconds.", Integer)})
	}
	switch {
	case r.plain != nil:
		part.Content = contents(models, []Content{*r.plain})
	case len(r.Codes) > 0:
		schema := Error(r.Codes...)(models)
		if r.also != nil {
			schema = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema, r.also(models)}}
		}
		part.Content = map[string]describedContent{"application/json": {Schema: schema}}
	}
	return part
}

// Error returns the schema of an error with one of the codes.
func Error(codes ...string) Shape {
	codes = slices.Clone(codes)
	slices.Sort(codes)
	return func(*Models) *jsonschema.Schema {
		code := &jsonschema.Schema{}
		for _, one := range slices.Compact(codes) {
			code.Enum = append(code.Enum, one)
		}
		return &jsonschema.Schema{AllOf: []*jsonschema.Schema{
			reference("Error"), {Properties: map[string]*jsonschema.Schema{"code": code}},
		}}
	}
}

// unavailable are the error codes of the refusal 503: a part of the service does not respond, or a newer version of the program
// has written what the request needs.
var unavailable = []string{"service_unavailable", "written_by_newer_version"}

// usual returns the refusals that all operations with this caller, body and parameters have.
func (o Operation) usual() []Refusal {
	var list []Refusal
	if o.Alone {
		return nil
	}
	if (o.Caller == KeyHolder || o.Caller == Operator) && !o.OwnQuery {
		list = append(list, On(http.StatusBadRequest, "A parameter is not valid.", "query_invalid"))
	}
	switch o.Caller {
	case KeyHolder:
		list = append(list,
			On(http.StatusUnauthorized, "The key is missing or not valid: unknown, revoked or expired. "+
				"Message: `Invalid or missing API key`.", "api_key_invalid", "api_key_missing"),
			On(http.StatusForbidden, "The key's role is below the one that is needed.", "insufficient_permissions"))
	case Operator:
		list = append(list, On(http.StatusForbidden, "The token is missing or wrong.", "token_invalid"))
		if o.LeastOperator() != operator.Observer {
			list = append(list, On(http.StatusForbidden, "The token is missing or wrong, or its operator's role does not allow this.",
				"operator_role"))
		}
		if o.FreshSignIn {
			list = append(list, On(http.StatusForbidden, "", "sign_in_again"))
		}
	}
	if slices.ContainsFunc(o.Parameters, func(p Parameter) bool { return p.name == OperatorToken.name }) {
		list = append(list, On(http.StatusForbidden,
			"The key's role is below the one that is needed, or the operator's token is missing or wrong.", "token_invalid"))
	}
	if o.Body != nil && !o.Body.raw {
		list = append(list,
			On(http.StatusBadRequest, "A field is missing or not valid.", "body_invalid", "body_missing", "body_unreadable"),
			On(http.StatusRequestEntityTooLarge, "The body is too large.", "body_too_large"))
	}
	if !o.Fixed {
		list = append(list, On(http.StatusInternalServerError, "The service failed; nothing was changed unless it says so. "+
			"Retry with exponential backoff, 3 to 5 attempts.", "internal_error"), On(http.StatusServiceUnavailable, "", unavailable...))
	}
	return list
}

// refusals returns all refusals of the operation, one for each status. A text that the operation gives takes precedence over the
// usual text.
func (o Operation) refusals() []Refusal {
	var merged []Refusal
	for _, one := range slices.Concat(o.usual(), o.Refusals) {
		at := slices.IndexFunc(merged, func(r Refusal) bool { return r.Status == one.Status })
		if at < 0 {
			merged = append(merged, one)
			continue
		}
		m := &merged[at]
		m.Text = cmp.Or(one.Text, m.Text)
		m.Codes = slices.Concat(m.Codes, one.Codes)
		if one.plain != nil {
			m.plain = one.plain
		}
		if one.also != nil {
			m.also = one.also
		}
	}
	return merged
}

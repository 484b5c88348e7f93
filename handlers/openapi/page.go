package openapi

import (
	"bytes"
	_ "embed"
	"html"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// description is what the page shows of the document.
type description struct {
	Info struct {
		Title, Version, Summary, Description string
	}
	Deprecated []struct{ What, Instead, Since string } `json:"x-deprecated"`
	Paths      map[string]map[string]operation
	Webhooks   map[string]map[string]operation
	Components struct {
		Schemas   map[string]schema
		Responses map[string]response
	}
}

type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Security                          *[]map[string][]string
	Parameters                        []parameter
	RequestBody                       *response `json:"requestBody"`
	Responses                         map[string]response
	Method, Path                      string `json:"-"`
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                schema
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]struct{ Schema schema }
}

// shownMethods are the order in which the methods of a path are shown.
var shownMethods = []string{"get", "post", "put", "delete"}

//go:embed page.html
var pageText string

// render writes the page.
func render(d description) ([]byte, error) {
	page, err := template.New("page").Funcs(template.FuncMap{
		"prose":      prose,
		"operations": d.operations,
		"anchor":     func(op operation) string { return strings.ToLower(op.OperationID) },
		"resolve":    d.resolve,
		"key":        operation.key,
		"codes":      response.codes,
		"rows":       schema.rows,
		"typeOf":     schema.text,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, d)
	return out.Bytes(), err
}

// operations are the operations of some paths, by path, then method.
func (d description) operations(paths map[string]map[string]operation) []operation {
	var list []operation
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range shownMethods {
			if op, ok := paths[path][method]; ok {
				op.Method, op.Path = strings.ToUpper(method), path
				list = append(list, op)
			}
		}
	}
	return list
}

// resolve follows a reference to a shared response.
func (d description) resolve(r response) response {
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		return d.Components.Responses[name]
	}
	return r
}

// codes are the codes of a response that is an error.
func (r response) codes() []string {
	for _, content := range r.Content {
		for _, part := range content.Schema.AllOf {
			if code, ok := part.Properties["code"]; ok {
				return code.words()
			}
		}
	}
	return nil
}

// key says which header opens an operation.
func (o operation) key() string {
	switch {
	case o.Security == nil:
		return "x-api-key"
	case len(*o.Security) == 0:
		return "none"
	}
	return "x-admin-token"
}

var codeText = regexp.MustCompile("`([^`]+)`")

// prose turns the text of a description into HTML: paragraphs, lists of dashes, code between backticks.
func prose(text string) template.HTML {
	var out strings.Builder
	for _, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if paragraph == "" {
			continue
		}
		open, close, split := "<p>", "</p>\n", []string{paragraph}
		if strings.HasPrefix(paragraph, "- ") {
			open, close, split = "<li>", "</li>\n", strings.Split(strings.TrimPrefix(paragraph, "- "), "\n- ")
			out.WriteString("<ul>\n")
		}
		for _, part := range split {
			out.WriteString(open + codeText.ReplaceAllString(html.EscapeString(part), "<code>$1</code>") + close)
		}
		if len(split) > 1 || open == "<li>" {
			out.WriteString("</ul>\n")
		}
	}
	// Everything but the tags above has been escaped.
	return template.HTML(out.String())
}

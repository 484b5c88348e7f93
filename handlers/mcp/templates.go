package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The names of tools that other tools name as the next call.
const (
	describeTool       = "describe_template"
	renderTemplateTool = "render_template"
)

// duplicateFirst ends sentences about templates of the template library. The HTTP API gives the movie JSON of such a
// template to its owner only.
const duplicateFirst = "the variables of such a template are shown to its owner only. To fill one in, ask the user to " +
	"duplicate it (in the console, or by POST /v2/templates?action=duplicate): the copy is the account's own, and can be described."

// maxTemplates is the maximum number of templates in one reply.
const maxTemplates = 25

const templateArgument = `"template": {"type": "string", "description": "The id of the template"}`

var templateTools = []tool{
	{
		name: "find_templates", title: "Find templates", asks: []string{"GET /v2/templates", "GET /v2/templates/library"},
		run: findTemplates,
		about: "Find saved templates, of the account and of the library, by words of their name or by tag. A template is a movie " +
			"that is filled in with variables; those of the account (own) can be described.",
		schema: `{"type": "object", "additionalProperties": false, "properties": {
	"search": {"type": "string", "description": "Words of the name of the template"},
	"tag": {"type": "string", "description": "A tag that it has"}}}`,
	},
	{
		name: describeTool, title: "Describe a template", asks: []string{"GET /v2/templates"}, run: describeTemplate,
		about:  "Describe the variables that a saved template of the account is filled in with, as a JSON Schema with their defaults.",
		schema: `{"type": "object", "required": ["template"], "additionalProperties": false, "properties": {` + templateArgument + `}}`,
	},
	{
		name: renderTemplateTool, title: "Render a template", asks: []string{"POST /v2/movies"}, changes: true, run: renderTemplate,
		about: "Render a saved template, filled in with variables, to an MP4 video. Spends credits, never more than max_credits.",
		schema: `{"type": "object", "required": ["template", "variables", "max_credits"], "additionalProperties": false, ` +
			`"properties": {` + templateArgument + `,
	"variables": {"type": "object", "description": "The values of the variables, by their names; what is left out has the ` +
			`template's default"},
	` + costArguments + `}}`,
	},
}

// found is a template in a list.
type found struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Tags   []string `json:"tags"`
	Width  int      `json:"width"`
	Height int      `json:"height"`
	Video  *string  `json:"video_url,omitempty"`
	Own    bool     `json:"own"` // the template belongs to the account, so describeTemplate accepts it
}

// findTemplates is the tool that searches for templates. A template is found when its name has every word and, if a tag is
// given, when it has the tag.
func findTemplates(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct{ Search, Tag string }
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	own := url.Values{}
	if given.Tag != "" {
		own.Set("tag", given.Tag)
	}
	var mine, shared struct{ Templates []found }
	if err := c.ask(ctx, http.MethodGet, "/v2/templates", own, nil, &mine); err != nil {
		return nil, err
	}
	if err := c.ask(ctx, http.MethodGet, "/v2/templates/library", nil, nil, &shared); err != nil {
		return nil, err
	}
	shared.Templates = slices.DeleteFunc(shared.Templates, func(t found) bool {
		return given.Tag != "" && !slices.Contains(t.Tags, given.Tag)
	})
	for i := range mine.Templates {
		mine.Templates[i].Own = true
	}
	fit := []found{}
	for _, t := range slices.Concat(mine.Templates, shared.Templates) {
		if named(t.Name, given.Search) && !slices.ContainsFunc(fit, func(other found) bool { return other.ID == t.ID }) {
			fit = append(fit, t)
		}
	}
	r := &reply{facts: map[string]any{"total": len(fit), "templates": fit[:min(len(fit), maxTemplates)]}}
	r.suggest(fit)
	return r, nil
}

// suggest sets what an agent may do next with the templates that fit its search.
func (r *reply) suggest(fit []found) {
	switch {
	case len(fit) == 0:
		r.next = "Nothing fits: search for fewer words, or write a movie of your own."
	case len(fit) == 1 && !fit[0].Own:
		r.next = "It is one of the library. It can be rendered as it is, as its example shows; " + duplicateFirst
		r.call = &step{Tool: renderTemplateTool, Arguments: map[string]any{"template": fit[0].ID, "variables": map[string]any{}}}
	case len(fit) == 1:
		r.next = "Describe it to see its variables."
		r.call = &step{Tool: describeTool, Arguments: map[string]any{"template": fit[0].ID}}
	case !slices.ContainsFunc(fit, func(t found) bool { return t.Own }):
		r.next = "Choose one. All are of the library: they can be rendered as they are, as their examples show; " + duplicateFirst
	case !slices.ContainsFunc(fit, func(t found) bool { return !t.Own }):
		r.next = "Choose one, and describe it to see its variables."
	default:
		r.next = "Choose one. Describe one that is the account's own to see its variables. Those of the library can be rendered as " +
			"they are, as their examples show; " + duplicateFirst
	}
}

// named reports whether a name has every word of a search.
func named(name, search string) bool {
	name = strings.ToLower(name)
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(name, word) {
			return false
		}
	}
	return true
}

// describeTemplate is the tool that returns the variables of a template.
func describeTemplate(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct{ Template string }
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	var described struct {
		Template struct {
			ID, Name  string
			Variables json.RawMessage
		}
	}
	query := url.Values{"id": {given.Template}, "format": {"jsonschema"}}
	if err := c.ask(ctx, http.MethodGet, "/v2/templates", query, nil, &described); err != nil {
		return nil, err
	}
	t := described.Template
	return &reply{
		facts: map[string]any{"template": t.ID, "name": t.Name, "variables": t.Variables},
		next:  "Render it with the variables that shall differ from their defaults.",
		call:  &step{Tool: renderTemplateTool, Arguments: map[string]any{"template": t.ID}},
	}, nil
}

// renderTemplate is the tool that renders a video from a template.
func renderTemplate(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct {
		Template   string
		Variables  json.RawMessage
		MaxCredits whole  `json:"max_credits"`
		RequestID  string `json:"request_id"`
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	movie, err := json.Marshal(map[string]any{"template": given.Template, "variables": given.Variables})
	if err != nil {
		return nil, err
	}
	return c.submit(ctx, movie, given.MaxCredits, given.RequestID)
}

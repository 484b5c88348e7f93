package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"moviola/docs"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/handlers/http/openapi"
)

// page is one page of documentation about the parts of which a movie can be made. Agents read a page as a resource of MCP.
// Together the pages are called the catalogue.
type page struct {
	name, title, about string
	mime               string
	text               func() string
}

const markdown = "text/markdown"

func fixed(text string) func() string { return func() string { return text } }

// pages are all pages of the catalogue, which documents the parts of which a movie can be made.
var pages = []page{
	{"properties", "Properties of the movie JSON",
		"Every property of movies, scenes, elements and exports: type, default, what it does, an example", markdown, openapi.Reference},
	{"components", "Components", "The ready-made graphics: titles, cards, charts and more, with their groups and settings", markdown,
		fixed(docs.Components)},
	{"text-styles", "Text styles", "How texts come in: the values of style of a text element", markdown, fixed(docs.TextStyles)},
	{"fonts", "Fonts", "The font families that are there, and where others come from", markdown, fixed(docs.Fonts)},
	{"voices", "Voices", "Who speaks the text of voice elements, in which language", markdown, fixed(docs.Voices)},
	{"templates", "Templates and variables", "How variables, conditions and repetitions work", markdown, fixed(docs.Templates)},
	{"expressions", "Expressions", "The language between {{ and }}", markdown, fixed(docs.Expressions)},
	{"schema", "JSON Schema of movies", "The movie JSON as a JSON Schema", "application/schema+json",
		func() string { return string(document.Schema()) }},
}

// uri returns the address of a page as a resource.
func (p page) uri() string { return "moviola://catalogue/" + p.name }

func addResources(server *mcp.Server) {
	for _, p := range pages {
		server.AddResource(&mcp.Resource{URI: p.uri(), Name: p.name, Title: p.title, Description: p.about, MIMEType: p.mime},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: p.uri(), MIMEType: p.mime, Text: p.text()}}}, nil
			})
	}
}

// maxLines is the maximum number of catalogue lines in one reply.
const maxLines = 40

var otherTools = []tool{
	{
		name: "search_catalogue", title: "Search voices, fonts, components and styles", run: searchCatalogue,
		about: "Search what a movie can be made of: properties, components, text-styles, fonts, voices, templates, expressions. " +
			"Answers the lines that have the words.",
		schema: `{"type": "object", "required": ["words"], "additionalProperties": false, "properties": {
	"words": {"type": "string", "minLength": 1, "description": "Words that a line must have"},
	"page": {"type": "string", "enum": ["properties", "components", "text-styles", "fonts", "voices", "templates", ` +
			`"expressions"], "description": "Where to search; left out: everywhere"}}}`,
	},
	{
		name: "get_credits", title: "See the credits", asks: []string{"GET /v2/credits"}, run: getCredits,
		about:  "See how many credits the account has left to spend.",
		schema: `{"type": "object", "additionalProperties": false}`,
	},
}

// searchCatalogue is the tool that searches the pages. The reply has the first maxLines lines that match, with the heading
// above each line. A line matches when it has all words, together with its heading.
func searchCatalogue(_ context.Context, _ caller, arguments json.RawMessage) (*reply, error) {
	var given struct{ Words, Page string }
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	lines, total := []string{}, 0
	for _, p := range pages {
		if p.mime != markdown || given.Page != "" && given.Page != p.name {
			continue
		}
		heading := p.title
		for line := range strings.Lines(p.text()) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "#") {
				heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
			}
			if !named(heading+" "+line, given.Words) || line == "" {
				continue
			}
			if total++; total <= maxLines {
				lines = append(lines, p.name+", "+heading+": "+line)
			}
		}
	}
	r := &reply{facts: map[string]any{"lines": lines, "total": total}, next: "Use what fits in the movie JSON, and validate it."}
	switch {
	case total == 0:
		r.next = "Nothing has all these words: search for fewer."
	case total > maxLines:
		r.next = "There are more: search for more words, or read the resource."
	}
	return r, nil
}

// getCredits is the tool that returns the remaining credits.
func getCredits(ctx context.Context, c caller, _ json.RawMessage) (*reply, error) {
	var standing struct {
		Plan, State              string
		Balance, Held, Available int64
		StorageBlocked           bool `json:"storage_blocked"`
		Period                   json.RawMessage
	}
	if err := c.ask(ctx, http.MethodGet, "/v2/credits", nil, nil, &standing); err != nil {
		return nil, err
	}
	r := &reply{facts: map[string]any{
		"plan": standing.Plan, "state": standing.State, "balance": standing.Balance, "held": standing.Held,
		"available": standing.Available, "period": standing.Period,
	}, next: "A started second of video costs one credit."}
	if standing.State != "active" {
		r.next = "Nothing can be rendered until credits are added: tell the user."
	}
	return r, nil
}

// errPrompt refuses a prompt that lacks a required argument, or whose movie is no JSON.
var errPrompt = domain.Errorf(domain.Invalid, "arguments_invalid", "The prompt lacks an argument")

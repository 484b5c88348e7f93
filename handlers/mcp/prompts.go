package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompt is a text with which a user begins a task.
type prompt struct {
	name, title, about string
	// name of the tool that the prompt's text tells the agent to call; API keys whose role lacks that tool do not get the prompt
	leads     string
	arguments []*mcp.PromptArgument
	text      func(given map[string]string) (string, error)
}

var prompts = []prompt{
	{
		name: "first_movie", title: "Make a first movie", leads: renderTool, about: "Make a first movie from an idea in words",
		arguments: []*mcp.PromptArgument{{Name: "idea", Description: "What the movie shall show or say", Required: true}},
		text:      firstMovie,
	},
	{
		name: "slideshow", title: "Make a slideshow of pictures", leads: renderTool,
		about: "Make a slideshow movie of two or more pictures, one scene each, which fade into one another",
		arguments: []*mcp.PromptArgument{
			{Name: "pictures", Description: "The addresses of the pictures, with blanks between", Required: true},
			{Name: "title", Description: "A text over the first picture"},
		},
		text: slideshow,
	},
	{
		name: "fill_template", title: "Make a movie from a template", leads: renderTemplateTool,
		about: "Make a movie from a saved template and values of its variables",
		arguments: []*mcp.PromptArgument{
			{Name: "template", Description: "Words of the name of the template", Required: true},
			{Name: "values", Description: "What it shall say, in words", Required: true},
		},
		text: func(given map[string]string) (string, error) {
			return "Make a movie from a saved template. Find the template, describe it, and render it with values for its " +
				"variables.\nTemplate: " + given["template"] +
				"\nValues: " + given["values"] + "\n" + begin("find_templates", map[string]any{"search": given["template"]}), nil
		},
	},
	{
		name: "mend_movie", title: "Mend a movie", leads: renderTool, about: "Find the mistakes in a movie JSON and mend them",
		arguments: []*mcp.PromptArgument{{Name: "movie", Description: "The movie JSON", Required: true}},
		text: func(given map[string]string) (string, error) {
			if !json.Valid([]byte(given["movie"])) {
				return "", errPrompt
			}
			return "Mend this movie: validate it, apply the remedy of each problem at its pointer, and validate again until none is " +
				"left.\n" +
				begin(validateTool, map[string]any{"movie": json.RawMessage(given["movie"])}), nil
		},
	},
}

func addPrompts(server *mcp.Server, listed map[string]bool) {
	for _, p := range prompts {
		if !listed[p.leads] {
			continue
		}
		server.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.about, Arguments: p.arguments},
			func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				for _, argument := range p.arguments {
					if argument.Required && strings.TrimSpace(r.Params.Arguments[argument.Name]) == "" {
						return nil, fmt.Errorf("%w: %s", errPrompt, argument.Name)
					}
				}
				text, err := p.text(r.Params.Arguments)
				if err != nil {
					return nil, err
				}
				return &mcp.GetPromptResult{Description: p.about, Messages: []*mcp.PromptMessage{{Role: "user",
					Content: &mcp.TextContent{Text: text}}}}, nil
			})
	}
}

// begin returns the last part of a prompt's text, which asks the agent to call a tool with the given arguments first. The
// call is written as JSON, in the same form as the field next_call of tools' replies.
func begin(tool string, arguments map[string]any) string {
	call, err := json.MarshalIndent(step{Tool: tool, Arguments: arguments}, "", "  ")
	if err != nil {
		panic("mcp: " + err.Error()) // encoding texts and valid JSON never fails
	}
	return "\nBegin with this call:\n\n```json\n" + string(call) + "\n```\n"
}

func firstMovie(given map[string]string) (string, error) {
	return "Write a movie JSON for this idea: " + given["idea"] + "\n" +
		"Three to five scenes of 2 to 4 seconds; a text element on each, over a picture, a video or a background-color. The " +
		"resources describe every property. " +
		"Validate it, mend what its problems say, look at a preview, and render it. Here is one to change:\n" +
		begin(validateTool, map[string]any{"movie": map[string]any{"resolution": "hd", "scenes": []any{
			map[string]any{"duration": 3, "background-color": "#0B132B",
				"elements": []any{map[string]any{"type": "text", "text": given["idea"], "style": "003"}}},
		}}}), nil
}

// slideSeconds is the time for which a slideshow shows each picture.
const slideSeconds = 3

func slideshow(given map[string]string) (string, error) {
	var scenes []any
	for i, address := range strings.FieldsFunc(given["pictures"], func(r rune) bool { return strings.ContainsRune(", \n\t", r) }) {
		elements := []any{map[string]any{"type": "image", "src": address, "resize": "cover", "zoom": 2}}
		if title := given["title"]; title != "" && i == 0 {
			elements = append(elements, map[string]any{"type": "text", "text": title,
				"settings": map[string]any{"vertical-position": "bottom"}})
		}
		scene := map[string]any{"duration": slideSeconds, "elements": elements}
		if i > 0 {
			scene["transition"] = map[string]any{"style": "fade", "duration": 0.5}
		}
		scenes = append(scenes, scene)
	}
	return "Make a slideshow of these pictures. Validate it, mend what its problems say, and render it.\n" +
		begin(validateTool, map[string]any{"movie": map[string]any{"resolution": "hd", "scenes": scenes}}), nil
}

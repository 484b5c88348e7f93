package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a program that makes movies and knows nothing of them: no name of a tool, a prompt or an argument stands in it. It chooses by the words of
// descriptions, fills arguments by the words of their schemas, applies remedies, and does what answers say is next.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
	tools   map[string]*mcp.Tool
	facts   []fact
	calls   int
	trail   []string
}

// fact is something that the agent was told, and the words for it.
type fact struct {
	words string
	value any
}

// job is what an agent is to do.
type job struct {
	task  string
	facts []fact
}

// chosen is a call that was chosen.
type chosen struct {
	Tool      string
	Arguments map[string]any
}

// answered are the facts of an answer.
type answered struct {
	Error    string
	Problems []struct{ Pointer, Remedy string }
	Next     string
	NextCall *chosen `json:"next_call"`
}

func newAgent(t *testing.T, session *mcp.ClientSession, facts []fact) *agent {
	t.Helper()
	a := &agent{t: t, session: session, tools: map[string]*mcp.Tool{}, facts: facts}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a.tools[tool.Name] = tool
	}
	return a
}

// do does a job and returns the text of the last answer, which leads no further.
func (a *agent) do(j job) string {
	a.t.Helper()
	next := a.begin(j.task)
	last := ""
	for {
		a.fill(next)
		call, err := json.Marshal(next)
		if err != nil {
			a.t.Fatal(err)
		}
		if string(call) != last { // asking again whether a movie is finished, on a busy machine, is one call
			a.calls++
		}
		if last = string(call); a.calls > 5 {
			a.t.Fatalf("more than five calls: %s", strings.Join(a.trail, "\n"))
		}
		answer, text := a.send(next)
		switch {
		case len(answer.Problems) > 0:
			a.mend(answer)
			next = &chosen{Tool: answer.NextCall.Tool}
		case answer.NextCall != nil:
			next = answer.NextCall
		default:
			return text
		}
	}
}

// begin chooses how to begin: by the prompt whose words fit the task best, when the agent was told all that it needs and it fits better than the
// best tool; otherwise by that tool.
func (a *agent) begin(task string) *chosen {
	a.t.Helper()
	texts := map[string]string{}
	for name, tool := range a.tools {
		texts["tool "+name] = tool.Title + " " + tool.Description
	}
	offered := map[string]*mcp.Prompt{}
	for p, err := range a.session.Prompts(a.t.Context(), nil) {
		if err != nil {
			a.t.Fatal(err)
		}
		if _, ok := a.promptArguments(p); ok {
			offered["prompt "+p.Name], texts["prompt "+p.Name] = p, p.Title+" "+p.Description
		}
	}
	best := closest(task, texts)
	a.trail = append(a.trail, "begins with "+best)
	p, isPrompt := offered[best]
	if !isPrompt {
		return &chosen{Tool: strings.TrimPrefix(best, "tool ")}
	}
	arguments, _ := a.promptArguments(p)
	got, err := a.session.GetPrompt(a.t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: arguments})
	if err != nil {
		a.t.Fatal(err)
	}
	text := got.Messages[0].Content.(*mcp.TextContent).Text
	_, block, _ := strings.Cut(text, "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var first chosen
	if err := json.Unmarshal([]byte(block), &first); err != nil {
		a.t.Fatalf("the prompt has no call: %v\n%s", err, text)
	}
	for name, value := range first.Arguments { // what the prompt has made is known from now on
		a.facts = append([]fact{{name, value}}, a.facts...)
	}
	return &first
}

// promptArguments are the arguments of a prompt, as far as the agent was told. False: one that is required was not.
func (a *agent) promptArguments(p *mcp.Prompt) (map[string]string, bool) {
	arguments := map[string]string{}
	for _, argument := range p.Arguments {
		value, known := a.know(argument.Name, argument.Description, "string")
		if text, ok := value.(string); known && ok {
			arguments[argument.Name] = text
		} else if argument.Required {
			return nil, false
		}
	}
	return arguments, true
}

// fill adds the arguments that a tool needs and that the agent knows.
func (a *agent) fill(c *chosen) {
	if c.Arguments == nil {
		c.Arguments = map[string]any{}
	}
	tool, ok := a.tools[c.Tool]
	if !ok {
		a.t.Fatalf("there is no tool %s", c.Tool)
	}
	schema := tool.InputSchema.(map[string]any)
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if _, given := c.Arguments[name]; given {
			continue
		}
		described := property.(map[string]any)
		about, _ := described["description"].(string)
		kind, _ := described["type"].(string)
		if value, known := a.know(name, about, kind); known && (slices.Contains(required, any(name)) || len(required) == 0) {
			c.Arguments[name] = value
		}
	}
}

// know looks for what is called so among what the agent was told, of a type.
func (a *agent) know(name, about, kind string) (any, bool) {
	var best any
	most := 0.0
	for _, f := range a.facts {
		if kindOf(f.value) != kind {
			continue
		}
		if score := overlap(f.words, name+" "+name+" "+about); score > most {
			best, most = f.value, score
		}
	}
	return best, most > 0
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case int:
		return "integer"
	case map[string]any:
		return "object"
	}
	return "other"
}

func (a *agent) send(c *chosen) (answered, string) {
	a.t.Helper()
	result, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: c.Tool, Arguments: c.Arguments})
	if err != nil {
		a.t.Fatal(err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	a.trail = append(a.trail, fmt.Sprintf("%s → %s", c.Tool, text))
	var answer answered
	if err := json.Unmarshal([]byte(text), &answer); err != nil || result.IsError {
		a.t.Fatalf("%v: %s", err, strings.Join(a.trail, "\n"))
	}
	return answer, text
}

var (
	writeText   = regexp.MustCompile(`^Write "([^"]*)"`)
	writeName   = regexp.MustCompile(`^Write '([^']*)'`)
	writeNumber = regexp.MustCompile(`^Write a number between (\S+) and (\S+)`)
	useOne      = regexp.MustCompile(`^Use one of: ([^,]+)`)
)

// mend applies the remedy of each problem at its pointer, the last first, so that pointers into lists stay right.
func (a *agent) mend(answer answered) {
	a.t.Helper()
	at := slices.IndexFunc(a.facts, func(f fact) bool { return kindOf(f.value) == "object" })
	movie := a.facts[at].value.(map[string]any)
	for _, p := range slices.Backward(answer.Problems) {
		names := strings.Split(strings.TrimPrefix(p.Pointer, "/"), "/")
		parent, last := within(movie, names[:len(names)-1]), names[len(names)-1]
		object, ok := parent.(map[string]any)
		if !ok {
			a.t.Fatalf("%s leads to %T", p.Pointer, parent)
		}
		switch {
		case writeText.MatchString(p.Remedy):
			object[last] = writeText.FindStringSubmatch(p.Remedy)[1]
		case writeName.MatchString(p.Remedy):
			value := object[last]
			delete(object, last)
			object[writeName.FindStringSubmatch(p.Remedy)[1]] = value
		case writeNumber.MatchString(p.Remedy):
			least, _ := strconv.ParseFloat(writeNumber.FindStringSubmatch(p.Remedy)[1], 64)
			object[last] = least
		case useOne.MatchString(p.Remedy):
			object[last] = useOne.FindStringSubmatch(p.Remedy)[1]
		case strings.HasPrefix(p.Remedy, "Remove it"):
			delete(object, last)
		default:
			a.t.Fatalf("%s: a program cannot do %q", p.Pointer, p.Remedy)
		}
	}
}

// within follows a pointer.
func within(value any, names []string) any {
	for _, name := range names {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, _ := strconv.Atoi(name)
			value = v[i]
		}
	}
	return value
}

// stems are the words of a text without their endings.
func stems(text string) map[string]bool {
	found := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) > 2 {
			found[word[:min(len(word), 5)]] = true
		}
	}
	return found
}

func overlap(a, b string) float64 {
	count := 0.0
	there := stems(b)
	for word := range stems(a) {
		if there[word] {
			count++
		}
	}
	return count
}

// closest is the name of the text that fits a task best: rare words count for more, and so do words among few.
func closest(task string, texts map[string]string) string {
	in := map[string]int{}
	for _, text := range texts {
		for word := range stems(text) {
			in[word]++
		}
	}
	best, most := "", -1.0
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		words, score := stems(texts[name]), 0.0
		for word := range stems(task) {
			if words[word] {
				score += math.Log(1 + float64(len(texts))/float64(in[word]))
			}
		}
		if score /= math.Sqrt(float64(len(words))); score > most {
			best, most = name, score
		}
	}
	return best
}

// connect opens a session with a service's tools over HTTP.
func connect(t *testing.T, endpoint, key string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: bearer(key), DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// callTool calls a tool by its name, for tests that know it.
func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) (map[string]any, *mcp.CallToolResult) {
	t.Helper()
	result, err := session.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]any{}
	if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &facts); err != nil {
		t.Fatal(err)
	}
	return facts, result
}

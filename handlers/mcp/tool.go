package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// tool is a row of the table of tools.
type tool struct {
	name, title, about string
	asks               []string // the operations that the tool calls, such as "POST /v2/movies"
	changes            bool     // the tool creates, changes or ends something
	schema             string   // JSON Schema of the tool's arguments
	run                func(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error)
}

// tools is the table of tools, in the order of the list that clients get.
var tools = slices.Concat(movieTools, templateTools, mediaTools, otherTools)

// callTime is the time limit of a call: a little more than the longest wait for a movie.
const callTime = maxWait + 20*time.Second

// AnswerTime is the time limit for answering a message.
const AnswerTime = callTime + 10*time.Second

// role returns the lowest role whose keys may call all operations that the tool calls.
func (t tool) role(operations []access.Operation) (key.Role, error) {
	least := key.Viewer
	for _, name := range t.asks {
		at := slices.IndexFunc(operations, func(op access.Operation) bool { return op.Method+" "+op.Path == name })
		if at < 0 {
			return "", fmt.Errorf("the tool %s asks %s, which is not served", t.name, name)
		}
		if op := operations[at]; op.Role.AtLeast(least) {
			least = op.Role
		}
	}
	return least, nil
}

// addTool adds a tool to a server. For arguments that do not match the schema, the reply names the faults.
func (s *Server) addTool(server *mcp.Server, t tool) error {
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(t.schema), &schema); err != nil {
		return fmt.Errorf("read the schema of the tool %s: %w", t.name, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return fmt.Errorf("resolve the schema of the tool %s: %w", t.name, err)
	}
	annotations := &mcp.ToolAnnotations{ReadOnlyHint: !t.changes, DestructiveHint: new(t.name == cancelTool)}
	server.AddTool(&mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: json.RawMessage(t.schema), Annotations: annotations,
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := bytes.TrimSpace(r.Params.Arguments)
		if len(arguments) == 0 || string(arguments) == "null" {
			arguments = []byte("{}")
		}
		var given any
		if err := json.Unmarshal(arguments, &given); err != nil {
			return refused(domain.Errorf(domain.Invalid, "arguments_invalid", "The arguments are no JSON object"))
		}
		if err := resolved.Validate(given); err != nil {
			return refused(domain.Errorf(domain.Invalid, "arguments_invalid", "The arguments do not fit the tool's schema: %v", err))
		}
		leave, ok := s.open.enter(r.Extra.Header.Get(keyHeader))
		if !ok {
			return refused(domain.Errorf(domain.Unavailable, "service_unavailable",
				"This key has %d calls open. Wait until some have ended.", maxOpen))
		}
		defer leave()
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		done, err := t.run(ctx, caller{serve: s.cfg.Interface, header: r.Extra.Header}, arguments)
		if err != nil {
			return s.failed(t, err)
		}
		return done.result()
	})
	return nil
}

// whole is a whole number in the arguments of a tool. It may be written in every form that JSON Schema takes for an integer,
// such as 20.0. A number that is too large to be exact becomes the largest exact one.
type whole int64

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole) UnmarshalJSON(raw []byte) error {
	var n float64
	if err := json.Unmarshal(raw, &n); err != nil {
		return err
	}
	*w = whole(min(n, 1<<53))
	return nil
}

// failed returns the reply for a tool that has failed. It logs an error that is not a refusal, because such an error is a
// fault of the service.
func (s *Server) failed(t tool, err error) (*mcp.CallToolResult, error) {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refused(refusal)
	}
	s.cfg.Log.WithError(err).WithField("tool", t.name).Warn("MCP tool failed; the client gets an error")
	return refused(domain.Errorf(domain.Internal, "internal_error", "The service could not do this. Please try again."))
}

// step is a call that a reply proposes to the client as the next one.
type step struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

// reply is the reply of a tool: facts, pictures, and the next step in words and, where it is known, as a call.
type reply struct {
	facts    map[string]any
	next     string
	call     *step
	pictures []mcp.Content
}

// result converts a reply to the form of the protocol. The facts are in it twice as JSON: as structured content for
// programs, and as text for clients that read only text.
func (r *reply) result() (*mcp.CallToolResult, error) {
	facts := r.facts
	facts["next"] = r.next
	if r.call != nil {
		facts["next_call"] = r.call
	}
	text, err := web.JSON(facts)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: append([]mcp.Content{&mcp.TextContent{Text: string(text)}}, r.pictures...),
		StructuredContent: json.RawMessage(text)}, nil
}

// refused returns the reply for a refusal, with the words of the API.
func refused(refusal *domain.Error) (*mcp.CallToolResult, error) {
	next, known := remedies[refusal.Code]
	if !known {
		next = "Change the arguments as the message says, and call again."
	}
	done, err := (&reply{facts: map[string]any{"error": refusal.Message, "code": refusal.Code}, next: next}).result()
	if done != nil {
		done.IsError = true
	}
	return done, err
}

// remedies are what the client can do about refusals whose messages do not tell it, by error code.
var remedies = map[string]string{
	"movie_not_found": "List the movies to find the project.",
	"template_not_found": "Find templates to get the id. A template of the library can be rendered as it is, but not described: " +
		duplicateFirst,
	"insufficient_credits": "Make the movie shorter, or ask the owner of the account to add credits.",
	"max_credits_exceeded": "Make the movie shorter, or ask the user whether it may cost more.",
	"service_unavailable":  "Wait for a few seconds and call again.",
	"internal_error":       "Call again; if it fails again, tell the user.",
	"preview_replaced":     "Another preview of the account came in between: call again.",
	"preview_quota":        "Go on without a preview.",
	"preview_unavailable":  "Go on without a preview.",
	"account_suspended":    "Tell the user that the account has spent its credits.",
	"not_enough_credits":   "Tell the user that the account has no credits.",
}

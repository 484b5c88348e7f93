package operation_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

type inner struct {
	N int `json:"n"`
}

type common struct {
	Success bool `json:"success"`
}

type answer struct {
	common
	ID     string            `json:"id"`
	Name   *string           `json:"name"`
	Note   *string           `json:"note,omitempty"`
	At     string            `json:"at"`
	DoneAt *string           `json:"done_at"`
	Inner  inner             `json:"inner"`
	Other  *inner            `json:"other"`
	List   []inner           `json:"list"`
	Counts map[string]int    `json:"counts"`
	Raw    json.RawMessage   `json:"raw"`
	Tags   []string          `json:"tags,omitempty"`
	Hidden map[string]string `json:"-"`
}

func document(t *testing.T, room operation.Room) (paths, schemas map[string]any) {
	t.Helper()
	raw, models, err := operation.Document(room)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(models)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &paths); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole, &schemas); err != nil {
		t.Fatal(err)
	}
	return paths, schemas
}

func parse(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestModels: names, types and what is required come from the Go type; texts and bounds are added.
func TestModels(t *testing.T) {
	t.Parallel()
	_, schemas := document(t, operation.Room{Models: []operation.Model{
		operation.Of[inner]("Inner", "In it."),
		operation.Of[answer]("Answer", "",
			operation.F("id", "Its id.", operation.ShortID),
			operation.F("name", "", operation.Enum("a", "b")),
			operation.F("raw", "", operation.Map, operation.Optional),
		).Also(operation.F("more", "Beside the type.", operation.Boolean)),
		operation.Object("Free", "Without a type.", operation.F("n", "", operation.Integer, operation.Min(1), operation.Default(3), operation.Optional),
			operation.F("which", "", operation.Is(operation.Either(operation.A[answer](), operation.Ref("Inner"))))),
	}})
	want := parse(t, `{
	"Inner": {"type": "object", "description": "In it.", "required": ["n"], "properties": {"n": {"type": "integer"}}},
	"Answer": {"type": "object", "required": ["success", "id", "name", "at", "done_at", "inner", "other", "list", "counts", "more"], "properties": {
		"success": {"const": true},
		"id": {"type": "string", "description": "Its id.", "minLength": 16, "maxLength": 16},
		"name": {"type": ["string", "null"], "enum": ["a", "b", null]},
		"note": {"type": "string"},
		"at": {"$ref": "#/components/schemas/Timestamp"},
		"done_at": {"anyOf": [{"$ref": "#/components/schemas/Timestamp"}, {"type": "null"}]},
		"inner": {"$ref": "#/components/schemas/Inner"},
		"other": {"anyOf": [{"$ref": "#/components/schemas/Inner"}, {"type": "null"}]},
		"list": {"type": "array", "items": {"$ref": "#/components/schemas/Inner"}},
		"counts": {"type": "object", "additionalProperties": {"type": "integer"}},
		"raw": {"type": "object"},
		"tags": {"type": "array", "items": {"type": "string"}},
		"more": {"type": "boolean", "description": "Beside the type."}}},
	"Free": {"type": "object", "description": "Without a type.", "required": ["which"], "properties": {
		"n": {"type": "integer", "minimum": 1, "default": 3},
		"which": {"oneOf": [{"$ref": "#/components/schemas/Answer"}, {"$ref": "#/components/schemas/Inner"}]}}}}`)
	if diff := cmp.Diff(want, any(schemas)); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
}

// TestDocument: the role, the caller, the body and the parameters add their errors; an operation's own text of a status is kept.
func TestDocument(t *testing.T) {
	t.Parallel()
	op := operation.Operation{
		Method: http.MethodPost, Path: "/v2/things/{id}", ID: "makeThing", Tag: "Things", Summary: "Make it", Text: "At once.", Role: key.Editor,
		Parameters: []operation.Parameter{operation.InPath("id", "The thing."), operation.Query("meta", "", operation.Map).Members()},
		Body:       operation.JSON(operation.A[inner]()).Example(`{"n": 1}`),
		Answers:    operation.OK("Made.", operation.A[inner]()),
		Refusals:   []operation.Refusal{operation.On(404, "There is none.", "thing_not_found"), operation.On(400, "", "n_invalid")},
	}
	if diff := cmp.Diff([]string{"meta.*"}, op.Query()); diff != "" {
		t.Errorf("the gate lets through (-want +got):\n%s", diff)
	}
	paths, _ := document(t, operation.Room{Operations: []operation.Operation{op}})
	made, ok := paths["/v2/things/{id}"].(map[string]any)["post"].(map[string]any)
	if !ok || made["description"] != "At once. Role editor." {
		t.Errorf("described as %v", made)
	}
	codes := map[string]string{}
	for status, response := range made["responses"].(map[string]any) {
		raw, err := json.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(string(raw), `"enum":`)
		codes[status], _, _ = strings.Cut(list, "}")
	}
	want := map[string]string{
		"200": "", "405": "", "503": "", "400": `["body_invalid","body_missing","body_unreadable","n_invalid","query_invalid"]`,
		"401": `["api_key_invalid","api_key_missing"]`, "403": `["insufficient_permissions"]`, "404": `["thing_not_found"]`,
		"413": `["body_too_large"]`, "500": `["internal_error"]`,
	}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestDocument_mistakes: what is declared twice is an error, and equal declarations make equal bytes.
func TestDocument_mistakes(t *testing.T) {
	t.Parallel()
	op := operation.Operation{Method: http.MethodGet, Path: "/a", ID: "a", Role: key.Viewer}
	other := op
	other.Path = "/b"
	for name, room := range map[string]operation.Room{
		"a route twice": {Operations: []operation.Operation{op, op}},
		"an id twice":   {Operations: []operation.Operation{op, other}},
		"a name twice":  {Models: []operation.Model{operation.Of[inner]("A", ""), operation.Object("A", "")}},
		"a type twice":  {Models: []operation.Model{operation.Of[inner]("A", ""), operation.Of[inner]("B", "")}},
	} {
		if _, _, err := operation.Document(room); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	room := operation.Room{Operations: []operation.Operation{op}}
	first, _, err := operation.Document(room)
	again, _, failed := operation.Document(room)
	if err != nil || failed != nil || !bytes.Equal(first, again) {
		t.Errorf("%v, %v; equal %v", err, failed, bytes.Equal(first, again))
	}
}

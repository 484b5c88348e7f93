package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"moviola/handlers/http/openapi"
)

// The types of the Go client are those of the description.
func TestGenerate(t *testing.T) {
	t.Parallel()
	want, err := generate(openapi.Document())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../client/types.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("client/types.go is not what the description says: run go generate ./tests/clients/gotypes")
	}
	for _, line := range []string{
		"StartedAt *time.Time `json:\"started_at\"`", "URL *string `json:\"url\"`", "ClientData map[string]any `json:\"client-data\"`",
		"Movies []Status `json:\"movies\"`", "Progress int64 `json:\"progress\"`", "DeletedAt *time.Time `json:\"deleted_at,omitempty\"`",
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(want)), " "), line) {
			t.Errorf("no field %s", line)
		}
	}
}

func TestGenerate_missing(t *testing.T) {
	t.Parallel()
	if _, err := generate([]byte(`{"components":{"schemas":{}}}`)); err == nil || !strings.Contains(err.Error(), "no schema") {
		t.Error(err)
	}
	if _, err := generate([]byte(`no JSON`)); err == nil {
		t.Error("no error")
	}
}

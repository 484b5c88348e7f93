package blackbox_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestRefusals sends what must be refused, and checks that nothing was created or held.
func TestRefusals(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("refusals", 600)
	nobody := service.Client("")
	stranger := service.Client("mv_" + strings.Repeat("0", 46))

	limit := 2 << 20
	padded := func(n int) []byte {
		head, tail := []byte(`{"scenes":[{"duration":1}],"comment":"`), []byte(`"}`)
		return append(append(head, bytes.Repeat([]byte("x"), n-len(head)-len(tail))...), tail...)
	}
	tests := []struct {
		name    string
		client  *harness.Client
		method  string
		path    string
		body    []byte
		status  int
		message string
	}{
		{"empty body", client, "POST", "/movies", nil, 400, "No movie JSON received"},
		{"invalid JSON", client, "POST", "/movies", []byte(`{"scenes":`), 400, "Error parsing movie JSON or the movie was empty"},
		{"null", client, "POST", "/movies", []byte(`null`), 400, "No valid movie JSON received"},
		{"no object", client, "POST", "/movies", []byte(`[1]`), 400, "No valid movie JSON received"},
		{"empty object", client, "POST", "/movies", []byte(`{}`), 400, "Error parsing movie JSON or the movie was empty"},
		{"2 MB + 1 byte", client, "POST", "/movies", padded(limit + 1), 413, ""},
		{"no key", nobody, "POST", "/movies", []byte(`{}`), 401, "Invalid or missing API key"},
		{"unknown key", stranger, "GET", "/movies", nil, 401, "Invalid or missing API key"},
		{"DELETE without key", nobody, "DELETE", "/movies?project=0123456789abcdef", nil, 400, "Error: API Key not provided"},
		{"wrong method", client, "PATCH", "/movies", nil, 405, "Method not supported"},
		{"unknown path", client, "GET", "/nowhere", nil, 404, "Not found"},
		{"malformed project", client, "GET", "/movies?project=short", nil, 400, "Project ID must be a 16-character string. Received ID: short (length: 5)"},
		{"malformed project, DELETE", client, "DELETE", "/movies?project=short", nil, 400, "A 16-character project ID must be provided in the 'project' query parameter"},
		{"unknown project", client, "GET", "/movies?project=0123456789abcdef", nil, 404, "Movie 0123456789abcdef not found"},
		{"unknown project, DELETE", client, "DELETE", "/movies?project=0123456789abcdef", nil, 400, "Movie 0123456789abcdef not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer := tt.client.Do(tt.method, tt.path, tt.body)
			var got struct {
				Success *bool  `json:"success"`
				Message string `json:"message"`
				Code    string `json:"code"`
			}
			answer.Into(t, &got)
			if answer.Status != tt.status || got.Success == nil || *got.Success || got.Code == "" {
				t.Errorf("answer %d %s, want %d", answer.Status, answer.Body, tt.status)
			}
			if tt.message != "" && got.Message != tt.message {
				t.Errorf("message %q, want %q", got.Message, tt.message)
			}
			if tt.status == http.StatusRequestEntityTooLarge && got.Code != "movie_json_too_large" {
				t.Errorf("code %q", got.Code)
			}
		})
	}

	var after harness.List
	client.Do("GET", "/movies", nil).Into(t, &after)
	if after.Count != 0 || after.Movies == nil {
		t.Errorf("%d movies after refusals only", after.Count)
	}
	if answer := client.Do("POST", "/movies", padded(limit)); answer.Status != http.StatusOK {
		t.Errorf("a body of exactly 2 MB answers %d %s", answer.Status, answer.Body[:min(200, len(answer.Body))])
	}
}

// TestList pages through a short history by next_token.
func TestList(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("list", 600)
	other := service.NewAccount("other", 600)
	other.Submit(object{"scenes": list{object{"duration": 1}}})
	var want []string
	for range 5 {
		want = append([]string{client.Submit(object{"scenes": list{object{"duration": 1}}})}, want...)
	}
	var got []string
	for token, pages := "", 0; pages < 10; pages++ {
		var page harness.List
		client.Do("GET", "/movies?limit=2&next_token="+token, nil).Into(t, &page)
		for _, movie := range page.Movies {
			got = append(got, movie.Project)
		}
		if page.HasPrev != (token != "") || page.Count != len(page.Movies) || page.HasNext != (page.NextToken != nil) {
			t.Errorf("page %d: %+v", pages, page)
		}
		if !page.HasNext {
			break
		}
		token = *page.NextToken
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
}

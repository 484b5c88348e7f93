package blackbox_test

import (
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"moviola/tests/harness"
)

// bearer is a client that shows a key as a bearer token.
func bearer(key string) *http.Client {
	return &http.Client{Transport: bearerTransport(key)}
}

type bearerTransport string

func (key bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// slide is a picture.
func slide() image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for i := range 320 * 180 {
		picture.Set(i%320, i/320, color.RGBA{uint8(i % 256), uint8(i / 320), 90, 255})
	}
	return picture
}

// agents is a service for agents.
type agents struct {
	*harness.Service
	client *harness.Client
	host   string
}

func startForAgents(t *testing.T, flags ...string) *agents {
	t.Helper()
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, slide()) // who has gone away needs no picture
	}))
	t.Cleanup(pictures.Close)
	host := strings.TrimPrefix(pictures.URL, "http://")
	s := harness.NewService(t, "--allow-host", host)
	s.StartAPI(flags...)
	return &agents{s, s.NewAccount("agents", 600), host}
}

// TestAgent: a program that knows nothing of the service but what it is told by it makes three movies, in five calls each.
func TestAgent(t *testing.T) {
	t.Parallel()
	s := startForAgents(t)
	template := map[string]any{"name": "Birthday greeting", "movie": map[string]any{
		"variables": map[string]any{"person": "you"}, "resolution": "sd", "scenes": []any{
			map[string]any{"duration": 1, "elements": []any{map[string]any{"type": "text", "text": "Happy birthday, {{person}}"}}},
		},
	}}
	body, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	if answer := s.client.Do(http.MethodPost, "/templates", body); answer.Status != http.StatusOK {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	broken := map[string]any{"resolution": "fullhd", "scenes": []any{map[string]any{
		"duration": 1, "bakground-color": "#102030", "elements": []any{
			map[string]any{"type": "text", "text": "Mended", "zoom": 99},
			map[string]any{"type": "component", "component": "basic/01", "settings": map[string]any{"headline": "Mended"}},
		},
	}}}
	budget := fact{"budget of credits to spend at most", 60}
	for name, j := range map[string]job{
		"two pictures": {"Make a slideshow of two pictures", []fact{
			{"addresses of the pictures", "http://" + s.host + "/one.png http://" + s.host + "/two.png"}, budget,
		}},
		"a template": {"Find the saved template with the name Birthday greeting, fill it in and render it", []fact{
			{"name of the template, to search for", "birthday greeting"}, {"values of the variables", map[string]any{"person": "Ana"}}, budget,
		}},
		"four mistakes": {"Check this movie for mistakes, mend the problems, then render it", []fact{{"movie JSON", broken}, budget}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, connect(t, s.client.Base+"/mcp", s.client.Key), j.facts)
			last := a.do(j)
			t.Logf("%d calls:\n%s", a.calls, strings.Join(a.trail, "\n"))
			var end struct {
				Movie struct{ Status, URL string }
			}
			if err := json.Unmarshal([]byte(last), &end); err != nil || end.Movie.Status != "done" {
				t.Fatalf("%v: ended with %s", err, last)
			}
			answer, err := http.Get(end.Movie.URL)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("the movie: %v %v", answer, err)
			}
			_ = answer.Body.Close()
		})
	}
}

// TestAgentSees: what else tools show, and that nobody pays more than was said.
func TestAgentSees(t *testing.T) {
	t.Parallel()
	s := startForAgents(t)
	session := connect(t, s.client.Base+"/mcp", s.client.Key)
	movie := map[string]any{"resolution": "sd", "scenes": []any{map[string]any{"duration": 2, "elements": []any{map[string]any{"type": "text", "text": "Hello"}}}}}
	var drawn *mcp.CallToolResult
	harness.Eventually(t, "two moments are drawn in their time", func() bool { // previews have a time limit
		_, drawn = callTool(t, session, "preview_movie", map[string]any{"movie": movie, "time": []any{0.5, 1.5}})
		return !drawn.IsError
	})
	if len(drawn.Content) != 3 || drawn.Content[1].(*mcp.ImageContent).MIMEType != "image/jpeg" || len(drawn.Content[2].(*mcp.ImageContent).Data) < 1000 {
		t.Errorf("two moments: %d contents", len(drawn.Content))
	}
	facts, _ := callTool(t, session, "render_movie", map[string]any{"movie": movie, "max_credits": 1})
	if facts["code"] != "max_credits_exceeded" {
		t.Errorf("a movie beyond its budget: %v", facts)
	}
	facts, result := callTool(t, session, "render_movie", map[string]any{"movie": movie, "max_credits": 2, "request_id": "one"})
	again, _ := callTool(t, session, "render_movie", map[string]any{"movie": movie, "max_credits": 2, "request_id": "one"})
	if result.IsError || again["project"] != facts["project"] {
		t.Errorf("submitted as %v, repeated as %v", facts, again)
	}
	harness.Eventually(t, "one movie is listed", func() bool {
		facts, _ = callTool(t, session, "list_movies", nil)
		return len(facts["movies"].([]any)) == 1
	})
	facts, _ = callTool(t, session, "search_catalogue", map[string]any{"words": "katja"})
	if facts["total"] == 0.0 {
		t.Error("no voice is found")
	}
	facts, _ = callTool(t, session, "get_credits", nil)
	if facts["balance"] == nil {
		t.Errorf("credits: %v", facts)
	}
	facts, result = callTool(t, session, "cancel_movie", map[string]any{"project": "aaaaaaaaaaaaaaaa"})
	if !result.IsError || facts["code"] != "movie_not_found" {
		t.Errorf("a movie that is not there: %v", facts)
	}
	facts, result = callTool(t, session, "render_movie", map[string]any{"movie": "text", "max_credits": 2})
	if !result.IsError || facts["code"] != "arguments_invalid" {
		t.Errorf("a movie that is none: %v", facts)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "moviola://catalogue/properties"})
	if err != nil || !strings.Contains(read.Contents[0].Text, "`max-width`") && !strings.Contains(read.Contents[0].Text, "`zoom`") {
		t.Errorf("the properties: %v", err)
	}
}

// TestAgentAttacks: what does not come from where it may, or asks for more than its key may, is refused.
func TestAgentAttacks(t *testing.T) {
	t.Parallel()
	s := startForAgents(t, "--public-url", "https://video.example.com", "--cors-origin", "https://studio.example.com")
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ask := func(method, body string, header map[string]string) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequest(method, s.client.Base+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("X-Api-Key", s.client.Key)
		for name, value := range header {
			switch {
			case name == "Host":
				r.Host = value
			case value == "":
				r.Header.Del(name)
			default:
				r.Header.Set(name, value)
			}
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text), answer.Header
	}
	for name, tt := range map[string]struct {
		method, body string
		header       map[string]string
		status       int
		code         string
	}{
		"as it should be":        {header: nil, status: 200, code: "tools"},
		"the public name":        {header: map[string]string{"Host": "video.example.com"}, status: 200, code: "tools"},
		"the public origin":      {header: map[string]string{"Origin": "https://video.example.com"}, status: 200, code: "tools"},
		"an origin that may":     {header: map[string]string{"Origin": "https://studio.example.com"}, status: 200, code: "tools"},
		"a bearer token":         {header: map[string]string{"X-Api-Key": "", "Authorization": "Bearer " + s.client.Key}, status: 200, code: "tools"},
		"a foreign host":         {header: map[string]string{"Host": "rebound.example.net"}, status: 421, code: "host_not_allowed"},
		"a foreign origin":       {header: map[string]string{"Origin": "https://evil.example.net"}, status: 403, code: "origin_not_allowed"},
		"an origin of its port":  {header: map[string]string{"Origin": "https://video.example.com:8443"}, status: 403, code: "origin_not_allowed"},
		"an origin without name": {header: map[string]string{"Origin": "null"}, status: 403, code: "origin_not_allowed"},
		"no key":                 {header: map[string]string{"X-Api-Key": ""}, status: 401, code: "api_key_missing"},
		"two keys":               {header: map[string]string{"Authorization": "Bearer " + s.client.Key}, status: 401, code: "api_key_invalid"},
		"another scheme":         {header: map[string]string{"X-Api-Key": "", "Authorization": "Basic " + s.client.Key}, status: 401, code: "api_key_invalid"},
		"a wrong key":            {header: map[string]string{"X-Api-Key": "", "Authorization": "Bearer mv_nothing"}, status: 401, code: "api_key_invalid"},
		"another method":         {method: http.MethodGet, status: 405, code: "method_not_supported"},
		"a large message":        {body: strings.Repeat(" ", 4<<20) + message, status: 413, code: "body_too_large"},
		"no message":             {body: "{", status: 400},
	} {
		t.Run(name, func(t *testing.T) {
			method, body := tt.method, tt.body
			if method == "" {
				method = http.MethodPost
			}
			if body == "" {
				body = message
			}
			status, text, header := ask(method, body, tt.header)
			if status != tt.status || !strings.Contains(text, tt.code) {
				t.Errorf("%d %.300s, want %d %s", status, text, tt.status, tt.code)
			}
			if status == http.StatusUnauthorized && header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("headers %v", header)
			}
		})
	}
	// The bearer token opens nothing else.
	r, err := http.NewRequest(http.MethodGet, s.client.Base+"/v2/movies", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := bearer(s.client.Key).Do(r)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a bearer token on an operation: %v %v", answer, err)
	}
	s.roles(t)
}

// roles: tools above a key's role are neither listed nor callable, and none takes a path.
func (s *agents) roles(t *testing.T) {
	t.Helper()
	viewer := []string{"describe_template", "list_media", "list_movies", "movie_status", "search_catalogue"}
	render := append(slices.Clone(viewer), "cancel_movie", "find_templates", "preview_movie", "render_movie", "render_template", "upload_media", "validate_movie")
	for role, want := range map[string][]string{"viewer": viewer, "render": render, "editor": render, "manager": render, "admin": append(slices.Clone(render), "get_credits")} {
		var issued struct{ Key string }
		s.client.Do(http.MethodPost, "/keys", []byte(`{"name":"agent","role":"`+role+`"}`)).Into(t, &issued)
		session := connect(t, s.client.Base+"/mcp", issued.Key)
		var got []string
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, tool.Name)
			properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
			for name := range properties {
				if strings.Contains(name, "path") || name == "file" || name == "src" {
					t.Errorf("%s takes %s", tool.Name, name)
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tools of %s (-want +got):\n%s", role, diff)
		}
		for _, name := range []string{"get_credits", "render_movie"} {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
			if listed := slices.Contains(want, name); (err == nil) != listed {
				t.Errorf("%s calls %s: %v", role, name, err)
			}
		}
	}
}

// TestAgentOverStdio: `moviola mcp` offers what the service does, and uploads files below its root only.
func TestAgentOverStdio(t *testing.T) {
	t.Parallel()
	s := startForAgents(t)
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.png")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(root, "one.png"))
	if err == nil {
		err = png.Encode(file, slide())
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	if err := os.Symlink(outside, filepath.Join(root, "link.png")); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(harness.Binary(t), "mcp", "--url", s.client.Base, "--root", root)
	program.Env = append(os.Environ(), "MOVIOLA_API_KEY="+s.client.Key)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	over := connect(t, s.client.Base+"/mcp", s.client.Key)
	names := func(of *mcp.ClientSession) (all []string) {
		for tool, err := range of.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, "tool "+tool.Name)
		}
		for one, err := range of.Prompts(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, "prompt "+one.Name)
		}
		for one, err := range of.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, "resource "+one.URI)
		}
		return all
	}
	if diff := cmp.Diff(names(over), names(session)); diff != "" {
		t.Errorf("what is offered (-over HTTP +over stdio):\n%s", diff)
	}
	facts, result := callTool(t, session, "upload_media", map[string]any{"file": "one.png"})
	if result.IsError || !strings.HasSuffix(facts["url"].(string), "/one.png") {
		t.Fatalf("uploaded: %v", facts)
	}
	movie := map[string]any{"resolution": "sd", "scenes": []any{map[string]any{"duration": 1, "elements": []any{map[string]any{"type": "image", "src": facts["url"]}}}}}
	if facts, _ = callTool(t, session, "validate_movie", map[string]any{"movie": movie}); facts["valid"] != true {
		t.Errorf("a movie with it: %v", facts)
	}
	for _, name := range []string{"../secret.png", outside, "link.png", ".", "missing.png", ""} {
		if facts, result = callTool(t, session, "upload_media", map[string]any{"file": name}); !result.IsError {
			t.Errorf("%q was uploaded: %v", name, facts)
		}
	}
}

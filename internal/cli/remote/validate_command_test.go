package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/internal/cli/exit"
)

// validated runs the command with a movie on its standard input, and returns what it prints and its exit code.
func validated(t *testing.T, movie string, args ...string) (printed string, code int, err error) {
	t.Helper()
	cmd := ValidateCommand()
	var out bytes.Buffer
	cmd.SetIn(strings.NewReader(movie))
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append(args, "-"))
	err = cmd.ExecuteContext(t.Context())
	var ends exit.Error
	if errors.As(err, &ends) {
		code = ends.Code
	}
	return out.String(), code, err
}

const savedTemplate = "Abcdefghij0123456789"

func TestValidateCommand(t *testing.T) {
	template := filepath.Join(t.TempDir(), "template.json")
	content := `{"resolution":"sd","scenes":[{"duration":2,"positon":1},{"duration":"{{ n }}"}]}`
	if err := os.WriteFile(template, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, movie string
		args        []string
		want        string
		code        int
	}{
		{"exact", `{"width":64,"height":50,"fps":30,"scenes":[{"duration":2.5}]}`, nil,
			"-: 64×50 pixels, 30 frames per second, 2.5 seconds, 3 credits\n-: 0 problems, 0 of them errors\n", 0},
		{"a question ends a message", `{"scenes":[{"duration":1,"elements":[{"type":"html","html":"a","positon":"top-left"}]}]}`, nil,
			"-:1:64: warning: The property 'positon' is unknown and has no effect: did you mean 'position'? Write 'position'. [property_unknown]\n" +
				"-: 640×360 pixels, 25 frames per second, 1 seconds, 1 credit\n-: 1 problem, 0 of them errors\n", 0},
		{"not exact", `{"width":64,"height":50,"scenes":[{"elements":[{"type":"video","src":"https://a.example/a.mp4"}]},{"duration":3}]}`, nil,
			"-: 64×50 pixels, 25 frames per second, at least 3 seconds, at least 3 credits\n-: 0 problems, 0 of them errors\n", 0},
		{"no JSON", `{"scenes":[}`, nil, "-:1:12: error: ", 1},
		{"a template that is not given", `{"template":"` + savedTemplate + `"}`, nil,
			"-: not checked: The saved template " + savedTemplate + ": give --template ID=FILE, or --url to ask a service that has it\n-: 0 problems, 0 of them errors\n", 0},
		{"a template", `{"template":"` + savedTemplate + `","variables":{"n":4}}`, []string{"--template", savedTemplate + "=" + template},
			savedTemplate + ":1:44: warning: The property 'positon' is unknown and has no effect", 0},
		{"a template's length", `{"template":"` + savedTemplate + `","variables":{"n":4}}`, []string{"--template", savedTemplate + "=" + template},
			"-: 640×360 pixels, 25 frames per second, 6 seconds, 6 credits\n", 0},
		{"a movie that is rendered again", `{"project":"abcdefghij012345"}`, nil, "-: not checked: The movie that 'project' renders again", 0},
		{"a template's file is not there", `{"template":"` + savedTemplate + `"}`, []string{"--template", savedTemplate + "=" + template + "x"}, "", 2},
		{"a template on standard input", `{"template":"` + savedTemplate + `"}`,
			[]string{"--template", savedTemplate + "=-"}, "", 2},
		{"both", `{}`, []string{"--template", savedTemplate + "=" + template, "--url", "http://127.0.0.1:1"}, "", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			printed, code, err := validated(t, tt.movie, tt.args...)
			if !strings.Contains(printed, tt.want) || code != tt.code {
				t.Errorf("%q, exit %d (%v), want %q, %d", printed, code, err, tt.want, tt.code)
			}
			if code == exit.NotChecked && err == nil || strings.Contains(printed, "?.") || strings.Contains(printed, "..") {
				t.Errorf("%q, %v", printed, err)
			}
		})
	}
}

// With --url, the service is asked, and its answer is told in full.
func TestValidateCommand_service(t *testing.T) {
	const answer = `{"success":true,"valid":false,"errors":[{}],"problems":[{"pointer":"/scenes","line":1,"column":2,"code":"movie_refused","severity":"error",` +
		`"message":"Too long","remedy":"Make it shorter"}],"problems_total":1,"unchecked":["The sources"],"width":640,"height":360,"fps":25,"draft":true,` +
		`"duration":6,"credits":6,"exact":false,"timeline":{"scenes":[]}}`
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		movie, err := io.ReadAll(r.Body)
		switch {
		case err != nil || r.Method != http.MethodPost || r.URL.Path != "/v2/movies/validate" || string(movie) != `{"scenes":[]}`:
			t.Errorf("%s %s %q, %v", r.Method, r.URL, movie, err)
		case r.Header.Get("X-Api-Key") != "mv_right":
			w.WriteHeader(http.StatusUnauthorized)
			_, err = io.WriteString(w, `{"success":false,"message":"Invalid or missing API key"}`)
		default:
			_, err = io.WriteString(w, answer)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer service.Close()
	if _, code, err := validated(t, `{"scenes":[]}`, "--url", service.URL); code != exit.NotChecked || !strings.Contains(err.Error(), apiKeyEnv) {
		t.Errorf("without a key: exit %d, %v", code, err)
	}
	t.Setenv(apiKeyEnv, "mv_wrong")
	if _, code, err := validated(t, `{"scenes":[]}`, "--url", service.URL); code != exit.NotChecked || err.Error() != "Invalid or missing API key: check MOVIOLA_API_KEY, or the file of --api-key-file" {
		t.Errorf("with a wrong key: exit %d, %v", code, err)
	}
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("mv_right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(apiKeyEnv, "mv_right")
	printed, code, _ := validated(t, `{"scenes":[]}`, "--url", service.URL+"/")
	want := "-:1:2: error: Too long. Make it shorter. [movie_refused]\n-: not checked: The sources\n" +
		"-: 640×360 pixels, 25 frames per second, at least 6 seconds, at least 6 credits\n-: 1 problem, 1 of them errors\n"
	if printed != want || code != exit.Findings {
		t.Errorf("%q, exit %d, want %q", printed, code, want)
	}
	printed, _, _ = validated(t, `{"scenes":[]}`, "--url", service.URL, "--json", "--api-key-file", keyFile)
	var got map[string]any
	if err := json.Unmarshal([]byte(printed), &got); err != nil || got["timeline"] == nil || got["credits"] != 6.0 {
		t.Errorf("%q, %v", printed, err)
	}
}

package movies_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/eventstore"
)

// report is what the tests read of an answer.
type report struct {
	Success, Valid bool
	Errors         []struct{ Message, Code string }
	Warnings       []string
	Width, Height  int
	FPS, Duration  float64
	Credits        int64
	Exact, Draft   bool
	Timeline       any
	Timestamp      string
}

func validate(t *testing.T, w *world, body string) report {
	t.Helper()
	answer := w.call("POST", "/v2/movies/validate", "render", body)
	if answer.Code != 200 {
		t.Fatalf("%.200s: %d %s", body, answer.Code, answer.Body)
	}
	var got report
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// Decision 32: the computed timeline per scene, size, seconds, credits.
func TestValidate_Timeline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := validate(t, w, `{"resolution":"full-hd","draft":true,"scenes":[
		{"id":"one","duration":2.5,"elements":[{"type":"text","text":"a","id":"t","start":0.5,"duration":1}]},
		{"elements":[{"type":"video","src":"https://example.com/v.mp4"},{"type":"image","src":"https://example.com/i.png","duration":4}]}],
		"elements":[{"type":"text","text":"over all","duration":-2}]}`)
	want := report{
		Success: true, Valid: true, Errors: []struct{ Message, Code string }{}, Warnings: got.Warnings, Width: 1920, Height: 1080, FPS: 25,
		Duration: 6.52, Credits: 7, Exact: false, Draft: true, Timestamp: "2026-11-21T12:00:00.000Z",
		Timeline: map[string]any{
			"scenes": []any{
				map[string]any{"scene": 1.0, "id": "one", "start": 0.0, "end": 2.52, "exact": true, "elements": []any{
					map[string]any{"element": 1.0, "type": "text", "id": "t", "start": 0.52, "end": 1.52, "exact": true}}},
				map[string]any{"scene": 2.0, "id": "", "start": 2.52, "end": 6.52, "exact": false, "elements": []any{
					map[string]any{"element": 1.0, "type": "video", "id": "", "start": 2.52, "end": 2.52, "exact": false},
					map[string]any{"element": 2.0, "type": "image", "id": "", "start": 2.52, "end": 6.52, "exact": true}}},
			},
			"elements": []any{map[string]any{"element": 1.0, "type": "text", "id": "", "start": 0.0, "end": 6.52, "exact": false}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if raw := w.call("POST", "/v2/movies/validate", "render", `{"scenes":[{"duration":1}]}`).Body.String(); !strings.Contains(raw, `"warnings":[]`) {
		t.Errorf("no warnings are not an empty list: %s", raw)
	}
	if len(w.submitted) > 0 || len(w.waited) > 0 {
		t.Error("a question had an effect")
	}
	got = validate(t, w, `{"fps":30,"scenes":[{"duration":1.01},{"duration":1.01}]}`)
	// 2.02 s are 60.6 frames, so 61: decision 28.
	if got.Duration != 61.0/30 || got.Credits != 3 || !got.Exact || !got.Valid {
		t.Errorf("two short scenes: %+v", got)
	}
}

// A movie that is wrong gets an answer, not a refusal: what a submission would be told, or what would end the render.
func TestValidate_Mistakes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 70) + strings.Repeat(`]`, 70)
	many := `{"elements":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text"},`, 5001), ",") + `]}`
	tests := []struct{ body, code string }{
		{``, "movie_json_missing"},
		{`{`, "movie_json_invalid"},
		{`{}`, "movie_json_invalid"},
		{`null`, "movie_json_not_object"},
		{`{"elements":` + deep + `}`, "movie_json_too_deep"},
		{many, "movie_too_many_elements"},
		{`{"scenes":[{"duration":0.05}]}`, "movie_duration_zero"},
		{`{"scenes":[{"elements":[{"type":"video"}]}]}`, "element_invalid"},
		{`{"template":"Abcdefghij0123456789"}`, "template_not_found"},
		{`{"width":8000,"height":100,"scenes":[{"duration":1}]}`, "movie_too_large movie_invalid"},
		{`{"scenes":[{"duration":1}]}`, ""},
	}
	for _, tt := range tests {
		w := newWorld(t)
		stock(w)
		got := validate(t, w, tt.body)
		var codes []string
		for _, e := range got.Errors {
			codes = append(codes, e.Code)
			if e.Message == "" {
				t.Errorf("%.60s: an error without words", tt.body)
			}
		}
		if strings.Join(codes, " ") != tt.code || got.Valid != (tt.code == "") {
			t.Errorf("%.60s: valid %v, %v, want %s", tt.body, got.Valid, codes, tt.code)
		}
	}
}

func TestValidate_RefusesOnlyWhatItCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.call("POST", "/v2/movies/validate", "render", sized(2<<20+1))
	checkJSON(t, refusal("movie_json_too_large", "The movie JSON is larger than the limit of 2097152 bytes (2 MB)"), answer.Body.String())
	if answer := w.call("POST", "/v2/movies/validate", "render", sized(2<<20)); answer.Code != 200 {
		t.Errorf("2 MB: %d", answer.Code)
	}
	w.broken = "preview"
	if answer := w.call("POST", "/v2/movies/validate", "render", scenes); answer.Code != 500 {
		t.Errorf("with the store away: %d %s", answer.Code, answer.Body)
	}
}

// A movie beyond the plan is described all the same.
func TestValidate_BeyondThePlan(t *testing.T) {
	t.Parallel()
	got := validate(t, newWorld(t), `{"resolution":"custom","width":8000,"height":100,"scenes":[{"duration":2}]}`)
	if got.Valid || got.Width != 8000 || got.Credits != 2 || got.Timeline == nil {
		t.Errorf("%+v", got)
	}
}

// awayOutside is an installation whose stores do not answer.
type awayOutside struct{}

func (awayOutside) Of(context.Context, domain.AccountID) lint.Outside {
	return lint.Outside{
		Destination: func(document.Destination) string { return "" },
		Failed:      func() error { return fmt.Errorf("load connection hook: %w", eventstore.ErrUnavailable) },
	}
}

// A movie is not called valid or invalid when what it needs could not be looked up: the client may ask again.
func TestValidate_unavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.outside = awayOutside{} })
	answer := w.call("POST", "/v2/movies/validate", "render", `{"scenes":[{}],"exports":[{"destinations":[{"id":"hook"}]}]}`)
	if answer.Code != 503 || answer.Header().Get("Retry-After") == "" || !strings.Contains(answer.Body.String(), "service_unavailable") {
		t.Errorf("%d %v %s", answer.Code, answer.Header(), answer.Body)
	}
}

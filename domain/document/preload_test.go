package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
)

// What a movie preloads becomes variables by the item's id. Spec: Preload item result, webURL.
func TestResolve_preloads(t *testing.T) {
	t.Parallel()
	m, err := document.Parse([]byte(`{"preload":[{"id":"cat","type":"image","src":"https://x.test/cat.png"}],
		"elements":[{"type":"image","src":"{{cat_url}}","duration":"{{cat_duration}}"},{"type":"html","html":"<img src='{{cat_webURL}}' width={{cat_width}}>"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Waits() || len(m.Preload) != 1 || document.Validate(m) != nil {
		t.Fatalf("waits %v for %v: %v", m.Waits(), m.Preload, document.Validate(m))
	}
	for _, step := range []struct{ web, want string }{
		{"https://x.test/web.mp4", "<img src='https://x.test/web.mp4' width=30>"},
		{"", "<img src='https://x.test/1.png' width=30>"}, // browsers can play it as it is
	} {
		values := document.PreloadValues("cat", "https://x.test/1.png", step.web, 1.5, 30, 20)
		got, err := m.Resolve(document.Known{Values: values})
		if err != nil || got.Waits() {
			t.Fatalf("resolved: %v", err)
		}
		if e := got.Elements[0]; e.Src != "https://x.test/1.png" || e.Length.Value.Float() != 1.5 {
			t.Errorf("the image is %+v", e)
		}
		if diff := cmp.Diff(step.want, got.Elements[1].Page.HTML); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
	}
}

// Decision 46: an invalid preload inside a movie is a render error.
func TestValidate_preload(t *testing.T) {
	t.Parallel()
	for preload, want := range map[string]string{
		`"x"`:          "The property 'preload' must be an array of items",
		`[{"id":"a"}]`: `preload item "a": type is required`,
		`[]`:           "",
		`null`:         "",
		`[1]`:          "preload item 1 must be an object",
		`[{"id":"a","type":"image"},{"id":"a","type":"audio"}]`: `Duplicate preload id "a"`,
	} {
		m, err := document.Parse([]byte(`{"preload":` + preload + `,"elements":[{"type":"text","text":"x"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := document.Validate(m); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", preload, got, want)
		}
	}
}

// Decision 47: what is made for an element can be kept; what is downloaded cannot.
func TestParse_saveToMedia(t *testing.T) {
	t.Parallel()
	m, err := document.Parse([]byte(`{"elements":[
		{"type":"voice","text":"x","save-to-media":true},{"type":"html","html":"x","save-to-media":"true"},
		{"type":"component","component":"basic/001","save-to-media":true},{"type":"image","prompt":"x","save-to-media":true},
		{"type":"voice","text":"x"},{"type":"image","src":"https://x.test/a.png","save-to-media":true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var kept []bool
	for e := range m.All() {
		kept = append(kept, e.Keep)
	}
	if diff := cmp.Diff([]bool{true, true, true, true, false, false}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Movie Element #6: The property 'save-to-media' has no effect"}, m.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

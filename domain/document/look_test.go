package document_test

import (
	"testing"

	"moviola/domain/document"
)

// TestUseLook is not parallel: the look is that of the process. Decision 69.
func TestUseLook(t *testing.T) { //nolint:paralleltest // see above
	defer func() {
		if err := document.UseLook(document.CurrentLook); err != nil {
			t.Error(err)
		}
	}()
	if got := document.Look(); got != document.CurrentLook {
		t.Errorf("the look is %d", got)
	}
	if err := document.UseLook(3); err == nil {
		t.Error("there is a look 3")
	}
	if err := document.UseLook(document.FirstLook); err != nil {
		t.Fatal(err)
	}
	for style, want := range map[string]string{
		"001": "001", "002": "moviola/fade", "3": "moviola/settle", "006": "moviola/rise", "010": "moviola/type", "011": "001", "moviola/grow": "moviola/grow",
	} {
		e, warnings := mustElement(t, `{"type":"text","text":"x","style":"`+style+`"}`)
		if e.Style != want || (len(warnings) > 0) != (style == "011") {
			t.Errorf("%s: got %s, warnings %q", style, e.Style, warnings)
		}
	}
}

package web_test

import (
	"net/http/httptest"
	"testing"

	"moviola/handlers/http/web"
)

// TestCSVText: no cell is a formula.
func TestCSVText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "a": "a", "a=1": "a=1", "'": "'", " =1": " =1", "1-2": "1-2",
		`=HYPERLINK("x")`: `'=HYPERLINK("x")`, "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t=1", "\r=1": "'\r=1", "=": "'=",
	} {
		if got := web.CSVText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSendCSV(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := web.SendCSV(w, "x.csv", [][]string{{"a", "b"}, {web.CSVText("=1,2"), "\"q\""}}); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Body.String(), "a,b\n\"'=1,2\",\"\"\"q\"\"\"\n"; got != want || w.Header().Get("Content-Disposition") != `attachment; filename="x.csv"` {
		t.Errorf("%q, %v", got, w.Header())
	}
}

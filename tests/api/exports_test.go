package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	exportsAreList  = "exports must be a list with one object, with the property destinations"
	destinationList = "destinations must be a list of objects"
	noDestination   = "The destination has neither a type nor the id of a saved connection"
)

// exportsRow is exports as they are posted, and what becomes of them: the entries of destinations_result by their index; an empty text is one
// that is delivered. Pointers are where the validator finds the mistakes, in the order of the text.
type exportsRow struct {
	exports  string // HOOK is a webhook that is served
	results  []string
	pointers []string
}

// exportsRows are the shapes that exports can have. Decisions 33 and 55.
func exportsRows() []exportsRow {
	beside := func(broken string) string { return `[{"destinations":[HOOK,` + broken + `,HOOK]}]` }
	one := func(i int) string { return fmt.Sprintf("Destination %d must be an object", i) }
	at := func(i int) string { return fmt.Sprintf("/exports/0/destinations/%d", i) }
	rows := []exportsRow{
		{`{"destinations":[HOOK,5]}`, []string{"", one(1)}, []string{"/exports/destinations/1"}},
		{`{"destinations":5}`, []string{destinationList}, []string{"/exports"}},
		{`[{"destinations":[5]}]`, []string{one(0)}, []string{at(0)}},
		{`[{"destinations":[5,"x",null,[],[[HOOK]],true,HOOK]}]`, []string{one(0), one(1), one(2), one(3), one(4), one(5), ""},
			[]string{at(0), at(1), at(2), at(3), at(4), at(5)}},
		{beside(`5`), []string{"", one(1), ""}, []string{at(1)}},
		{beside(`"x"`), []string{"", one(1), ""}, []string{at(1)}},
		{beside(`null`), []string{"", one(1), ""}, []string{at(1)}},
		{beside(`[HOOK]`), []string{"", one(1), ""}, []string{at(1)}},
		{beside(`{}`), []string{"", noDestination, ""}, []string{at(1)}},
		{beside(`{"destinations":[HOOK]}`), []string{"", noDestination, ""}, []string{at(1)}},
		{beside(`{"type":7}`), []string{"", "Unknown destination type 7", ""}, []string{at(1)}},
		{beside(`{"type":{},"id":[]}`), []string{"", noDestination, ""}, []string{at(1)}},
		{beside(`{"type":"pigeon"}`), []string{"", "Unknown destination type pigeon", ""}, []string{at(1)}},
		{beside(`{"type":"webhook"}`), []string{"", "The webhook has no endpoint", ""}, []string{at(1)}},
		{beside(`{"type":"webhook","endpoint":{}}`), []string{"", "The webhook has no endpoint", ""}, []string{at(1)}},
		{`[{"destinations":[` + strings.Repeat("HOOK,", 20) + `{}]}]`, []string{"A movie can have at most 20 destinations, this one has 21"}, []string{"/exports"}},
		{`[{"destinations":[HOOK]},{"destinations":[HOOK]}]`, []string{"Only one export object can be used, the movie has 2"}, []string{"/exports"}},
	}
	for _, exports := range []string{`"x"`, `5`, `true`, `[5]`, `["x"]`, `[[]]`, `[[HOOK]]`, `[[{"destinations":[HOOK]}]]`} {
		rows = append(rows, exportsRow{exports, []string{exportsAreList}, []string{"/exports"}})
	}
	for _, destinations := range []string{`{}`, `HOOK`, `"x"`, `5`, `true`, `{"0":HOOK}`} {
		rows = append(rows, exportsRow{`[{"destinations":` + destinations + `}]`, []string{destinationList}, []string{"/exports"}})
	}
	return rows
}

// malformedExports: of every malformed shape there is an entry in destinations_result that says what is wrong, at its index, and an error of the
// validator; what is well formed beside it is delivered.
func malformedExports(t *testing.T, w *world) {
	c := w.plain.open(t, 600)
	rows := exportsRows()
	projects, paths := make([]string, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		paths[i] = fmt.Sprintf("/status/200/shape-%d-%s", i, c.account)
		movie := quick(`,"exports":` + strings.ReplaceAll(row.exports, "HOOK", hook(w.web.base+paths[i], "")))
		projects[i] = c.submit(t, movie)
		checkExports(t, c, row, movie)
	}
	for i, row := range rows {
		served := 0
		for at, got := range results(t, c, projects[i], len(row.results)) {
			entry, want := got.(object), row.results[at]
			status := "error"
			if want == "" {
				status, served = "ok", served+1
			}
			if entry["index"] != float64(at) || entry["status"] != status || want != "" && entry["message"] != want {
				t.Errorf("%s: entry %d is %v, want %s %q", row.exports, at, entry, status, want)
			}
		}
		if n := len(w.web.received(paths[i])); n != served {
			t.Errorf("%s: %d webhooks came, want %d", row.exports, n, served)
		}
	}
}

// checkExports holds the validator's errors against those that are delivered.
func checkExports(t *testing.T, c *client, row exportsRow, movie string) {
	t.Helper()
	var want []string
	for _, message := range row.results {
		if message != "" {
			want = append(want, message)
		}
	}
	raw, err := json.Marshal(c.checked(t, movie)["errors"])
	if err != nil {
		t.Fatal(err)
	}
	var errs []struct{ Pointer, Message, Code string }
	if err := json.Unmarshal(raw, &errs); err != nil {
		t.Fatal(err)
	}
	var pointers, messages []string
	for _, e := range errs {
		if e.Code == "exports_invalid" {
			pointers, messages = append(pointers, e.Pointer), append(messages, e.Message)
		}
	}
	if !slices.Equal(pointers, row.pointers) || !slices.Equal(messages, want) {
		t.Errorf("validate %s: %q %q, want %q %q", row.exports, pointers, messages, row.pointers, want)
	}
}

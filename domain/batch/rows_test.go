package batch_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/batch"
)

// shown is an order as a test compares it.
func shown(o batch.Order) (rows, flaws []string) {
	for _, r := range o.Rows {
		rows = append(rows, fmt.Sprintf("%d %s", r.Row, r.Values))
	}
	for _, f := range o.Flaws {
		flaws = append(flaws, fmt.Sprintf("%d %s %s", f.Row, f.Column, f.Code))
	}
	return rows, flaws
}

// TestReadCSV: one row for each form that a CSV may have, or may be broken in.
func TestReadCSV(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text        string
		rows, flaws []string
		code        string
	}{
		"commas":              {text: "name,age\nAna,3\nBo,4\n", rows: []string{`1 {"age":"3","name":"Ana"}`, `2 {"age":"4","name":"Bo"}`}},
		"semicolons and BOM":  {text: "\xef\xbb\xbfname;age\r\nAna;3,5\r\n", rows: []string{`1 {"age":"3,5","name":"Ana"}`}},
		"tabs":                {text: "name\tage\nA;b\t3", rows: []string{`1 {"age":"3","name":"A;b"}`}},
		"quotes":              {text: "name,say\n\"A, b\",\"a \"\"b\"\"\nc\"\n", rows: []string{`1 {"name":"A, b","say":"a \"b\"\nc"}`}},
		"separator in quotes": {text: "\"a;b;c\",d\n1,2\n", rows: []string{`1 {"a;b;c":"1","d":"2"}`}},
		"empty cells":         {text: "a,b\n,2\n", rows: []string{`1 {"b":"2"}`}},
		"empty row between":   {text: "a,b\n,\n1,2\n,\n\n,\n", rows: []string{`1 {}`, `2 {"a":"1","b":"2"}`}},
		"column without name": {text: "a,\n1,x\n", rows: []string{`1 {"a":"1"}`}},
		"fields": {text: "a,b\n1\n1,2,3\n1,2\n", rows: []string{`3 {"a":"1","b":"2"}`},
			flaws: []string{"1  csv_field_count", "2  csv_field_count"}},
		"quotes in the midst": {text: "a,b\nx\"y,2\n1,2\n", rows: []string{`2 {"a":"1","b":"2"}`}, flaws: []string{"1  csv_quotes"}},
		"quotes without end":  {text: "a,b\n1,2\n\"x,2\n1,2\n", rows: []string{`1 {"a":"1","b":"2"}`}, flaws: []string{"2  csv_quotes"}},
		"not UTF-8":           {text: "a,b\n1,\xe9\n", flaws: []string{"1 b csv_not_utf8"}},
		"header not UTF-8":    {text: "\xe9,b\n1,2\n", code: "csv_header"},
		"column twice":        {text: "a, a\n1,2\n", code: "csv_header"},
		"no names":            {text: ",,\n1,2,3\n", code: "csv_header"},
		"nothing":             {text: "\xef\xbb\xbf\n", code: "payload_missing"},
		"no rows":             {text: "a,b\n,\n", code: "rows_count"},
		"blank lines only":    {text: "a,b\n" + strings.Repeat(",\n", 1_000_001), code: "rows_count"},
		"blank lines behind":  {text: "a,b\n1,2\n" + strings.Repeat(",\n", 1_000_000), code: "rows_count"},
		"too many":            {text: "a\n" + strings.Repeat("1\n", 1001), code: "rows_count"},
		"a thousand":          {text: "a\n" + strings.Repeat("\"\"\n", 999) + "x\n" + strings.Repeat("\"\"\n", 5), rows: thousand()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order, err := batch.ReadCSV("t", false, []byte(tt.text))
			if code := codeOf(err); code != tt.code {
				t.Fatalf("error %v, want %q", err, tt.code)
			}
			if err != nil {
				return
			}
			rows, flaws := shown(order)
			if diff := cmp.Diff([][]string{tt.rows, tt.flaws}, [][]string{rows, flaws}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func thousand() []string {
	var rows []string
	for i := range 999 {
		rows = append(rows, fmt.Sprintf("%d {}", i+1))
	}
	return append(rows, `1000 {"a":"x"}`)
}

func codeOf(err error) string {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

// TestReadJSON: a body is refused whole, a row alone.
func TestReadJSON(t *testing.T) {
	t.Parallel()
	for body, code := range map[string]string{
		"": "payload_missing", " ": "payload_missing", "x": "payload_invalid", "[]": "payload_invalid", "null": "payload_invalid",
		`{"template":"t","rows":[{}]} {}`: "payload_invalid", `{"template":"t","rows":[{}]}}`: "payload_invalid", `{"template":"t","rows":[{}]}]`: "payload_invalid",
		" null": "payload_invalid", `{"template":7,"rows":[{}]}`: "payload_invalid", `{"template":"t","rows":[{}],"x":1}`: "payload_invalid",
		"{\"template\":\"\xe9\",\"rows\":[{}]}": "payload_invalid",
		`{"rows":[{}]}`:                         "template_missing", `{"template":"","rows":[{}]}`: "template_missing",
		`{"template":"t"}`: "rows_count", `{"template":"t","rows":[]}`: "rows_count",
		`{"template":"t","rows":[` + strings.Repeat("{},", 1000) + `{}]}`: "rows_count",
		`{"template":"t","rows":[{}]}`:                                    "",
	} {
		if _, err := batch.ReadJSON([]byte(body)); codeOf(err) != code {
			t.Errorf("%.60s: %v, want %q", body, err, code)
		}
	}
	order, err := batch.ReadJSON([]byte(`{"template":"t","all_or_nothing":true,"rows":[{"a":1,"b":[{}]},7,null,"x",{}]}`))
	if err != nil || !order.AllOrNothing || order.Template != "t" {
		t.Fatalf("%+v, %v", order, err)
	}
	rows, flaws := shown(order)
	want := [][]string{{`1 {"a":1,"b":[{}]}`, `5 {}`}, {"2  row_not_object", "3  row_not_object", "4  row_not_object"}}
	if diff := cmp.Diff(want, [][]string{rows, flaws}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReadCSV_large: a row has the bound of a movie.
func TestReadCSV_large(t *testing.T) {
	t.Parallel()
	text := bytes.Join([][]byte{[]byte("a"), bytes.Repeat([]byte("x"), batch.MaxRow), []byte("y")}, []byte("\n"))
	order, err := batch.ReadCSV("t", false, text)
	if err != nil {
		t.Fatal(err)
	}
	rows, flaws := shown(order)
	if diff := cmp.Diff([][]string{{`2 {"a":"y"}`}, {"1  row_too_large"}}, [][]string{rows, flaws}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzReadCSV: whatever is sent, a row is read or explained, once.
func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\xef\xbb\xbfa;b\r\n\"x\"\"\";2", "a\tb\n\"", "a,b\nx\"y\n1,2"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		order, err := batch.ReadCSV("t", false, raw)
		if err != nil {
			return
		}
		seen := map[int]bool{}
		for _, r := range order.Rows {
			if seen[r.Row] || batch.Names(r.Values) == nil && string(r.Values) != "{}" {
				t.Fatalf("row %d: %s", r.Row, r.Values)
			}
			seen[r.Row] = true
		}
		for _, flaw := range order.Flaws {
			if seen[flaw.Row] {
				t.Fatalf("row %d is explained and read", flaw.Row)
			}
			seen[flaw.Row] = true
		}
		for i := range len(seen) {
			if !seen[i+1] {
				t.Fatalf("row %d is neither read nor explained", i+1)
			}
		}
	})
}

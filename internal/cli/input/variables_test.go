package input

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVariables(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "vars.json")
	if err := os.WriteFile(file, []byte(`{"name":"Bob","deep":{"a":1,"b":2},"n":1.50}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		each        []string
		file        string
		movie, want string
	}{
		{nil, "", `{ "scenes": [] }`, `{ "scenes": [] }`},
		{[]string{"name=Ada & <b>"}, "", `{"variables":{"name":"x","other":1}}`, `{"variables":{"name":"Ada & <b>","other":1}}`},
		{[]string{"n=4", "zip=007", "big=1e5", "on=true", "s=\"4\"", "none=", "a=b=c"}, "", `{}`,
			`{"variables":{"n":4,"zip":"007","big":"1e5","on":true,"s":"4","none":"","a":"b=c"}}`},
		{[]string{`list=[1, "b"]`, `o={"x":1.10}`, "broken={a", "nan=NaN", `more={"x":1}]`}, "", `{}`,
			`{"variables":{"list":[1,"b"],"o":{"x":1.10},"broken":"{a","nan":"NaN","more":"{\"x\":1}]"}}`},
		{[]string{"name=Ada"}, file, `{"variables":{"deep":{"b":3,"c":4}}}`,
			`{"variables":{"name":"Ada","deep":{"a":1,"b":2,"c":4},"n":1.50}}`},
		{[]string{"name"}, "", `{}`, "--var \"name\": write name=value"},
		{[]string{"=x"}, "", `{}`, "write name=value"},
		{nil, file + "x", `{}`, "--vars: open"},
	} {
		got, err := Variables{row.each, row.file}.Over([]byte(row.movie))
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v: %v, want %s", row.each, err, row.want)
			}
		case !sameJSON(t, string(got), row.want):
			t.Errorf("%v: %s, want %s", row.each, got, row.want)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var plain [2]string
	for i, text := range []string{a, b} {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Logf("%s: %v", text, err)
			return false
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		plain[i] = string(encoded)
	}
	return plain[0] == plain[1]
}

package jsontext_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"moviola/domain/jsontext"
)

func at(raw string, offset int) string {
	p := jsontext.Positions([]byte(raw), []int{offset})[offset]
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

func TestFindFault(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, at, message, remedy string }{
		{``, "1:1", "There is no JSON in the text", ""},
		{`{"a":1,}`, "1:7", "There is a comma after the last item", "Remove the comma"},
		{"[1,\n2,\n]", "2:2", "There is a comma after the last item", "Remove the comma"},
		{`{"a":}`, "1:6", "A value is expected here", ""},
		{`{"a" 1}`, "1:6", "A colon is missing after the name of a property", ""},
		{"{\"a\":1\n \"b\":2}", "1:7", "A comma or '}' is missing", ""},
		{`{"a":[1 2]}`, "1:8", "A comma or ']' is missing", ""},
		{`["a":1]`, "1:5", "A colon is not possible here: the value before it is an item of a list", ""},
		{"{\n \"a\": [1\n}", "3:1", "'}' stands where the '[' of line 2, column 7 has to be closed first", "Write ']' before it"},
		{`{"a":[1}`, "1:8", "'}' stands where the '[' of line 1, column 6 has to be closed first", "Write ']' before it"},
		{`]`, "1:1", "A value is expected here", ""},
		{`{}}`, "1:3", "There is text after the end of the JSON value", ""},
		{`{"a":1`, "1:7", "The text ends, but the '{' of line 1, column 1 is not closed", "Close it with '}'"},
		{"{\n  \"a\": {\n    \"b\": 1,\n  \"c\": 2\n}", "5:2", "The text ends, but the '{' of line 2, column 8 is not closed", "The indentation suggests that its end is missing: close it where it should end"},
		{`{"a":[{}, {{}]}`, "1:12", "The name of a property is expected here, inside the '{' of line 1, column 11", ""},
		{`{a:1}`, "1:2", "The name of a property must stand in double quotes", `Write "name": value`},
		{`{'a':1}`, "1:2", "A text stands in single quotes", "Write it in double quotes"},
		{`{"a":“x”}`, "1:6", "The quotes '“' are typographic ones", "Write straight double quotes: \"…\""},
		{`{"a":True}`, "1:6", "'True' is no value of JSON", "Write true"},
		{`{"a":None}`, "1:6", "'None' is no value of JSON", "Write null"},
		{"{\"a\":1} // done", "1:9", "There is text after the end of the JSON value", ""},
		{"{ // it\n\"a\":1}", "1:3", "JSON has no comments", ""},
		{`{"src":"C:\a.png"}`, "1:11", `'\a' means nothing in a text of JSON`, "Write two backslashes for one"},
		{"{\"a\":\"x\n\"}", "1:6", "A text ends with its line: its closing quote is missing", ""},
		{"{\"a\":\"x\ty\"}", "1:8", "There is a control character, U+0009, in a text", "Write \\u0009 for it, or \\t for a tab"},
		{`{"a":"x`, "1:6", "A text is not closed", ""},
		{`{"a":"\u12"}`, "1:7", `\u needs four hexadecimal digits after it`, ""},
		{`{"a":01}`, "1:6", "A number is not written as JSON wants it", ""},
		{`{"a":.5}`, "1:6", "A value is expected here", ""},
		{`{"a":1.}`, "1:6", "A number ends with its point", ""},
		{`{"a":12px}`, "1:6", "A number has letters behind it", ""},
		{"{\"é\":\"a\xff\"}", "1:8", "The text is not UTF-8", "Save the file as UTF-8"},
		{"{\"a\":\"ÿ", "1:6", "A text is not closed", ""},
	}
	for _, tt := range tests {
		f, faulty := jsontext.FindFault([]byte(tt.raw))
		if !faulty || at(tt.raw, f.Offset) != tt.at || f.Message != tt.message || tt.remedy != "" && f.Remedy != tt.remedy || f.Remedy == "" {
			t.Errorf("%q: %v at %s: %q, %q", tt.raw, faulty, at(tt.raw, f.Offset), f.Message, f.Remedy)
		}
	}
	for _, raw := range []string{`{}`, ` [1, -0.5e+3, "a\u00e9\\", true, false, null, {"a":{}}, []] `, `"x"`, `1`, "{\"\uFFFD\":\"\uFFFD\"}"} {
		if f, faulty := jsontext.FindFault([]byte(raw)); faulty {
			t.Errorf("%q: %+v", raw, f)
		}
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	raw := "{\n  \"a/b\": [1, {\"ä\": \"ö\", \"c\": [[], 2]}],\n  \"twice\": {\"x\": 1},\n  \"twi\\u0063e\": {\"y\": [3]}\n}"
	tests := []struct {
		pointer, key, value string
		found               bool
	}{
		{"", "1:1", "1:1", true},
		{"/a~1b", "2:3", "2:10", true},
		{"/a~1b/0", "2:11", "2:11", true},
		{"/a~1b/1/ä", "2:15", "2:20", true},
		{"/a~1b/1/c", "2:25", "2:30", true},
		{"/a~1b/1/c/1", "2:35", "2:35", true},
		{"/a~1b/1/c/7", "2:25", "2:30", false},
		{"/a~1b/1/none/at/all", "2:14", "2:14", false},
		{"/twice", "4:3", "4:17", true},
		{"/twice/y/0", "4:24", "4:24", true},
		{"/twice/x", "4:3", "4:17", false},
	}
	var pointers []string
	for _, tt := range tests {
		pointers = append(pointers, tt.pointer)
	}
	places := jsontext.Locate([]byte(raw), pointers)
	for _, tt := range tests {
		p := places[tt.pointer]
		if p.Found != tt.found || at(raw, p.Key) != tt.key || at(raw, p.Value) != tt.value {
			t.Errorf("%s: %v, key %s, value %s", tt.pointer, p.Found, at(raw, p.Key), at(raw, p.Value))
		}
	}
}

func TestPointer(t *testing.T) {
	t.Parallel()
	pointer := jsontext.Pointer("/scenes/0", "a/b~c", "d")
	if pointer != "/scenes/0/a~1b~0c/d" || strings.Join(jsontext.Tokens(pointer), " ") != "scenes 0 a/b~c d" || jsontext.Tokens("") != nil {
		t.Errorf("%s, %q", pointer, jsontext.Tokens(pointer))
	}
}

// A fault is found exactly where encoding/json refuses a text.
func FuzzFindFault(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"x\n",true,null]}`, `{`, `[1,]`, `{"a":1 "b"}`, `"\ud800"`, `-`, `[[[]]`, "\ufeff{}", `{"a":{"b":"c"`, `nul`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		fault, faulty := jsontext.FindFault(raw)
		if valid := json.Valid(raw) && utf8.Valid(raw); valid == faulty && strings.Count(string(raw), "[")+strings.Count(string(raw), "{") < 1000 {
			t.Fatalf("%q: fault %v, %+v", raw, faulty, fault)
		}
		if faulty && (fault.Offset < 0 || fault.Offset > len(raw) || fault.Message == "" || strings.Contains(fault.Message, "%!")) {
			t.Fatalf("%q: %+v", raw, fault)
		}
	})
}

// Whatever pointer leads to a value of a valid text leads to the text of this value.
func FuzzLocate(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b~/":"x"}],"a":[2,{"b~/":[]}],"\u00e9":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var tree any
		if json.Unmarshal(raw, &tree) != nil || !utf8.Valid(raw) {
			return
		}
		values := map[string]any{}
		gather(values, "", tree, 0)
		pointers := make([]string, 0, len(values))
		for pointer := range values {
			pointers = append(pointers, pointer)
		}
		places := jsontext.Locate(raw, pointers)
		for pointer, want := range values {
			place := places[pointer]
			var got any
			err := json.NewDecoder(strings.NewReader(string(raw[place.Value:]))).Decode(&got)
			if err != nil || !place.Found || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: %v, %v instead of %v (%v)", pointer, place, got, want, err)
			}
		}
	})
}

func gather(into map[string]any, pointer string, value any, depth int) {
	if into[pointer] = value; depth > 20 {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, item := range v {
			gather(into, jsontext.Pointer(pointer, name), item, depth+1)
		}
	case []any:
		for i, item := range v {
			gather(into, jsontext.Pointer(pointer, fmt.Sprint(i)), item, depth+1)
		}
	}
}

package expr_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/expr"
)

// names is a scope of fixed values.
type names map[string]any

func (n names) Lookup(name string) (any, bool, error) {
	value, ok := n[name]
	if value == (gone{}) {
		return nil, false, nil
	}
	return value, ok, nil
}

// gone stands for a name that is known and has no value, as the time of an element that is not shown.
type gone struct{}

func (n names) Known(name string) bool {
	_, ok := n[name]
	return ok
}

// world has the names that the expressions of the tests use.
var world = names{
	"n": json.Number("3"), "half": json.Number("0.5"), "five": "5", "word": "abc", "empty": "", "nothing": nil, "yes": true, "no": "false",
	"my-clip_url": "https://a/b", "1 + 1": "a name", "half-five": json.Number("7"), "title 1_end": gone{},
	"later": expr.Pending{}, "list": []any{json.Number("10"), "b", map[string]any{"x": "deep"}},
	"obj": map[string]any{"name": "Anna", "a b": "spaced", "and": "word", "inner": map[string]any{"k": json.Number("7")}},
}

func budget() *expr.Budget { return &expr.Budget{Steps: 1_000_000, Bytes: 1 << 20} }

func numbers(texts ...string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = json.Number(text)
	}
	return list
}

// TestExpr has a row for every rule of docs/expressions.md.
func TestExpr(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source string
		want   any
	}{
		// literals
		{"1", 1.0}, {"2.50", 2.5}, {".5", 0.5}, {"1e3", 1000.0}, {"'a'", "a"}, {`"a"`, "a"}, {`'it\'s'`, "it's"}, {`'a\nb'`, "a\nb"}, {`'\d'`, `\d`},
		{"true", true}, {"false", false}, {"null", nil}, {"[1, 'b']", []any{json.Number("1"), "b"}}, {"[]", []any{}},
		// names and paths
		{"n", json.Number("3")}, {"obj.name", "Anna"}, {"obj.inner.k", json.Number("7")}, {"obj['a b']", "spaced"}, {"obj.and", "word"},
		{"list[0]", json.Number("10")}, {"list.1", "b"}, {"list[-1].x", "deep"}, {"list[n - 1]['x']", "deep"},
		// arithmetic
		{"1 + 2 * 3", 7.0}, {"(1 + 2) * 3", 9.0}, {"10 - 2 - 3", 5.0}, {"7 / 2", 3.5}, {"7 % 4", 3.0}, {"-n + 1", -2.0}, {"--n", 3.0}, {"2*-3", -6.0},
		{"n * five", 15.0}, {"five + 1", 6.0}, {"five + '5'", 10.0}, {"'a' + 'b'", "ab"}, {"'a' + 1", "a1"}, {"1 + 'a'", "1a"}, {"'a' + nothing", "a"},
		{"nothing * 2", nil}, {"empty - 2", nil}, {"-nothing", nil}, {"nothing + 1", nil},
		// comparison
		{"1 < 2", true}, {"2 <= 2", true}, {"3 > 4", false}, {"3 >= 4", false}, {"n == 3", true}, {"five == 5", true}, {"'5.0' == five", true},
		{"word == 'abc'", true}, {"word != 'abc'", false}, {"word!='none'", true}, {"'a' < 'b'", true}, {"yes == 'true'", true}, {"yes == true", true},
		{"nothing == ''", true}, {"nothing == 0", false}, {"nothing < 1", false}, {"list == list", false}, {"1 + 1 == 2", true},
		// logic
		{"true and false", false}, {"true or false", true}, {"not true", false}, {"!no", true}, {"yes && n > 2", true}, {"no || nothing", false},
		{"true or missing", true}, {"false and missing", false}, {"1 and 2 or 3", true}, {"not no and yes", true},
		// choice
		{"yes ? 'a' : 'b'", "a"}, {"no ? 'a' : 'b'", "b"}, {"n > 5 ? 'big' : n > 2 ? 'middle' : 'small'", "middle"}, {"yes ? nothing : 1", nil},
		// functions
		{"min(3, 1, 2)", 1.0}, {"max(3, '9', 2)", 9.0}, {"max([1, 4, 2])", 4.0}, {"min(nothing, 2)", 2.0}, {"min([])", nil},
		{"ceil(1.2)", 2.0}, {"floor(-1.2)", -2.0}, {"abs(-3)", 3.0}, {"abs(nothing)", nil}, {"round(2.5)", 3.0}, {"round(-2.5)", -2.0},
		{"round(1.005, 2)", 1.01}, {"round(3.14159, 2)", 3.14}, {"round(1e300, 10)", 1e300}, {"round(-1e300, 10)", -1e300},
		{"round(1700000000000000)", 1.7e15}, {"round(100000, 10)", 1e5}, {"round(600000000000000.5)", 600000000000001.0},
		{"length('añb')", 3.0}, {"length(list)", 3.0}, {"length(obj)", 4.0}, {"length(nothing)", 0.0}, {"length(123)", 3.0},
		{"upper('abc')", "ABC"}, {"lower('ABC')", "abc"}, {"trim('  a ')", "a"}, {"concat('a', 1, true, nothing)", "a1true"},
		{"join(['a', 'b'], '-')", "a-b"}, {"join(['a', 'b'])", "a, b"}, {"join(nothing)", ""}, {"replace('a-b-c', '-', '')", "abc"}, {"replace('a', '', 'x')", "a"},
		{"contains('abc', 'bc')", true}, {"contains(list, 'b')", true}, {"contains(list, 'c')", false},
		{"substring('hello', 1, 3)", "ell"}, {"substring('hello', -2)", "lo"}, {"substring('hello', 9)", ""}, {"substring('añb', 1, 1)", "ñ"},
		{"range(3)", numbers("1", "2", "3")}, {"range(0, 6, 3)", numbers("0", "3", "6")}, {"range(3, 1, -1)", numbers("3", "2", "1")}, {"range(2, 1)", []any{}},
		{"default(missing, 'x')", "x"}, {"default(empty, nothing, 'x')", "x"}, {"default(0, 'x')", 0.0}, {"default(no, 'x')", "false"},
		{"format(1234.5, '#,##0.00')", "1,234.50"}, {"format(7, '000')", "007"}, {"format(0.256, '0.0%')", "25.6%"}, {"format(5, '$0')", "$5"},
		{"format(-1234567, '#,##0')", "-1,234,567"}, {"format(2.5, '0.##')", "2.5"}, {"format(2, '0.0#')", "2.0"}, {"format(0.4, '#.0')", "0.4"},
		{"format(95, 'm:ss')", "1:35"}, {"format(95, 'mm:ss')", "01:35"}, {"format(3725, 'h:mm:ss')", "1:02:05"}, {"format(5, 'hh:mm:ss')", "00:00:05"},
		{"format(-95, 'm:ss')", "-1:35"}, {"format(nothing, '0')", nil},
		// what is not known yet
		{"later", expr.Pending{}}, {"later + 1", expr.Pending{}}, {"-later", expr.Pending{}}, {"max(later, 1)", expr.Pending{}}, {"later ? 1 : 2", expr.Pending{}},
		{"[later]", expr.Pending{}}, {"later.x", expr.Pending{}}, {"true or later", true}, {"false and later", false}, {"not later", expr.Pending{}},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			t.Parallel()
			e, err := expr.Parse(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			got, undefined, err := e.Eval(world, budget())
			if err != nil || len(undefined) > 0 {
				t.Fatalf("undefined %q, error %v", undefined, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestExpr_undefined finds the names that stand for nothing: they are nothing, and no error.
func TestExpr_undefined(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source string
		want   any
		names  []string
	}{
		{"missing", nil, []string{"missing"}},
		{"missing.inner[0]", nil, []string{"missing"}},
		{"obj.missing", nil, []string{"obj.missing"}},
		{"list[7]", nil, []string{"list[7]"}},
		{"list[0.5]", nil, []string{"list[0.5]"}},
		{"word.x", nil, []string{"word.x"}},
		{"missing == ''", true, []string{"missing"}},
		{"missing * 2 + other", nil, []string{"missing", "other"}},
		{"missing ? 1 : 2", 2.0, []string{"missing"}},
		{"default(missing, missing2)", nil, nil},
	}
	for _, tt := range tests {
		e, err := expr.Parse(tt.source)
		if err != nil {
			t.Fatal(err)
		}
		got, undefined, err := e.Eval(world, budget())
		if err != nil || got != tt.want {
			t.Errorf("%s is %v, want %v, error %v", tt.source, got, tt.want, err)
		}
		if diff := cmp.Diff(tt.names, undefined, cmp.Transformer("set", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
			t.Errorf("%s: undefined (-want +got):\n%s", tt.source, diff)
		}
	}
}

// TestParse_errors says what is wrong and where.
func TestParse_errors(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{"", "expected a value, found the end at character 1"},
		{"1 +", "expected a value, found the end at character 4"},
		{"a b", "expected an operator, found 'b' at character 3"},
		{"a 'b'", "expected an operator, found the text 'b' at character 3"},
		{"(1", "expected ')', found the end at character 3"},
		{"a ? b", "expected ':', found the end at character 6"},
		{"a = 1", "'=' compares nothing, write '==' at character 3"},
		{"é = 1", "'=' compares nothing, write '==' at character 3"},
		{"'abc", "the text that begins here has no closing quote at character 1"},
		{"a.'b'", "expected a name after '.', found the text 'b' at character 3"},
		{"a # b", "unexpected '#' at character 3"},
		{"nope(1)", "there is no function 'nope' at character 1"},
		{"1 + ceil()", "the function 'ceil' takes 1 argument, not 0 at character 5"},
		{"round(1, 2, 3)", "the function 'round' takes 1 to 2 arguments, not 3 at character 1"},
		{"concat()", "the function 'concat' takes 1 or more arguments, not 0 at character 1"},
		{"[1, ", "expected a value, found the end at character 5"},
		{"[1 2]", "expected ',', found '2' at character 4"},
		{"1e999", "the number 1e999 is too large at character 1"},
		{strings.Repeat("(", 70) + "1", "the expression is nested deeper than 64 levels at character 65"},
		{strings.Repeat("-", 70) + "1", "the expression is nested deeper than 64 levels at character 64"},
		{strings.Repeat("1", 5000), "the expression is longer than 4096 bytes, and begins at character 1"},
	}
	for _, tt := range tests {
		_, err := expr.Parse(tt.source)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.20q: %v, want %s", tt.source, err, tt.want)
		}
	}
}

// TestExpr_errors are what cannot be computed.
func TestExpr_errors(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{"1 / 0", "division by zero at character 3"},
		{"n % 0", "division by zero at character 3"},
		{"word * 2", "'*' needs numbers, not the text 'abc' at character 6"},
		{"2 - list", "'-' needs numbers, not a list at character 3"},
		{"word + obj", "'+' needs numbers, not an object at character 6"},
		{"yes + 1", "'+' needs numbers, not true at character 5"},
		{"-word", "'-' needs a number, not the text 'abc' at character 1"},
		{"word < 2", "'<' needs numbers, not the text 'abc' at character 6"},
		{"1e308 * 10", "the result is too large at character 7"},
		{"ceil(word)", "the function 'ceil' needs a number, not the text 'abc' at character 1"},
		{"upper(list)", "the function 'upper' needs a text, not a list at character 1"},
		{"length(true)", "the function 'length' needs a text, a list or an object, not true at character 1"},
		{"join(word)", "the function 'join' needs a list, not the text 'abc' at character 1"},
		{"round(1, 99)", "the function 'round' rounds to 0 to 10 decimals at character 1"},
		{"range(1, 2, 0)", "the function 'range' cannot go on in steps of 0 at character 1"},
		{"range(1000000)", "the function 'range' makes at most 10000 numbers at character 1"},
		{"format(1, 'abc')", "the function 'format' does not know the pattern 'abc'. Use one like '0.00', '#,##0' or 'mm:ss' at character 1"},
		{"format(1, '0.0.0')", "the function 'format' does not know the pattern '0.0.0'. Use one like '0.00', '#,##0' or 'mm:ss' at character 1"},
		{"format(1e15, '0')", "the function 'format' cannot write numbers that large at character 1"},
	}
	for _, tt := range tests {
		e, err := expr.Parse(tt.source)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = e.Eval(world, budget())
		var mistake *expr.Error
		if !errors.As(err, &mistake) || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.source, err, tt.want)
		}
	}
}

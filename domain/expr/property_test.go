package expr_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"moviola/domain/expr"
	_ "moviola/tests/property"
)

// source draws the text of an expression of a depth.
func source(t *rapid.T, depth int) string {
	shapes := 4
	if depth > 0 {
		shapes = 10
	}
	sub := func() string { return source(t, depth-1) }
	switch rapid.IntRange(0, shapes-1).Draw(t, "shape") {
	case 0:
		return strconv.FormatFloat(rapid.Float64Range(0, 1e6).Draw(t, "number"), 'g', -1, 64)
	case 1:
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rapid.String().Draw(t, "text"))
		return `"` + quoted + `"`
	case 2:
		return rapid.SampledFrom([]string{"n", "word", "list", "obj", "missing", "later", "true", "null", "_é1"}).Draw(t, "name")
	case 3:
		return rapid.SampledFrom([]string{"obj.inner.k", "list[0]", "list.2.x", "obj['a b']", "obj.and"}).Draw(t, "path")
	case 4:
		op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", " and ", "||"}).Draw(t, "operator")
		return sub() + op + sub()
	case 5:
		return "(" + sub() + ")"
	case 6:
		return rapid.SampledFrom([]string{"-", "not ", "! "}).Draw(t, "sign") + sub()
	case 7:
		return sub() + " ? " + sub() + ":" + sub()
	case 8:
		return rapid.SampledFrom([]string{"max", "concat", "default", "contains", "join"}).Draw(t, "function") + "(" + sub() + "," + sub() + ")"
	}
	return "[" + sub() + ", " + sub() + "]"
}

// TestExpr_prints: what is printed means the same, and prints the same again.
func TestExpr_prints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := source(t, 3)
		if len(text) > expr.MaxLength {
			t.Skip("longer than an expression may be")
		}
		first, err := expr.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		printed := first.String()
		second, err := expr.Parse(printed)
		if err != nil {
			t.Fatalf("%s prints as %s: %v", text, printed, err)
		}
		if again := second.String(); again != printed {
			t.Fatalf("%s prints as %s, and that as %s", text, printed, again)
		}
		a, undefinedA, errA := first.Eval(world, budget())
		b, undefinedB, errB := second.Eval(world, budget())
		if diff := cmp.Diff([]any{a, undefinedA, errA == nil}, []any{b, undefinedB, errB == nil}); diff != "" {
			t.Fatalf("%s and %s differ:\n%s", text, printed, diff)
		}
	})
}

// FuzzTemplate: whatever the text is, it is refused or computed within its budget, and an expression that was read prints as
// one that can be read.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"{{n}}", "a {{ 1 + 2 * 3 }} b", "{{ 'x' }}{{", "{{ a ? b : [c, d.e[1]] }}", "{{ format(1.5, '0.0') }}", "{{ it's }}", "{{-.5}}", "{{l.0.1}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := expr.Parse(text); err == nil {
			if printed, err := expr.Parse(e.String()); err != nil && len(e.String()) <= expr.MaxLength && !strings.Contains(err.Error(), "deeper") {
				t.Errorf("%q prints as %q: %v", text, printed, err)
			}
		}
		value, _, err := expr.ParseTemplate(text).Eval(world, &expr.Budget{Steps: 100_000, Bytes: 100_000})
		if err == nil && len(expr.Text(value)) > 200_000 {
			t.Errorf("%d bytes were made", len(expr.Text(value)))
		}
	})
}

package expr_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/expr"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a b {{ never":                nil,
		"a {{b}} c {{d.e}}":           {"b", "b", "d.e", "d"},
		"{{ my-pass }}":               {"my-pass", "my", "pass"},
		"{{min(a,[b,-c])?!d:e[f]+g}}": {"min(a,[b,-c])?!d:e[f]+g", "a", "b", "c", "d", "e", "f", "g"},
		"{{ 'pass' }}":                {"'pass'"},
		"{{ 1) + (pass }}":            {"1) + (pass", "pass"}, // no expression alone, but it may become a part of one
	} {
		got := expr.Names(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

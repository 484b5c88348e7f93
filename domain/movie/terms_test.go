package movie_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/movie"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	of := func(name, value string) string { return movie.DataTerm("alice", name, value) }
	tests := []struct {
		name, id, data string
		want           []string
	}{
		{"nothing", "", `{}`, nil},
		{"no object", "", `[1]`, nil},
		{"cut off", "", `{"a":1,"b`, []string{of("a", "1")}},
		{"its own id", "promo-7", ``, []string{movie.IDTerm("alice", "promo-7")}},
		{"scalars", "", `{"order": 4711, "name":"Zo\u00eb","ok" : true,"price":1.50}`,
			[]string{of("order", "4711"), of("name", "Zoë"), of("ok", "true"), of("price", "1.50")}},
		{"no scalars", "", `{"a":null,"b":[1],"c":{"order":"1"},"d":""}`, []string{of("d", "")}},
		{"twice", "", `{"a":1,"a":2}`, []string{of("a", "2")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, movie.Terms("alice", tt.id, json.RawMessage(tt.data))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	var many []string
	for n := range 50 {
		many = append(many, fmt.Sprintf(`"k%d":[],"n%d":%d`, n, n, n))
	}
	got := movie.Terms("alice", "", json.RawMessage("{"+strings.Join(many, ",")+"}"))
	if len(got) != movie.MaxDataTerms || got[19] != of("n19", "19") {
		t.Errorf("%d terms, the last is %s", len(got), got[len(got)-1])
	}
	different := map[string]bool{
		of("a", "bc"): true, of("ab", "c"): true, movie.DataTerm("bob", "a", "bc"): true, movie.IDTerm("alice", "a"): true, movie.TemplateTerm("alice", "a"): true,
	}
	if len(different) != 5 {
		t.Errorf("terms are alike: %v", different)
	}
}

package mongodb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"moviola/adapters/mongodb"
	"moviola/projections"
)

// Every stretch of a page has bounds on the leading fields of one index, equalities first, and is asked for in the order of that index: so
// MongoDB seeks to where it begins, and neither skips nor sorts.
func TestStretches_SeekByIndex(t *testing.T) {
	t.Parallel()
	names := projections.Index{Name: "names", Fields: []projections.Field{{Name: "account"}, {Name: "folder"}, {Name: "name"}}}
	newest := projections.Index{Name: "newest", Fields: []projections.Field{{Name: "account"}, {Name: "at", Descending: true}}}
	for name, tt := range map[string]struct {
		index projections.Index
		q     projections.Query
		finds int
	}{
		"the first page of a folder":  {names, projections.Query{Equal: []any{"a", "f"}}, 1},
		"a later page of a folder":    {names, projections.Query{Equal: []any{"a", "f"}, After: []any{"n"}}, 1},
		"a later page of an account":  {names, projections.Query{Equal: []any{"a"}, After: []any{"f", "n", "id"}}, 3},
		"newest first":                {newest, projections.Query{Equal: []any{"a"}, After: []any{7, "id"}}, 2},
		"newest first, within a time": {newest, projections.Query{Equal: []any{"a"}, Range: projections.Range{Min: 1, Max: 9}, After: []any{7, "id"}}, 2},
		"by id":                       {projections.Index{}, projections.Query{After: []any{"id"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, sort, filters, err := mongodb.Stretches(tt.index, tt.q)
			if err != nil || len(filters) != tt.finds {
				t.Fatalf("%d finds, want %d (%v)", len(filters), tt.finds, err)
			}
			if diff := cmp.Diff(keys[1:], sort); diff != "" || keys[0].Key != "_live" {
				t.Errorf("the order is not the index's (-index +order):\n%s", diff)
			}
			for _, filter := range filters {
				for i, condition := range filter {
					if condition.Key != keys[i].Key {
						t.Fatalf("%v: the %d. condition is not on the %d. field of %v", filter, i+1, i+1, keys)
					}
					if past, ok := condition.Value.(bson.D); ok && past[0].Key != "$eq" && i != len(filter)-1 {
						t.Errorf("%v: conditions follow that on %s, which is none of equality", filter, condition.Key)
					}
				}
			}
		})
	}
}

package app

import (
	"slices"
	"testing"
)

// TestOtherLimits: every limit of its own is that of a route that exists.
func TestOtherLimits(t *testing.T) {
	t.Parallel()
	routes, err := Routes(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name := range otherLimits {
		if !slices.ContainsFunc(routes, func(r Route) bool { return r.Name() == name }) {
			t.Errorf("there is no route %s", name)
		}
	}
}

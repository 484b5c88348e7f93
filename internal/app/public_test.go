package app_test

import (
	"slices"
	"testing"

	"moviola/internal/app"
	"moviola/internal/app/front"
)

// TestOtherLimits: every limit of its own is that of a route that exists.
func TestOtherLimits(t *testing.T) {
	t.Parallel()
	routes, err := app.Routes(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name := range front.OtherLimits {
		if !slices.ContainsFunc(routes, func(r app.Route) bool { return r.Name() == name }) {
			t.Errorf("there is no route %s", name)
		}
	}
}

package access_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"

	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
)

// TestRoutes_order: a path is not hidden by one that has a parameter in its place, whichever is named first.
func TestRoutes_order(t *testing.T) {
	t.Parallel()
	for range 20 { // an order by chance would differ
		router := mux.NewRouter()
		access.New(access.Config{}).Routes(router,
			access.Operation{Operation: operation.Operation{Method: http.MethodGet, Path: "/v2/things/{id}", Role: key.Viewer}},
			access.Operation{Operation: operation.Operation{Method: http.MethodPost, Path: "/v2/things/cancel", Role: key.Viewer}},
		)
		var match mux.RouteMatch
		if !router.Match(httptest.NewRequest(http.MethodPost, "/v2/things/cancel", nil), &match) {
			t.Fatal("no route")
		}
		if path, err := match.Route.GetPathTemplate(); path != "/v2/things/cancel" || err != nil {
			t.Fatalf("%s, %v", path, err)
		}
	}
}

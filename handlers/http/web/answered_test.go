package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/handlers/http/web"
)

// An observer learns the route of a request, never a name that the client made up, and whose key it carried.
func TestWrap_tellsOperations(t *testing.T) {
	t.Parallel()
	var told []web.Answered
	router := web.NewRouter()
	web.NameOperations(router)
	router.Handle("/things/{id}", web.Methods{http.MethodGet: func(w http.ResponseWriter, r *http.Request) {
		web.ForAccount(r.Context(), "alice")
		w.WriteHeader(http.StatusAccepted)
	}})
	l, _ := logger()
	handler := web.Wrap(router, l, func(a web.Answered) { told = append(told, a) })
	for _, request := range []struct{ method, path string }{
		{"GET", "/things/1?secret=1"}, {"HEAD", "/things/2"}, {"POST", "/things/3"}, {"BREW", "/things/4"}, {"GET", "/elsewhere"},
	} {
		r := httptest.NewRequest(request.method, request.path, nil)
		r.Header.Set(web.RequestIDHeader, "mine")
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	want := []web.Answered{
		{Method: "GET", Operation: "GET /things/{id}", Path: "/things/1", Status: 202, RequestID: "mine", Account: "alice"},
		{Method: "HEAD", Operation: "GET /things/{id}", Path: "/things/2", Status: 202, RequestID: "mine", Account: "alice"},
		{Method: "POST", Path: "/things/3", Status: 405, RequestID: "mine"},
		{Method: "BREW", Path: "/things/4", Status: 405, RequestID: "mine"},
		{Method: "GET", Path: "/elsewhere", Status: 404, RequestID: "mine"},
	}
	if diff := cmp.Diff(want, told, cmpopts.IgnoreFields(web.Answered{}, "Took", "Context")); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

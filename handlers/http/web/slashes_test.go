package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"moviola/handlers/http/web"
)

// TestCleanSlashes: operations are served at paths with slashes too many; files, and what is no path of ours, are not.
func TestCleanSlashes(t *testing.T) {
	t.Parallel()
	router := web.NewRouter()
	say := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.URL.Path+"?"+r.URL.RawQuery+" "+string(body))
	}
	operations := map[string]bool{"/v2/movies": true, "/v2/preloads/{id}": true}
	for _, path := range []string{"/v2/movies", "/v2/preloads/{id}", "/v2/renders/{token}/{name}", "/admin/accounts"} {
		router.Handle(path, web.Methods{http.MethodPost: say})
	}
	handler := web.CleanSlashes(router, operations, router)
	for path, want := range map[string]string{
		"/v2/movies": "/v2/movies?a=1 body", "/v2/movies/": "/v2/movies?a=1 body", "/v2//movies": "/v2/movies?a=1 body", "//v2///movies//": "/v2/movies?a=1 body",
		"/v2/preloads/x/": "/v2/preloads/x?a=1 body", "/v2/renders/a/b": "/v2/renders/a/b?a=1 body",
		"/v2/renders/a/b/": "", "/v2//renders/a/b": "", "/admin/accounts/": "", "//admin/accounts": "", "/v2/movies%2F": "", "/v2/none/": "", "/": "", "//": "",
	} {
		r := httptest.NewRequest(http.MethodPost, "http://x.test"+path+"?a=1", strings.NewReader("body"))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		switch {
		case want == "" && w.Code != http.StatusNotFound:
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		case want != "" && (w.Code != http.StatusOK || w.Body.String() != want):
			t.Errorf("%s: %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}

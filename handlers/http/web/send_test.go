package web_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"moviola/handlers/http/web"
)

// answerOf serves one request by a handler that writes a JSON text of n characters.
func answerOf(method, accepted string, n int) *httptest.ResponseRecorder {
	l, _ := logger()
	r := httptest.NewRequest(method, "/x", nil)
	if accepted != "" {
		r.Header.Set("Accept-Encoding", accepted)
	}
	w := httptest.NewRecorder()
	web.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := web.Write(w, 200, strings.Repeat("a", n)); err != nil {
			panic(err)
		}
	}), l).ServeHTTP(w, r)
	return w
}

func TestWrite_PacksWhatPays(t *testing.T) {
	t.Parallel()
	const long = 20_000
	tests := []struct {
		accepted string
		n        int
		packed   bool
	}{
		{"gzip", long, true},
		{"br, GZIP;q=0.5, deflate", long, true},
		{"*", long, true},
		{"gzip;q=0, *", long, false},
		{"*;q=0", long, false},
		{"gzip; q=0.000", long, false},
		{"identity", long, false},
		{"br", long, false},
		{"", long, false},
		{"gzip;q=nonsense", long, false},
		{"gzip", 100, false},
	}
	for _, tt := range tests {
		w := answerOf("GET", tt.accepted, tt.n)
		var body io.Reader = w.Body
		sent := w.Body.Len()
		if packed := w.Header().Get("Content-Encoding") == "gzip"; packed != tt.packed {
			t.Errorf("%q, %d bytes: packed %v", tt.accepted, tt.n, packed)
		} else if packed {
			unpacker, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			body = unpacker
		}
		if got := w.Header().Get("Content-Length"); got != strconv.Itoa(sent) {
			t.Errorf("%q: Content-Length %s of %d bytes", tt.accepted, got, sent)
		}
		text, err := io.ReadAll(body)
		if want := `"` + strings.Repeat("a", tt.n) + `"`; err != nil || string(text) != want {
			t.Errorf("%q: the body is not what was written: %v", tt.accepted, err)
		}
		if got := w.Header().Get("Vary"); (got == "Accept-Encoding") != (tt.n == long) {
			t.Errorf("%q: Vary %q", tt.accepted, got)
		}
	}
	if a, b := answerOf("GET", "gzip", long), answerOf("HEAD", "gzip", long); a.Header().Get("Content-Length") != b.Header().Get("Content-Length") {
		t.Error("HEAD tells another length than GET")
	}
}

// Decision 5: OPTIONS answers CORS preflight when origins are set, else 405.
func TestCORS(t *testing.T) {
	t.Parallel()
	const page, other = "https://app.example", "https://evil.example"
	tests := []struct {
		origins        []string
		method, origin string
		status         int
		allowed        string
	}{
		{nil, "OPTIONS", page, 405, ""},
		{nil, "GET", page, 200, ""},
		{[]string{page}, "OPTIONS", page, 204, page},
		{[]string{page}, "OPTIONS", "HTTPS://APP.example", 204, "HTTPS://APP.example"},
		{[]string{page}, "OPTIONS", other, 204, ""},
		{[]string{page}, "OPTIONS", "", 204, ""},
		{[]string{page}, "OPTIONS", "null", 204, ""},
		{[]string{page}, "GET", page, 200, page},
		{[]string{page}, "GET", other, 200, ""},
		{[]string{page}, "PUT", page, 405, page},
		{[]string{other, page}, "GET", page, 200, page},
		{[]string{"*"}, "OPTIONS", other, 204, "*"},
		{[]string{"*"}, "GET", other, 200, "*"},
	}
	for _, tt := range tests {
		router := web.NewRouter()
		shared := router.NewRoute().Subrouter()
		shared.Use(web.CORS{Origins: tt.origins}.Middleware)
		shared.Handle("/x", web.Methods{"GET": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }, "POST": nil})
		r := httptest.NewRequest(tt.method, "/x", nil)
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		name := fmt.Sprintf("%v %s %s", tt.origins, tt.method, tt.origin)
		h := w.Header()
		if w.Code != tt.status || h.Get("Access-Control-Allow-Origin") != tt.allowed {
			t.Errorf("%s: %d, origin %q", name, w.Code, h.Get("Access-Control-Allow-Origin"))
		}
		if got := h.Get("Access-Control-Allow-Methods"); (got == "GET, HEAD, POST") != (tt.status == 204 && tt.allowed != "") {
			t.Errorf("%s: methods %q", name, got)
		}
		if tt.allowed != "" && !strings.Contains(h.Get("Access-Control-Expose-Headers"), "X-Request-Id") {
			t.Errorf("%s: the page cannot read the request id", name)
		}
		if perOrigin := len(tt.origins) > 0 && tt.origins[0] != "*"; perOrigin != (h.Get("Vary") == "Origin") {
			t.Errorf("%s: Vary %q", name, h.Get("Vary"))
		}
	}
}

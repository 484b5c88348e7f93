package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/handlers/http/web"
)

func logger() (*logrus.Logger, *bytes.Buffer) {
	var buffer bytes.Buffer
	l := logrus.New()
	l.SetOutput(&buffer)
	l.SetLevel(logrus.DebugLevel)
	return l, &buffer
}

// Spec: Errors, the meaning of statuses; decision 1.
func TestFail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err    error
		status int
		want   string
	}{
		{domain.Errorf(domain.Invalid, "c", "m"), 400, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.Unauthenticated, "c", "m"), 401, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.QuotaExceeded, "c", "m"), 401, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.PaymentRequired, "c", "m"), 402, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.Forbidden, "c", "m"), 403, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.NotFound, "c", "<m> & \"n\""), 404, `{"success":false,"message":"<m> & \"n\"","code":"c"}`},
		{domain.Errorf(domain.Conflict, "c", "m"), 409, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.TooLarge, "c", "m"), 413, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.Internal, "movie_json_not_stored", "m"), 500, `{"success":false,"message":"m","code":"movie_json_not_stored"}`},
		{domain.Errorf(domain.Kind(99), "c", "m"), 500, `{"success":false,"message":"m","code":"c"}`},
		{fmt.Errorf("load: %w", domain.Errorf(domain.Conflict, "c", "m")), 409, `{"success":false,"message":"m","code":"c"}`},
		{domain.Errorf(domain.Invalid, "", "m"), 400, `{"success":false,"message":"m","code":"error"}`},
		{errors.New("dial 10.0.0.7"), 500, `{"success":false,"message":"Internal error","code":"internal_error"}`},
	}
	for _, tt := range tests {
		l, logged := logger()
		w := httptest.NewRecorder()
		web.Fail(w, httptest.NewRequest("GET", "/x?secret=1", nil), l, tt.err)
		if w.Code != tt.status || w.Body.String() != tt.want {
			t.Errorf("%v: %d %s, want %d %s", tt.err, w.Code, w.Body, tt.status, tt.want)
		}
		if got := fmt.Sprint(w.Body.Len()); w.Header().Get("Content-Length") != got {
			t.Errorf("%v: Content-Length %q of %s", tt.err, w.Header().Get("Content-Length"), got)
		}
		if strings.Contains(logged.String(), "secret") {
			t.Errorf("the query is logged: %s", logged)
		}
		if got := logged.Len() > 0; got != (tt.status == 500 && tt.want != `{"success":false,"message":"m","code":"c"}`) {
			t.Errorf("%v: logged %q", tt.err, logged)
		}
	}
}

func TestStamp(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 1, 2, 3, 4_999_999, time.FixedZone("", 2*3600))
	if got := web.Stamp(at); got != "2026-11-20T23:02:03.004Z" {
		t.Errorf("got %s", got)
	}
	if got := web.StampOrNull(nil); got != nil {
		t.Errorf("no time is %s", *got)
	}
	if got := web.StampOrNull(&at); got == nil || *got != web.Stamp(at) {
		t.Errorf("got %v", got)
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	answered := ""
	m := web.Methods{
		"GET":  func(http.ResponseWriter, *http.Request) { answered = "GET" },
		"POST": func(http.ResponseWriter, *http.Request) { answered = "POST" },
	}
	for method, want := range map[string]string{"GET": "GET", "HEAD": "GET", "POST": "POST", "PUT": "", "OPTIONS": "", "TRACE": "", "get": ""} {
		answered = ""
		w := httptest.NewRecorder()
		m.ServeHTTP(w, &http.Request{Method: method})
		if answered != want {
			t.Errorf("%s was answered by %q", method, answered)
		}
		if want == "" && (w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, POST") {
			t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestWrap_Panics(t *testing.T) {
	t.Parallel()
	l, logged := logger()
	server := httptest.NewUnstartedServer(web.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/half":
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, "half an ans")
		case "/abort":
			panic(http.ErrAbortHandler)
		}
		panic("a bug")
	}), l))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	get := func(path string) (int, string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			return 0, "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body), err
	}
	status, body, err := get("/early")
	var answer struct{ Message, Code string }
	if err != nil || status != 500 || json.Unmarshal([]byte(body), &answer) != nil || answer.Message != "Internal error" {
		t.Errorf("before the answer: %d %s %v", status, body, err)
	}
	if _, _, err := get("/half"); err == nil {
		t.Error("half an answer looks like a whole one")
	}
	if _, _, err := get("/abort"); err == nil {
		t.Error("an aborted answer looks like a whole one")
	}
	server.Close()
	if !strings.Contains(logged.String(), "a bug") || !strings.Contains(logged.String(), "web_test.go") {
		t.Errorf("the log tells neither the panic nor its place: %s", logged)
	}
}

func TestWrap_LogsWithoutTheQuery(t *testing.T) {
	t.Parallel()
	l, logged := logger()
	web.Wrap(web.NewRouter(), l, web.LogAnswers(l, logrus.InfoLevel)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/nowhere?secret=1", nil))
	for _, want := range []string{"/nowhere", "status=404", "method=GET"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("no %s in the log: %s", want, logged)
		}
	}
	if strings.Contains(logged.String(), "secret") {
		t.Errorf("the query is logged: %s", logged)
	}
}

// The address of a rendered file is all that protects it, so the log must not hand it on, however the request ends.
func TestLog_KeepsWhatCannotBeGuessed(t *testing.T) {
	t.Parallel()
	const token, key = "0123456789abcdef0123456789abcdef", "mv_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
	for _, path := range []string{
		"/v2/renders/" + token + "/Abcdefgh12345678.mp4", "/v2/renders/" + token, "/v2/renders//" + token + "/x/", "/v2/movies/" + key,
		"/v2/renders/%30123456789abcdef0123456789abcdef/Abcdefgh12345678.mp4",
	} {
		l, logged := logger()
		w := httptest.NewRecorder()
		web.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			web.Fail(w, r, l, errors.New("the disk is away"))
		}), l, web.LogAnswers(l, logrus.InfoLevel)).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if text := logged.String(); strings.Contains(text, token) || strings.Contains(text, key) {
			t.Errorf("%s: the log tells the secret: %s", path, text)
		}
		if strings.Count(logged.String(), "/v2/") != 2 {
			t.Errorf("%s: not both lines tell where it was: %s", path, logged)
		}
	}
	if got := web.LogPath("/v2/movies/progress"); got != "/v2/movies/progress" {
		t.Errorf("a plain path is logged as %s", got)
	}
	if got := web.LogPath("/" + strings.Repeat("a/", 4000)); len(got) > 300 {
		t.Errorf("a long path is logged with %d bytes", len(got))
	}
}

package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/eventstore"
	"moviola/handlers/http/web"
)

// hang waits for the end of the request's context, as a store does that does not answer.
func hang(r *http.Request) error {
	<-r.Context().Done()
	return fmt.Errorf("ask the store: %w", r.Context().Err())
}

// TestLimit: a request whose time is over is answered 503, on every route but those that have none.
func TestLimit(t *testing.T) {
	t.Parallel()
	log := logrus.New()
	log.SetOutput(io.Discard)
	router := web.NewRouter()
	web.Limit(router, time.Millisecond, map[string]time.Duration{"GET /stream/{id}": web.NoLimit, "POST /long": time.Hour})
	limited := func(w http.ResponseWriter, r *http.Request) { web.Fail(w, r, log, hang(r)) }
	free := func(w http.ResponseWriter, r *http.Request) {
		if _, err := web.ReadBody(w, r, 100, nil); err != nil {
			t.Error(err)
		}
		if err := context.Cause(r.Context()); err != nil {
			t.Errorf("%s: %v", r.URL, err)
		}
		web.SendJSON(w, http.StatusOK, []byte("{}"))
	}
	router.Handle("/short", web.Methods{http.MethodGet: limited})
	router.Handle("/long", web.Methods{http.MethodGet: limited, http.MethodPost: free})
	router.Handle("/stream/{id}", web.Methods{http.MethodGet: free})
	for request, want := range map[string]int{
		"GET /short": 503, "HEAD /short": 503, "GET /long": 503, "POST /long": 200, "GET /stream/1": 200, "HEAD /stream/1": 200, "GET /none": 404, "PUT /long": 405,
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader("{}")))
		if w.Code != want {
			t.Errorf("%s: %d %s", request, w.Code, w.Body)
		}
		if want == 503 && (w.Header().Get("Retry-After") != "2" || !strings.Contains(w.Body.String(), `"code":"service_unavailable"`)) {
			t.Errorf("%s: %v %s", request, w.Header(), w.Body)
		}
	}
}

// slowBody takes its time.
type slowBody struct{ *strings.Reader }

func (s slowBody) Read(p []byte) (int, error) {
	<-time.After(50 * time.Millisecond)
	return s.Reader.Read(p)
}

// TestLimit_body: the time for a body is not that of the answer.
func TestLimit_body(t *testing.T) {
	t.Parallel()
	const patient = 5 * time.Minute // longer than the body takes, on any machine
	for _, after := range []time.Duration{time.Millisecond, patient} {
		router := web.NewRouter()
		web.Limit(router, after, nil)
		router.Handle("/body", web.Methods{http.MethodPost: func(w http.ResponseWriter, r *http.Request) {
			body, err := web.ReadBody(w, r, 100, nil)
			if err != nil || string(body) != "{}" {
				t.Errorf("%q, %v", body, err)
			}
			if after == patient && r.Context().Err() != nil {
				t.Error("the time is over")
			}
			if after != patient {
				<-r.Context().Done() // it begins anew
			}
		}})
		router.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/body", slowBody{strings.NewReader("{}")}))
	}
}

// TestFail_unavailable: what may be repeated is told from what may not.
func TestFail_unavailable(t *testing.T) {
	t.Parallel()
	log := logrus.New()
	log.SetOutput(io.Discard)
	for name, tt := range map[string]struct {
		err    error
		status int
		again  bool
	}{
		"the event store is away":  {fmt.Errorf("append: %w", eventstore.ErrUnavailable), 503, true},
		"a limit within":           {fmt.Errorf("look up: %w", context.DeadlineExceeded), 503, true},
		"a full disk":              {fmt.Errorf("write: %w", syscall.ENOSPC), 503, true},
		"a mistake of ours":        {errors.New("no such index"), 500, false},
		"a status of its own":      {fmt.Errorf("%w: %w", domain.Errorf(domain.Internal, "movie_not_created", "Error"), eventstore.ErrUnavailable), 500, true},
		"a 503 of its own":         {domain.Errorf(domain.Unavailable, "preview_too_slow", "Error"), 503, true},
		"a refusal, whatever else": {fmt.Errorf("%w: %w", domain.Errorf(domain.Invalid, "limit_invalid", "Error"), eventstore.ErrUnavailable), 400, false},
	} {
		w := httptest.NewRecorder()
		web.Fail(w, httptest.NewRequest(http.MethodGet, "/", nil), log, tt.err)
		if again := w.Header().Get("Retry-After") != ""; w.Code != tt.status || again != tt.again {
			t.Errorf("%s: %d, repeat %v", name, w.Code, again)
		}
	}
}

package web

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/domain"
)

// Answered describes a request whose answer has ended.
type Answered struct {
	Context   context.Context
	Method    string
	Operation string // method and path template, such as "GET /v2/movies"; empty: no route with the method matched
	Path      string // path in the form for the log, see LogPath
	Status    int    // HTTP status; 0: no answer was sent
	RequestID string
	Account   domain.AccountID // account of the API key in the request; empty: no API key was checked
	Took      time.Duration
}

// exchange collects facts about a request from the handlers inside Wrap. Only the goroutine that serves the request uses
// it.
type exchange struct {
	operation string
	account   domain.AccountID
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// NameOperations records, for Answered, the operation that a router has found for each request.
func NameOperations(router *mux.Router) {
	router.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if x := exchangeOf(r.Context()); x != nil {
				x.operation = operationOf(r)
			}
			next.ServeHTTP(w, r)
		})
	})
}

// operationOf returns the method and the path template of a request's route; empty when the route does not allow the method. HEAD
// counts as GET.
func operationOf(r *http.Request) string {
	route := mux.CurrentRoute(r)
	if route == nil {
		return ""
	}
	path, err := route.GetPathTemplate()
	if err != nil {
		return ""
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if methods, ok := route.GetHandler().(Methods); ok && methods[method] == nil && method != http.MethodOptions {
		return ""
	}
	return method + " " + path
}

// LogAnswers returns an observer for Wrap that logs one line per request. It leaves out the query and the secret parts of the
// path.
func LogAnswers(log logrus.FieldLogger, level logrus.Level) func(Answered) {
	return func(a Answered) {
		entry := log.WithFields(logrus.Fields{
			"method": a.Method, "path": a.Path, "status": a.Status, "request": a.RequestID, "ms": a.Took.Milliseconds(),
		})
		if a.Operation != "" {
			entry = entry.WithField("operation", a.Operation)
		}
		if a.Account != "" {
			entry = entry.WithField("account", a.Account)
		}
		entry.Log(level, "request")
	}
}

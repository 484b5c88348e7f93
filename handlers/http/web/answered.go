package web

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/domain"
)

// Answered is what is known of a request when its answer has ended.
type Answered struct {
	Method    string
	Operation string // method and path template of its route, such as "GET /v2/movies"; empty: no route is there for it
	Path      string // as a log may show it
	Status    int    // 0: nothing was answered
	RequestID string
	Account   domain.AccountID // whose key it carried; empty: none was looked at
	Took      time.Duration
}

// exchange is what the parts behind Wrap find out about a request. It belongs to the goroutine that serves the request.
type exchange struct {
	operation string
	account   domain.AccountID
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// NameOperations notes the route of every request of a router, for Answered.
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

// operationOf is the method and the path template of a request's route, empty where the route has no such method. HEAD is GET.
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

// LogAnswers returns an observer of Wrap that writes one line for each request: without its query, without what cannot be guessed
// of its path.
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

// Package web defines the common form of the HTTP answers of the service: a JSON body in one piece, one form of error, one
// table of methods per path. It contains no routes and no business rules.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/domain"
)

// Texts of answers to requests that reach no endpoint. Spec: Errors; decision 5.
const (
	notFoundText      = "Not found"
	wrongMethodText   = "Method not supported"
	internalErrorText = "Internal error"
)

// failure is the usual body of an error. Decision 1.
type failure struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// statuses are the HTTP statuses of the kinds of refusal. Spec: Errors.
var statuses = map[domain.Kind]int{
	domain.Invalid:         http.StatusBadRequest,
	domain.Unauthenticated: http.StatusUnauthorized,
	domain.QuotaExceeded:   http.StatusUnauthorized,
	domain.PaymentRequired: http.StatusPaymentRequired,
	domain.Forbidden:       http.StatusForbidden,
	domain.NotFound:        http.StatusNotFound,
	domain.Conflict:        http.StatusConflict,
	domain.TooLarge:        http.StatusRequestEntityTooLarge,
	domain.Internal:        http.StatusInternalServerError,
	domain.Unavailable:     http.StatusServiceUnavailable,
}

// StatusOf returns the HTTP status of a refusal.
func StatusOf(err *domain.Error) int {
	if status, ok := statuses[err.Kind]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Stamp formats a time in the form of all answers: UTC, ISO 8601, milliseconds, Z. Decision 2.
func Stamp(t time.Time) string { return domain.FormatTime(t) }

// StampOrNull is Stamp for an optional time. It returns nil for nil.
func StampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := Stamp(*t)
	return &s
}

// JSON encodes a value for an answer: <, > and & are not escaped, and no newline follows.
func JSON(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}

// SendJSON is Write for a value that is already encoded.
func SendJSON(w http.ResponseWriter, status int, body []byte) {
	Send(w, status, "application/json; charset=utf-8", body)
}

// Write answers with a status and a value as JSON, in one piece with its length, because some clients take the first piece of
// a body for the whole. Decision 2.
func Write(w http.ResponseWriter, status int, v any) error {
	body, err := JSON(v)
	if err != nil {
		return err
	}
	SendJSON(w, status, body)
	return nil
}

// Refuse answers with a refusal and its status.
func Refuse(w http.ResponseWriter, status int, err *domain.Error) {
	code := err.Code
	if code == "" {
		code = "error"
	}
	// Encoding three strings and a boolean never fails.
	_ = Write(w, status, failure{Message: err.Message, Code: code})
}

// Fail answers with an error: a *domain.Error with its own status and text; any other error with a text that does not
// contain it, and with 503 when a part of the service did not respond, otherwise with 500. The cause is logged, except that
// of a *domain.Error of another kind than Internal, and unless the client has disconnected.
func Fail(w http.ResponseWriter, r *http.Request, log logrus.FieldLogger, err error) {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		if refusal.Kind == domain.Internal {
			LogFailure(r, log, err)
			Retry(w, r, err)
		}
		if refusal.Kind == domain.Unavailable {
			retryLater(w)
		}
		Refuse(w, StatusOf(refusal), refusal)
		return
	}
	LogFailure(r, log, err)
	if unavailable(r, err) {
		Retry(w, r, err)
		Refuse(w, StatusOf(errUnavailable), unavailableError(err))
		return
	}
	Refuse(w, http.StatusInternalServerError, domain.Errorf(domain.Internal, "internal_error", internalErrorText))
}

// LogFailure logs why a request failed, unless its client has disconnected. The line does not contain the query.
func LogFailure(r *http.Request, log logrus.FieldLogger, err error) {
	if r.Context().Err() != nil && !errors.Is(context.Cause(r.Context()), ErrLate) {
		return
	}
	log.WithFields(logrus.Fields{"method": r.Method, "path": LogPath(r.URL.Path),
		"request": RequestID(r.Context())}).WithError(err).Error("HTTP request failed; the client gets an error")
}

// NotFound answers a path without a route. Decision 5.
func NotFound(w http.ResponseWriter, _ *http.Request) {
	Refuse(w, http.StatusNotFound, domain.Errorf(domain.NotFound, "not_found", notFoundText))
}

// Methods maps the methods of one path to handlers. HEAD uses the handler of GET. Other methods are answered with 405 and Allow.
// Decision 5.
type Methods map[string]http.HandlerFunc

// ServeHTTP implements http.Handler.
func (m Methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if handler, ok := m[method]; ok {
		handler(w, r)
		return
	}
	w.Header().Set("Allow", m.allow())
	Refuse(w, http.StatusMethodNotAllowed, domain.Errorf(domain.Invalid, "method_not_supported", wrongMethodText))
}

func (m Methods) allow() string {
	var methods []string
	for method := range m {
		methods = append(methods, method)
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// NewRouter returns the root router. For an unknown path it answers 404, with an error in JSON. Paths of the API are
// registered with handlers of the type Methods, which answer 405 for other methods, so that the router does not. The router
// does not clean paths: it would answer a POST to an unclean path with a redirect, and the body would be lost.
func NewRouter() *mux.Router {
	router := mux.NewRouter().SkipClean(true)
	// The router does not run its middleware for the next two handlers. So everything that every answer needs is done in Wrap,
	// which wraps the whole router.
	router.NotFoundHandler = http.HandlerFunc(NotFound)
	router.MethodNotAllowedHandler = Methods{}
	return router
}

package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/eventstore"
)

// RequestIDHeader contains the id of a request, both in requests and in answers.
const RequestIDHeader = "X-Request-Id"

// maxRequestID is the maximum length of an id that a client sends.
const maxRequestID = 64

type requestIDKey struct{}

// RequestID returns the id of a context's request, empty when the request has no id.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Wrap wraps the root router. Every answer contains its request id, also 404 and 405. A panic before an answer becomes a
// 500 with a fixed text, unless it is http.ErrAbortHandler; a panic during an answer closes the connection. The observers
// are called after every other answer, by many goroutines.
func Wrap(next http.Handler, log logrus.FieldLogger, observers ...func(Answered)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(RequestIDHeader)
		if !validRequestID(id) {
			id = newRequestID()
		}
		w.Header().Set(RequestIDHeader, id)
		// A proxy and this server may disagree about where a body with a transfer encoding ends, so the connection closes after
		// this request.
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		// Events and log messages that the request causes contain its id.
		ctx := eventstore.WithTrace(context.WithValue(r.Context(), requestIDKey{}, id), id, id)
		seen := &exchange{}
		r = r.WithContext(context.WithValue(ctx, exchangeKey{}, seen))
		recorder := &recorder{ResponseWriter: w, takesGzip: takesGzip(r.Header)}
		started := time.Now()
		defer func() {
			if crash := recover(); crash != nil {
				answerPanic(recorder, r, log, crash)
			}
			for _, tell := range observers {
				tell(Answered{
					Context: ctx, Method: r.Method, Operation: seen.operation, Path: LogPath(r.URL.Path), Status: recorder.status,
					RequestID: id, Account: seen.account, Took: time.Since(started),
				})
			}
		}()
		next.ServeHTTP(recorder, r)
	})
}

// answerPanic answers 500 when no answer was begun, and otherwise closes the connection: so that a partial answer does not
// look complete.
func answerPanic(w *recorder, r *http.Request, log logrus.FieldLogger, crash any) {
	if err, ok := crash.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	log.WithFields(logrus.Fields{"request": RequestID(r.Context()), "stack": string(debug.Stack())}).Error(fmt.Sprint("panic: ",
		crash))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	Refuse(w, http.StatusInternalServerError, domain.Errorf(domain.Internal, "internal_error", internalErrorText))
}

// validRequestID reports whether an id has only characters that are safe in a log and in a header, and is neither empty nor
// too long.
func validRequestID(id string) bool {
	return id != "" && len(id) <= maxRequestID &&
		strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

func newRequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // rand.Read never returns an error
	return hex.EncodeToString(b[:])
}

// recorder records the status of an answer, and whether its client accepts gzip.
type recorder struct {
	http.ResponseWriter
	status    int
	takesGzip bool
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController access to the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

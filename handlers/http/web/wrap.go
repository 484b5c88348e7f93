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

// RequestIDHeader carries the id of a request, in both directions.
const RequestIDHeader = "X-Request-Id"

// maxRequestID bounds an id that a client brings along.
const maxRequestID = 64

type requestIDKey struct{}

// RequestID is the id of the request that a context belongs to, empty when there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Wrap stands around the root router: every answer carries its request id, 404 and 405 included; a panic becomes a 500 with a
// fixed text; the observers are told of every answer. They are called by many goroutines.
func Wrap(next http.Handler, log logrus.FieldLogger, observers ...func(Answered)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(RequestIDHeader)
		if !validRequestID(id) {
			id = newRequestID()
		}
		w.Header().Set(RequestIDHeader, id)
		if len(r.TransferEncoding) > 0 { // what a proxy in front and this server take for its end may differ: no request follows it
			w.Header().Set("Connection", "close")
		}
		// What the request leads to is marked with its id, in the events too.
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
					Method: r.Method, Operation: seen.operation, Path: LogPath(r.URL.Path), Status: recorder.status,
					RequestID: id, Account: seen.account, Took: time.Since(started),
				})
			}
		}()
		next.ServeHTTP(recorder, r)
	})
}

// answerPanic answers 500 when nothing has been answered yet, and otherwise breaks the connection off: half an answer must not
// look like a whole one.
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

// validRequestID accepts what cannot disturb a log or a header.
func validRequestID(id string) bool {
	return id != "" && len(id) <= maxRequestID &&
		strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

func newRequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}

// recorder remembers the status of an answer, and whether its client takes packed ones.
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

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

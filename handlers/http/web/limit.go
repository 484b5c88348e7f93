package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/gorilla/mux"

	"moviola/domain"
	"moviola/eventstore"
	"moviola/internal/fair"
	"moviola/internal/quota"
	"moviola/projections"
)

// AnswerTime is the time limit of a request, without the time for reading its body, unless its route has another limit.
const AnswerTime = 14 * time.Second

// NoLimit is the value for routes without a time limit: uploads, downloads, exports and event streams.
const NoLimit = 0

// ErrLate is the cause with which a request's context ends at its time limit.
var ErrLate = errors.New("the request took too long")

// ErrNoRoom refuses new work while the free disk space is below the configured reserve.
var ErrNoRoom = errors.New("the disk has less room than its reserve")

// errUnavailable is the answer when a part of the service, such as a store, does not respond.
var errUnavailable = domain.Errorf(domain.Unavailable, "service_unavailable",
	"The service cannot reach a part of its storage now. Please try again; repeat a submission with the same Idempotency-Key.")

// errNewer is the answer when a request needs an event that this version cannot read.
var errNewer = domain.Errorf(domain.Unavailable, "written_by_newer_version",
	"This was changed by a newer version of the service, which another process runs or has run. Please try again when the "+
		"upgrade is done.")

// unavailableError returns the answer to a failure for which unavailable returns true.
func unavailableError(err error) *domain.Error {
	if errors.Is(err, eventstore.ErrUnknownType) {
		return errNewer
	}
	if errors.Is(err, fair.ErrBusy) {
		return domain.Errorf(domain.Unavailable, errUnavailable.Code, "The service is reading as many large requests as it "+
			"can. Please try again.")
	}
	var full *quota.FullError
	if errors.Is(err, ErrNoRoom) || errors.As(err, &full) {
		return domain.Errorf(domain.Unavailable, errUnavailable.Code, "The service has too little room on its disk to take "+
			"anything new now. Please try again later.")
	}
	var behind *projections.BehindError
	if !errors.As(err, &behind) {
		return errUnavailable
	}
	left := ""
	if behind.Left > 0 {
		left = fmt.Sprintf(", about %s are left", behind.Left)
	}
	return domain.Errorf(domain.Unavailable, errUnavailable.Code, "Lists are being brought up to date: %.0f %% is done%s. "+
		"Please try again.", behind.Progress, left)
}

// retryAfter is the value of the header Retry-After, in seconds.
const retryAfter = 2

// limit is the timer of a request's time limit. Only the goroutine that serves the request uses it.
type limit struct {
	timer *time.Timer
	after time.Duration
}

type limitKey struct{}

// Limit sets the time limit of the requests for which a router has a route; at the limit, the request's context ends with
// ErrLate. others has different limits for some routes, by method and path template ("GET /v2/movies"); NoLimit means no
// limit.
func Limit(router *mux.Router, after time.Duration, others map[string]time.Duration) {
	router.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			after := after
			if path, err := mux.CurrentRoute(r).GetPathTemplate(); err == nil {
				method := r.Method
				if method == http.MethodHead {
					method = http.MethodGet
				}
				if other, known := others[method+" "+path]; known {
					after = other
				}
			}
			if after == NoLimit {
				next.ServeHTTP(w, r)
				return
			}
			ctx, cancel := context.WithCancelCause(r.Context())
			l := &limit{timer: time.AfterFunc(after, func() { cancel(ErrLate) }), after: after}
			defer cancel(nil)
			defer l.timer.Stop()
			next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, limitKey{}, l)))
		})
	})
}

// untilRead stops the timer of a request while its body is read, which has a time limit of its own. resume restarts the
// timer with the full limit.
func untilRead(ctx context.Context) (resume func()) {
	l, ok := ctx.Value(limitKey{}).(*limit)
	if !ok {
		return func() {}
	}
	l.timer.Stop()
	return func() { l.timer.Reset(l.after) }
}

// unavailable reports whether a request failed because a part of the service did not respond, is full, or is too old for an
// event that it needs. The client may then retry.
func unavailable(r *http.Request, err error) bool {
	var network net.Error
	var behind *projections.BehindError
	var full *quota.FullError
	return errors.As(err, &full) || errors.Is(context.Cause(r.Context()), ErrLate) || errors.Is(err, ErrLate) ||
		errors.Is(err, eventstore.ErrUnavailable) ||
		errors.Is(err, eventstore.ErrUnknownType) || errors.Is(err, fair.ErrBusy) || errors.Is(err, ErrNoRoom) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ENOSPC) || errors.As(err, &network) ||
		errors.As(err, &behind)
}

// Retry sets the header Retry-After when unavailable returns true for the error.
func Retry(w http.ResponseWriter, r *http.Request, err error) {
	if unavailable(r, err) {
		retryLater(w)
	}
}

// retryLater sets the header Retry-After.
func retryLater(w http.ResponseWriter) { w.Header().Set("Retry-After", strconv.Itoa(retryAfter)) }

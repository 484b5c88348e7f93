package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
)

// Refused says that the guard refuses a request. A retry would be refused too.
type Refused struct {
	Address string // scheme and host, or host and port for other protocols than HTTP; empty when the address is invalid
	why     string
}

func refuse(address, format string, args ...any) *Refused {
	return &Refused{Address: address, why: fmt.Sprintf(format, args...)}
}

func (e *Refused) Error() string { return describe(e.Address, e.why) }

// Reason is the reason in words for a user, without any address.
func (e *Refused) Reason() string { return e.why }

// Refused returns true. By this method, packages that do not import this one recognise the error.
func (e *Refused) Refused() bool { return true }

// Failure is the error of a request or connection that the guard has not refused and that has failed. Its text shows only
// the scheme and host of the address, or host and port for protocols other than HTTP. The wrapped error may contain more.
type Failure struct {
	Address string // scheme and host, or host and port for other protocols than HTTP
	why     string
	cause   error
}

func (e *Failure) Error() string { return describe(e.Address, e.why) }

// Reason is the reason in words for a user, without any address.
func (e *Failure) Reason() string { return e.why }

// Unwrap returns the cause, whose text may contain internal addresses: test it, do not show it.
func (e *Failure) Unwrap() error { return e.cause }

// Timeout reports whether a time limit ended the request. It makes Failure a net.Error in part, as url.Error asks for.
func (e *Failure) Timeout() bool { return isTimeout(e.cause) }

func describe(address, why string) string {
	if address == "" {
		return why
	}
	return address + ": " + why
}

// Origin shows an address as scheme and host, a port that is written included: never a user, path or query.
func Origin(u *url.URL) string {
	if u == nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// explain converts the error of a request to one that may be shown.
func explain(r *http.Request, err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		return &Refused{Address: Origin(r.URL), why: refused.why}
	}
	return &Failure{Address: Origin(r.URL), why: reason(err), cause: err}
}

// otherwise is the reason for unknown kinds of failure.
const otherwise = "the request failed"

// reason describes a failure in words. It never repeats the error's own text, which contains internal addresses.
func reason(err error) string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return "the request was cancelled"
	case errors.As(err, &dns): // failures of name resolution, also time-outs
		return "the host name could not be resolved"
	case isTimeout(err):
		return "no answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &verification):
		return "the TLS certificate is not valid"
	case errors.As(err, &record), errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"):
		return "the TLS handshake failed"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.EPIPE),
		errors.Is(err, net.ErrClosed): // the connection was closed while the request was being sent
		return "the connection was closed without an answer"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "the host cannot be reached"
	default:
		return otherwise
	}
}

func isTimeout(err error) bool {
	var timed interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}

// Package outbound is the one guarded road out of the service: assets, webhooks and whatever else a user's address may name.
//
// A request is refused unless every address its host resolves to is a public one; the connection is then made to the very
// address that was checked, so that a name cannot point elsewhere a moment later. Every hop of a redirect is checked again.
// There is no ambient proxy, no cookie jar and no credential but what the address itself carries.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// MaxRedirects is how many redirects a following client takes before it gives up.
const MaxRedirects = 5

// maxHeaderBytes bounds what the header of an answer may cost.
const maxHeaderBytes = 64 << 10

// Resolver turns a host name into addresses. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config says what a Guard lets through.
type Config struct {
	// Allow names what may be reached although it is not public: host:port, exactly as addresses write them, the port
	// included when it is the scheme's own. "localhost:9000" does not open 127.0.0.1:9000.
	Allow []string
	// Resolver is asked for addresses. Nil means the system's configuration, read by Go's own resolver: the C library's
	// accepts numbers such as 2130706433 and 0x7f.1 as addresses.
	Resolver Resolver
	// Self is host:port of the service's own base address, which is refused; empty: none. What it serves is read from its
	// storage instead. Decision 8.
	Self string
	// Own returns the addresses of this host, which are refused even when they are public. Nil means those of its network
	// interfaces.
	Own func() ([]netip.Addr, error)
}

// Guard makes the clients that may leave this machine. It is safe for concurrent use.
type Guard struct {
	allow    map[string]bool
	resolver Resolver
	self     string // as allowKey writes it
	own      *ownAddresses
}

// NewGuard returns a guard, or an error that names every entry of the allow-list that is not host:port.
func NewGuard(cfg Config) (*Guard, error) {
	g := &Guard{allow: make(map[string]bool, len(cfg.Allow)), resolver: cfg.Resolver, own: newOwnAddresses(cfg.Own)}
	if g.resolver == nil {
		g.resolver = &net.Resolver{PreferGo: true}
	}
	var errs []error
	for _, entry := range cfg.Allow {
		host, port, _ := net.SplitHostPort(entry) // an entry that cannot be split has no host
		if host == "" || !validPort(port) {
			errs = append(errs, fmt.Errorf("allowed host %q is not host:port", entry))
			continue
		}
		g.allow[allowKey(host, port)] = true
	}
	if cfg.Self != "" {
		host, port, err := net.SplitHostPort(cfg.Self)
		if err != nil {
			errs = append(errs, fmt.Errorf("own address %q is not host:port", cfg.Self))
		}
		g.self = allowKey(host, port)
	}
	return g, errors.Join(errs...)
}

// Options shape a client. The zero Options give one that follows no redirect, keeps no connection and waits as long as the
// request's context allows.
type Options struct {
	Connect   time.Duration // for resolving and connecting, all addresses together; 0: no limit of its own
	Header    time.Duration // from the request sent to the answer's header; 0: no limit of its own
	Total     time.Duration // for the whole exchange, the body included; 0: no limit of its own
	Follow    bool          // follow up to MaxRedirects redirects, each checked; otherwise the 3xx answer is the answer
	KeepAlive bool          // keep connections for further requests; their address was checked when they were made
	// Roots are the authorities that certificates are checked by; nil: the system's.
	Roots *x509.CertPool
}

// Client returns a client whose every request, redirects included, passes the guard.
//
// The standard library wraps a client's errors in *url.Error, whose text holds the whole address: show the error it wraps,
// a *Refused or a *Failure, which show scheme and host only.
func (g *Guard) Client(o Options) *http.Client {
	return &http.Client{
		Transport:     g.Transport(o),
		Timeout:       o.Total,
		CheckRedirect: redirectPolicy(o.Follow),
	}
}

// Transport returns the road of one request without redirects: its errors are *Refused or *Failure, or the context's.
// Options.Total and Options.Follow do not apply.
func (g *Guard) Transport(o Options) http.RoundTripper {
	return &transport{guard: g, base: &http.Transport{
		Proxy: nil, // never the environment's: a proxy would resolve and connect in our place
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if o.Connect > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, o.Connect)
				defer cancel()
			}
			return g.DialContext(ctx, network, address)
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout:    o.Connect,
		ResponseHeaderTimeout:  o.Header,
		ExpectContinueTimeout:  2 * time.Second, // for those who ask before they send a large body
		DisableKeepAlives:      !o.KeepAlive,
		DisableCompression:     true, // a compressed body could unpack to a thousand times its size
		MaxIdleConnsPerHost:    4,
		MaxIdleConns:           32,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}}
}

// redirectPolicy is the CheckRedirect of a client. The hop's address itself is checked by the transport.
func redirectPolicy(follow bool) func(*http.Request, []*http.Request) error {
	if !follow {
		return func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return func(next *http.Request, via []*http.Request) error {
		// The referer would tell the next host the path and query of this one.
		next.Header.Del("Referer")
		if len(via) > MaxRedirects {
			return refuse(Origin(next.URL), "it redirects more than %d times", MaxRedirects)
		}
		if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
			return refuse(Origin(next.URL), "a redirect leads away from https")
		}
		return nil
	}
}

// transport checks the address of a request, sends it and makes its error fit to be shown.
type transport struct {
	guard *Guard
	base  *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.guard.check(r.URL); err != nil {
		closeBody(r)
		return nil, err
	}
	if r.Header.Get("Accept-Encoding") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Accept-Encoding", "identity")
	}
	response, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, explain(r, err)
	}
	return response, nil
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the connections that are kept.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// allowed says whether the operator has opened host and port.
func (g *Guard) allowed(host, port string) bool { return g.allow[allowKey(host, port)] }

// allowKey writes host and port in one way: host names know no case.
func allowKey(host, port string) string { return net.JoinHostPort(strings.ToLower(host), port) }

// Package outbound makes the connections of the service to addresses that a user may name: assets, webhooks and others.
//
// A request is refused if an address of its host is not public, or is one of this host, unless the operator has allowed its
// host and port. The connection is made to an address that was checked, so that a name cannot change its address in
// between. Every redirect that a client follows is checked again. The package uses no proxy of the environment, no cookies,
// and adds no credentials except those in the address itself.
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

// maxHeaderBytes is the largest size of a response header in bytes.
const maxHeaderBytes = 64 << 10

// Resolver turns a host name into addresses. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config is the configuration of a Guard.
type Config struct {
	// Allow lists addresses that may be reached although they are not public: host:port, exactly as users write them, with the
	// port even if it is the default. "localhost:9000" does not allow 127.0.0.1:9000.
	Allow []string
	// Resolver resolves the names of hosts. Nil means Go's own resolver with the system's configuration, not the resolver
	// of the C library, because the latter accepts numbers such as 2130706433 and 0x7f.1 as addresses.
	Resolver Resolver
	// Self is host:port of the service's own base address, which is refused; empty: none. The service reads its own files from
	// storage instead. Decision 8.
	Self string
	// Own returns the addresses of this host, which are refused even when they are public. Nil means those of its network
	// interfaces.
	Own func() ([]netip.Addr, error)
}

// Guard makes clients for requests that leave this machine. It is safe for concurrent use.
type Guard struct {
	allow    map[string]bool
	resolver Resolver
	self     string // host and port of this service, in the form of allowKey
	own      *ownAddresses
}

// NewGuard returns a guard. Its error names every entry of the allow-list that is not host:port, and an invalid Config.Self.
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

// Options configure a client. The client of the zero Options follows no redirects, keeps no connections and has no time limit
// besides the request's context.
type Options struct {
	Connect   time.Duration // time limit for resolving and connecting, and again for the TLS handshake; 0: only the context's
	Header    time.Duration // time limit from sending the request to the answer's header; 0: only the context's
	Total     time.Duration // time limit for the whole exchange, the body included; 0: only the context's
	Follow    bool          // follow up to MaxRedirects redirects, each checked; otherwise the 3xx answer is the answer
	KeepAlive bool          // keep connections for further requests; their address was checked when they were made
	// Roots are the authorities that certificates are checked by; nil: the system's.
	Roots *x509.CertPool
}

// Client returns a client whose every request, redirects included, passes the guard.
//
// The standard library wraps a client's errors in *url.Error, whose text holds the whole address: show the error it wraps,
// if that is a *Refused or a *Failure. These show scheme and host only.
func (g *Guard) Client(o Options) *http.Client {
	return &http.Client{
		Transport:     g.Transport(o),
		Timeout:       o.Total,
		CheckRedirect: redirectPolicy(o.Follow),
	}
}

// Transport returns a transport for single requests without redirects: its errors are *Refused or *Failure.
// Options.Total and Options.Follow do not apply.
func (g *Guard) Transport(o Options) http.RoundTripper {
	return &transport{guard: g, base: &http.Transport{
		Proxy: nil, // the proxy of the environment is not used: it would resolve names by itself, unchecked
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
		ExpectContinueTimeout:  2 * time.Second, // a request with the header Expect waits this long for permission to send its body
		DisableKeepAlives:      !o.KeepAlive,
		DisableCompression:     true, // a compressed body could expand to a thousand times its size
		MaxIdleConnsPerHost:    4,
		MaxIdleConns:           32,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}}
}

// redirectPolicy returns the CheckRedirect of a client. The transport checks the address of each hop.
func redirectPolicy(follow bool) func(*http.Request, []*http.Request) error {
	if !follow {
		return func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return func(next *http.Request, via []*http.Request) error {
		// This header would show the next host the path and query of the address that redirects to it.
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

// transport checks the address of a request, sends it, and makes its error safe to show.
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

// CloseIdleConnections makes http.Client.CloseIdleConnections close the kept connections.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// allowed reports whether the operator has allowed host and port.
func (g *Guard) allowed(host, port string) bool { return g.allow[allowKey(host, port)] }

// allowKey writes host and port in one form: host names are case-insensitive.
func allowKey(host, port string) string { return net.JoinHostPort(strings.ToLower(host), port) }

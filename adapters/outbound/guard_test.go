package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/outbound"
	"moviola/tests/leaks"
)

func TestMain(m *testing.M) { leaks.Verify(m) }

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

// names is a resolver with a fixed answer for each name. An unknown name does not exist.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	texts, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.9.9:53", IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// counted is a listener on loopback that counts who comes.
type counted struct {
	*httptest.Server
	hits atomic.Int64
	port string
}

func listen(t *testing.T, serve http.HandlerFunc) *counted {
	t.Helper()
	c := &counted{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.hits.Add(1)
		serve(w, r)
	}))
	t.Cleanup(c.Close)
	_, c.port, _ = net.SplitHostPort(c.Listener.Addr().String())
	return c
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") }

// get requests an address and returns the status, or the error under the standard library's wrapping.
func get(client *http.Client, address string) (int, error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(r)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			return 0, wrapped.Err
		}
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func isRefused(err error) bool {
	var refused *outbound.Refused
	return errors.As(err, &refused)
}

func TestClient_AllowListIsExact(t *testing.T) {
	t.Parallel()
	server, other := listen(t, hello), listen(t, hello)
	g := guard(t, outbound.Config{
		Allow:    []string{"receiver.example:" + server.port},
		Resolver: names{"receiver.example": {"127.0.0.1"}, "receiver.example.": {"127.0.0.1"}, "other.example": {"127.0.0.1"}},
	})
	client := g.Client(outbound.Options{})
	if status, err := get(client, "http://receiver.example:"+server.port+"/hook"); err != nil || status != 200 {
		t.Fatalf("an allowed host: %d, %v", status, err)
	}
	if status, err := get(client, "http://Receiver.Example:"+server.port+"/hook"); err != nil || status != 200 {
		t.Fatalf("an allowed host in capitals: %d, %v", status, err)
	}
	for _, address := range []string{
		"http://127.0.0.1:" + server.port, "http://localhost:" + server.port, "http://other.example:" + server.port,
		"http://receiver.example:" + other.port, "http://receiver.example.:" + server.port,
	} {
		if _, err := get(client, address); !isRefused(err) {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
	if server.hits.Load() != 2 || other.hits.Load() != 0 {
		t.Errorf("listeners saw %d and %d requests, want 2 and 0", server.hits.Load(), other.hits.Load())
	}
}

// Every address of an answer must be public. The port is open on loopback: a request that gets through would be counted.
func TestClient_RefusesAnswersWithAPrivateAddress(t *testing.T) {
	t.Parallel()
	server := listen(t, hello)
	answers := map[string][]string{
		"private": {"127.0.0.1"}, "zero": {"0.0.0.0"}, "six": {"::1"}, "mapped": {"::ffff:127.0.0.1"}, "unspecified six": {"::"},
		"public first": {"8.8.8.8", "127.0.0.1"}, "public last": {"127.0.0.1", "8.8.8.8"}, "A public, AAAA private": {"8.8.8.8", "::1"},
		"many": {"8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9", "1.0.0.1", "8.8.8.8", "8.8.8.8", "8.8.8.8", "8.8.8.8", "127.0.0.1"},
	}
	for name, answer := range answers {
		g := guard(t, outbound.Config{Resolver: names{"receiver.example": answer}})
		if _, err := get(g.Client(outbound.Options{}), "http://receiver.example:"+server.port+"/"); !isRefused(err) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	if hits := server.hits.Load(); hits != 0 {
		t.Errorf("the listener on loopback saw %d requests", hits)
	}
}

// flipping answers with a public address and with loopback in turn, as a name with a TTL of 0 may. The public answer ends
// the context, so that nothing leaves this machine.
type flipping struct {
	calls  atomic.Int64
	cancel func()
}

func (f *flipping) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if f.calls.Add(1)%2 == 1 {
		f.cancel()
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func TestDial_ResolvesOnceAndDialsWhatWasChecked(t *testing.T) {
	t.Parallel()
	server := listen(t, hello)
	resolver := &flipping{}
	g := guard(t, outbound.Config{Resolver: resolver})
	const dials = 10_000
	for i := range dials {
		ctx, cancel := context.WithCancel(context.Background())
		resolver.cancel = cancel
		conn, err := g.DialContext(ctx, "tcp", "receiver.example:"+server.port)
		cancel()
		if err == nil {
			conn.Close()
			t.Fatalf("dial %d got through", i)
		}
		if refused := isRefused(err); refused != (i%2 == 1) {
			t.Fatalf("dial %d: %v", i, err)
		}
	}
	if calls := resolver.calls.Load(); calls != dials {
		t.Errorf("%d lookups for %d dials: a second answer was asked for", calls, dials)
	}
	if hits := server.hits.Load(); hits != 0 {
		t.Errorf("the listener on loopback saw %d requests", hits)
	}
}

func TestDial_TriesTheNextAddress(t *testing.T) {
	t.Parallel()
	server := listen(t, hello)
	g := guard(t, outbound.Config{
		Allow:    []string{"receiver.example:" + server.port},
		Resolver: names{"receiver.example": {"127.0.0.2", "127.0.0.3", "127.0.0.1"}},
	})
	client := g.Client(outbound.Options{Connect: patience})
	if status, err := get(client, "http://receiver.example:"+server.port+"/"); err != nil || status != 200 {
		t.Errorf("%d, %v", status, err)
	}
}

// A dial is checked by itself, whoever asks for it: the resolver of a C library would take these names for addresses.
func TestDial_RefusesDisguises(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, address := range []string{"2130706433:80", "0x7f.1:80", "127.1:80", "localhost:80", "mongo:80", "db.internal:80", "receiver.example:22", "receiver.example:0"} {
		host, _, _ := net.SplitHostPort(address)
		g := guard(t, outbound.Config{Resolver: names{host: {"8.8.8.8"}}})
		if _, err := g.DialContext(ctx, "tcp", address); !isRefused(err) {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
}

func TestClient_ChecksBeforeItSends(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{Resolver: names{}})
	for _, address := range []string{"ftp://good.example:80/", "http:good.example", "gopher://good.example:80/"} {
		if _, err := get(g.Client(outbound.Options{}), address); !isRefused(err) {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
}

func TestDial_OtherNetworksAreRefused(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{Allow: []string{"localhost:53"}})
	for _, network := range []string{"udp", "unix", "ip4:icmp"} {
		if _, err := g.DialContext(context.Background(), network, "localhost:53"); !isRefused(err) {
			t.Errorf("%s: %v", network, err)
		}
	}
	if _, err := g.DialContext(context.Background(), "tcp", "no port"); !isRefused(err) {
		t.Errorf("no port: %v", err)
	}
}

// blocked is a name server that never answers.
type blocked struct{}

func (blocked) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, &net.DNSError{Err: "i/o timeout", IsTimeout: true, UnwrapErr: ctx.Err()}
}

func TestClient_ConnectTimeCoversTheLookup(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{Resolver: blocked{}})
	_, err := get(g.Client(outbound.Options{Connect: 20 * time.Millisecond}), "http://receiver.example/")
	var failure *outbound.Failure
	if !errors.As(err, &failure) || !failure.Timeout() || failure.Reason() != "the host name could not be resolved" {
		t.Errorf("got %v", err)
	}
}

// TestDial_unresolvable: names that belong to nobody are names that cannot be resolved, whatever a resolver says, unless the operator has opened them.
func TestDial_unresolvable(t *testing.T) {
	t.Parallel()
	resolver := names{"a.test": {"8.8.8.8"}, "b.invalid": {"8.8.8.8"}, "A.TEST.": {"8.8.8.8"}}
	g := guard(t, outbound.Config{Resolver: resolver})
	for _, host := range []string{"a.test", "b.invalid", "A.TEST.", "c.b.INVALID", "test.", "nothing.test"} {
		if _, err := g.CheckURL("http://x." + host + "/"); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		_, err := g.DialContext(t.Context(), "tcp", "x."+host+":80")
		var dns *net.DNSError
		if !errors.As(err, &dns) || !dns.IsNotFound || isRefused(err) {
			t.Errorf("%s: %v, want a name that is not found", host, err)
		}
		_, err = get(g.Client(outbound.Options{}), "http://x."+host+"/")
		var failure *outbound.Failure
		if !errors.As(err, &failure) || failure.Reason() != "the host name could not be resolved" {
			t.Errorf("%s: %v", host, err)
		}
	}
	listener := listen(t, hello)
	opened := guard(t, outbound.Config{Resolver: names{"dev.test": {"127.0.0.1"}}, Allow: []string{"dev.test:" + listener.port}})
	conn, err := opened.DialContext(t.Context(), "tcp", "dev.test:"+listener.port)
	if err != nil {
		t.Fatalf("a name that the operator has opened: %v", err)
	}
	_ = conn.Close()
}

func TestClient_EnvironmentProxyIsNotUsed(t *testing.T) {
	proxy := listen(t, hello)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	g := guard(t, outbound.Config{Resolver: names{}})
	for _, address := range []string{"http://receiver.example/", "https://receiver.example/"} {
		if _, err := get(g.Client(outbound.Options{}), address); err == nil {
			t.Errorf("%s got an answer", address)
		}
	}
	if proxy.hits.Load() != 0 {
		t.Error("the proxy of the environment was used")
	}
}

func TestClient_HeaderAndBodyAreBounded(t *testing.T) {
	t.Parallel()
	server := listen(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/headers" {
			for i := range 200 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("a", 1000))
			}
		}
		w.Header().Set("X-Encoding", r.Header.Get("Accept-Encoding"))
	})
	host := "receiver.example:" + server.port
	g := guard(t, outbound.Config{Allow: []string{host}, Resolver: names{"receiver.example": {"127.0.0.1"}}})
	client := g.Client(outbound.Options{})
	if _, err := get(client, "http://"+host+"/headers"); err == nil {
		t.Error("200 kB of header are read")
	}
	r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+host+"/", nil)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("X-Encoding"); got != "identity" {
		t.Errorf("Accept-Encoding is %q", got)
	}
}

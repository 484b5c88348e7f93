package outbound_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"moviola/adapters/outbound"
)

// chain redirects /k to /k+1 and, at the last hop, to a target. It remembers what it was told about the hops before.
func chain(t *testing.T, hops int, target string) (*counted, *[]string) {
	t.Helper()
	var told []string
	server := listen(t, func(w http.ResponseWriter, r *http.Request) {
		told = append(told, r.Header.Get("Referer")+r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "canary"})
		k, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		switch {
		case k < hops:
			http.Redirect(w, r, fmt.Sprintf("/%d?secret=canary", k+1), http.StatusFound)
		case target != "":
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
	return server, &told
}

func clientFor(t *testing.T, server *counted, o outbound.Options) (*http.Client, string) {
	t.Helper()
	host := "receiver.example:" + server.port
	g := guard(t, outbound.Config{Allow: []string{host}, Resolver: names{"receiver.example": {"127.0.0.1"}, "evil.example": {"127.0.0.1"}}})
	return g.Client(o), "http://" + host
}

func TestClient_FollowsFiveRedirects(t *testing.T) {
	t.Parallel()
	for hops, wantErr := range map[int]bool{0: false, 1: false, outbound.MaxRedirects: false, outbound.MaxRedirects + 1: true, 21: true} {
		server, told := chain(t, hops, "")
		client, base := clientFor(t, server, outbound.Options{Follow: true})
		status, err := get(client, base+"/0?secret=canary")
		if (err != nil) != wantErr || err != nil && !isRefused(err) {
			t.Errorf("%d hops: %d, %v", hops, status, err)
		}
		if leaked := strings.Join(*told, ""); leaked != "" {
			t.Errorf("%d hops: a hop was told %q of the one before", hops, leaked)
		}
		if got := server.hits.Load(); got > outbound.MaxRedirects+1 {
			t.Errorf("%d hops: %d requests were made", hops, got)
		}
	}
}

func TestClient_EveryHopIsChecked(t *testing.T) {
	t.Parallel()
	inside := listen(t, hello)
	targets := []string{
		inside.URL, "http://localhost:" + inside.port, "http://evil.example:" + inside.port, "//127.0.0.1:" + inside.port,
		"http://2130706433:" + inside.port, "http://[::ffff:127.0.0.1]:" + inside.port, "file:///etc/passwd", "data:text/plain,x",
		"ftp://receiver.example/", "http://receiver.example:22/", "http:///nothing", "http://user@127.0.0.1:" + inside.port,
	}
	for hop := range outbound.MaxRedirects {
		for _, target := range targets {
			server, _ := chain(t, hop, target)
			client, base := clientFor(t, server, outbound.Options{Follow: true})
			if _, err := get(client, base+"/0"); err == nil {
				t.Errorf("hop %d to %s: no error", hop+1, target)
			}
		}
	}
	if hits := inside.hits.Load(); hits != 0 {
		t.Errorf("the listener inside saw %d requests", hits)
	}
}

func TestClient_DoesNotLeaveTLS(t *testing.T) {
	t.Parallel()
	plain := listen(t, hello)
	host := "receiver.example:" + plain.port
	g := guard(t, outbound.Config{Allow: []string{host}})
	policy := g.Client(outbound.Options{Follow: true}).CheckRedirect
	secure := httptest.NewRequest(http.MethodGet, "https://receiver.example/a", nil)
	next := httptest.NewRequest(http.MethodGet, "http://"+host+"/b", nil)
	if err := policy(next, []*http.Request{secure}); !isRefused(err) {
		t.Errorf("from https to http: %v", err)
	}
	if err := policy(secure, []*http.Request{next}); err != nil {
		t.Errorf("from http to https: %v", err)
	}
}

func TestClient_WithoutFollowTheRedirectIsTheAnswer(t *testing.T) {
	t.Parallel()
	inside := listen(t, hello)
	server, _ := chain(t, 0, inside.URL)
	client, base := clientFor(t, server, outbound.Options{})
	if status, err := get(client, base+"/0"); err != nil || status != http.StatusTemporaryRedirect {
		t.Errorf("%d, %v", status, err)
	}
	if inside.hits.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

// Whatever goes wrong, the error shows scheme and host only.
func TestClient_ErrorsShowNoSecret(t *testing.T) {
	t.Parallel()
	raw := func(serve func(net.Conn)) string { return rawServer(t, serve) }
	tlsServer := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	redirecting := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://canary:canary@127.0.0.1:1/canary?canary")
		w.WriteHeader(http.StatusFound)
	})
	tests := []struct {
		name, scheme, hostPort, want string
	}{
		{"connection refused", "http", closedPort(t), "connection refused"},
		{"closed without an answer", "http", raw(func(c net.Conn) { c.Close() }), "the connection was closed without an answer"},
		{"reset", "http", raw(func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); c.Close() }), "the connection was closed without an answer"},
		{"garbage", "http", raw(func(c net.Conn) { _, _ = fmt.Fprint(c, "canary canary canary\r\n\r\n"); c.Close() }), "the request failed"},
		{"TLS on a plain port", "https", raw(func(c net.Conn) { _, _ = fmt.Fprint(c, "HTTP/1.0 200 canary\r\n\r\n"); c.Close() }), "the TLS handshake failed"},
		{"certificate", "https", tlsServer.Listener.Addr().String(), "the TLS certificate is not valid"},
		{"no such host", "http", "nowhere.example:80", "the host name could not be resolved"},
		{"private", "http", "inside.example:80", "the host is not a public address"},
		{"redirect to a private host", "http", redirecting.Listener.Addr().String(), "port 1 may not be called"},
	}
	for _, tt := range tests {
		g := guard(t, outbound.Config{Allow: []string{tt.hostPort}, Resolver: names{"inside.example": {"127.0.0.1"}}})
		if tt.name == "private" || tt.name == "no such host" {
			g = guard(t, outbound.Config{Resolver: names{"inside.example": {"127.0.0.1"}}})
		}
		_, err := get(g.Client(outbound.Options{Follow: true}), tt.scheme+"://canary:canary@"+tt.hostPort+"/canary?canary=canary#canary")
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		var reasoned interface{ Reason() string }
		if !errors.As(err, &reasoned) || reasoned.Reason() != tt.want {
			t.Errorf("%s: %v, want the reason %q", tt.name, err, tt.want)
		}
		if tt.name != "redirect to a private host" && err.Error() != tt.scheme+"://"+tt.hostPort+": "+tt.want {
			t.Errorf("%s: the error does not show scheme and host: %v", tt.name, err)
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error gives a secret away: %v", tt.name, err)
		}
	}
}

// rawServer answers connections by hand and returns its host:port.
func rawServer(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			// Reading first keeps the kernel from answering with a reset.
			buffer := make([]byte, 4096)
			_, _ = conn.Read(buffer)
			serve(conn)
		}
	}()
	return listener.Addr().String()
}

// closedPort is an address that nobody listens on: of this host's many, it is one of which nobody is given a port.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.3:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

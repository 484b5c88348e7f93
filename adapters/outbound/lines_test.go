package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/adapters/outbound"
)

// What looks like an ISATAP address and is none stays reachable.
func TestPublic_AlmostISATAP(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{
		"2606:2800:220:1:100:5efe:7f00:1", "2606:2800:220:1:201:5efe:7f00:1", "2606:2800:220:1:0:5efd:7f00:1",
		"2606:2800:220:1:0:5ffe:7f00:1", "2606:2800:220:1:1:5efe:7f00:1",
	} {
		if !outbound.Public(netip.MustParseAddr(addr)) {
			t.Errorf("%s is refused", addr)
		}
	}
}

func TestDialContext_Networks(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	g := guard(t, outbound.Config{Allow: []string{listener.Addr().String()}})
	for _, network := range []string{"tcp", "tcp4"} {
		conn, err := g.DialContext(t.Context(), network, listener.Addr().String())
		if err != nil {
			t.Errorf("%s: %v", network, err)
			continue
		}
		conn.Close()
	}
	if _, err := g.DialContext(t.Context(), "tcp6", listener.Addr().String()); isRefused(err) || err == nil {
		t.Errorf("tcp6: %v", err)
	}
	for _, network := range []string{"udp", "unix", "ip", ""} {
		if _, err := g.DialContext(t.Context(), network, listener.Addr().String()); !isRefused(err) {
			t.Errorf("%q: %v", network, err)
		}
	}
	for _, address := range []string{"", "nonsense", "a:b:c"} {
		if _, err := g.DialContext(t.Context(), "tcp", address); err == nil || err.Error() != "the address has no host and port" {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// The addresses of this host are nobody's to reach, public as they may be. Decision 8.
func TestGuard_OwnAddresses(t *testing.T) {
	t.Parallel()
	reads := 0
	g := guard(t, outbound.Config{
		Resolver: names{"me.example": {"8.8.8.8"}, "six.example": {"2606:2800:220:1::9"}},
		Own: func() ([]netip.Addr, error) {
			reads++
			if reads > 1 {
				return nil, errors.New("no more")
			}
			return []netip.Addr{netip.MustParseAddr("::ffff:8.8.8.8"), netip.MustParseAddr("2606:2800:220:1::9")}, nil
		},
	})
	for _, address := range []string{"8.8.8.8:443", "me.example:443", "six.example:443", "[2606:2800:220:1::9]:443", "[::ffff:8.8.8.8]:443"} {
		if _, err := g.DialContext(t.Context(), "tcp", address); !isRefused(err) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := g.CheckURL("https://8.8.8.8/"); !isRefused(err) {
		t.Errorf("its address in a URL: %v", err)
	}
	if _, err := g.CheckURL("https://8.8.4.4/"); err != nil {
		t.Errorf("another address: %v", err)
	}
}

func TestGuard_Self(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{Self: "Video.example:443"})
	for raw, refused := range map[string]bool{
		"https://video.example/v2/x": true, "https://VIDEO.example.:443/": true, "https://video.example:444/": false, "http://video.example/": false, "https://www.video.example/": false,
	} {
		if _, err := g.CheckURL(raw); isRefused(err) != refused {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, err := outbound.NewGuard(outbound.Config{Self: "video.example"}); err == nil {
		t.Error("an own address without port is accepted")
	}
}

// Everything a name may end with that is never public.
func TestCheckURL_ReservedNames(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{})
	for _, suffix := range strings.Fields("localhost localdomain local internal intranet lan home.arpa onion") {
		for _, host := range []string{"a." + suffix, "A.b." + strings.ToUpper(suffix), "a." + suffix + "."} {
			if _, err := g.CheckURL("http://" + host + "/"); !isRefused(err) {
				t.Errorf("%s is let through", host)
			}
		}
		if _, err := g.CheckURL("http://a.not" + suffix + "/"); err != nil && suffix != "home.arpa" {
			t.Errorf("a name that ends with not%s: %v", suffix, err)
		}
	}
}

// The ports of other protocols, those that browsers refuse among them.
func TestCheckURL_Ports(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{Resolver: names{"a.example": {"8.8.8.8"}}})
	for _, text := range strings.Fields(`1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139
		143 161 179 389 427 445 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 2113 2375 2376 2379
		3306 3659 4045 4190 5060 5061 5432 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 9200 9300 10080 11211 27017`) {
		if _, err := g.CheckURL("http://a.example:" + text + "/"); !isRefused(err) {
			t.Errorf("port %s is let through", text)
		}
		home, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		// A protocol may call where it is at home, and nowhere else.
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.Dialer(outbound.DialOptions{Ports: []int{home}})(ended, "tcp", "8.8.8.8:"+text); isRefused(err) || err == nil {
			t.Errorf("port %s at home: %v", text, err)
		}
		if _, err := g.Dialer(outbound.DialOptions{Ports: []int{home + 1}})(ended, "tcp", "8.8.8.8:"+text); !isRefused(err) {
			t.Errorf("port %s from abroad: %v", text, err)
		}
	}
	for _, port := range []string{"80", "443", "81", "8080", "8443", "65535"} {
		if _, err := g.CheckURL("http://a.example:" + port + "/"); err != nil {
			t.Errorf("port %s: %v", port, err)
		}
	}
}

// From https to https is no way down.
func TestClient_FollowsToHTTPS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/there" {
			http.Redirect(w, r, "/there", http.StatusFound)
		}
	}))
	defer server.Close()
	g := guard(t, outbound.Config{Allow: []string{server.Listener.Addr().String()}})
	client := g.Client(outbound.Options{Follow: true, Roots: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	status, err := get(client, server.URL+"/here")
	if err != nil || status != http.StatusOK {
		t.Errorf("%d, %v", status, err)
	}
	client.CloseIdleConnections()
}

// A connection of Dialer ends when nothing passes, and with its context.
func TestDialer_Ends(t *testing.T) {
	t.Parallel()
	address := rawServer(t, func(net.Conn) {})
	g := guard(t, outbound.Config{Allow: []string{address}})
	conn, err := g.Dialer(outbound.DialOptions{Idle: 50 * time.Millisecond, Connect: time.Second})(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Read(make([]byte, 1))
	if why, known := outbound.Explain(err); why != "no answer in time" || !known {
		t.Errorf("silence ends with %v (%s)", err, why)
	}
	conn.Close()
	ctx, cancel := context.WithCancel(t.Context())
	if conn, err = g.Dialer(outbound.DialOptions{})(ctx, "tcp", address); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err = conn.Read(make([]byte, 1)); err == nil {
		t.Error("a connection outlives its context")
	}
	if _, err = g.Dialer(outbound.DialOptions{})(t.Context(), "tcp", closedPort(t)); !isRefused(err) {
		t.Errorf("a closed door: %v", err)
	}
	if why, known := outbound.Explain(errors.New("550 no")); known || why == "" {
		t.Errorf("what is not the network's: %q, %v", why, known)
	}
}

// The edges of what a host may be written in, and the reasons that are told.
func TestCheckURL_Edges(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{})
	for _, raw := range []string{"http://\U00020000.example/", "http://\u3105.example/", "http://e\u0301xample.com/", "http://\u00fc.example/"} {
		if _, err := g.CheckURL(raw); err != nil {
			t.Errorf("%q is refused: %v", raw, err)
		}
	}
	for raw, says := range map[string]string{
		"http:///x": "the address has no host", "http:127.0.0.1": "the address has no host", "http://home.arpa/": "the host is not a public address",
		"http://\u2113ocalhost.com/": "the host name is not valid", "http://\uff4cocalhost.com/": "the host name is not valid",
		"http://\U0001d425ocal.com/": "the host name is not valid", "http://good.example:0/": "the port is not valid", "http://\u00adgood.example/": "the host name is not valid",
	} {
		_, err := g.CheckURL(raw)
		var refused *outbound.Refused
		if !errors.As(err, &refused) || refused.Reason() != says {
			t.Errorf("%q: %v, want %q", raw, err, says)
		}
	}
}

//go:build !race

package browser_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/adapters/outbound"
)

// ground is what attempts are made on: sinks that nobody may reach, a file that nobody may see, and a server that is allowed.
type ground struct {
	*sinks
	origin *httptest.Server // as localhost, which is a secure context
	names  *names
	file   string
	pool   *browser.Pool
	open   bool // the sinks are allowed

	mu    sync.Mutex
	html  string   // of the page that the server has
	asked []string // of the guard
}

// newGround opens a browser at a level. With open sinks the guard lets pages through to them.
func newGround(t *testing.T, level int, openSinks bool) *ground {
	t.Helper()
	g := &ground{sinks: newSinks(t), names: &names{}, open: openSinks}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g.file = filepath.Join(dir, "canary.png")
	if err := os.WriteFile(g.file, canaryPNG(), 0o644); err != nil {
		t.Fatal(err)
	}
	g.origin = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.origin.Close)
	allow := []string{g.address()}
	if openSinks {
		allow = append(allow, g.hosts...)
		for _, port := range g.ports {
			allow = append(allow, fmt.Sprintf("127.0.0.1:%d", port))
		}
	}
	guard, err := outbound.NewGuard(outbound.Config{Resolver: g.names, Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	g.pool = open(t, browser.Config{Browsers: 1, Limit: 20 * time.Second, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		g.mu.Lock()
		if address != g.address() {
			g.asked = append(g.asked, address)
		}
		g.mu.Unlock()
		return guard.DialContext(ctx, network, address)
	}})
	g.pool.SetLevel(level)
	return g
}

func (g *ground) address() string {
	return fmt.Sprintf("localhost:%d", g.origin.Listener.Addr().(*net.TCPAddr).Port)
}

func (g *ground) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	html := g.html
	g.mu.Unlock()
	for _, name := range []string{"Report-To", "Reporting-Endpoints", "NEL"} {
		w.Header().Set(name, fmt.Sprintf(`{"group":"default","report_to":"default","max_age":9,"failure_fraction":1,"success_fraction":1,"endpoints":[{"url":"http://%s/r"}]}`, g.hosts[0]))
	}
	switch r.URL.Path {
	case "/redirect":
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	case "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprintf(w, `oninstall = e => e.waitUntil(Promise.all(%s.map(h => fetch("http://" + h + "/sw", {mode: "no-cors"}).catch(() => 0))))`, g.list())
	case "/missing":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, html)
	}
}

// list is the sinks' addresses as JavaScript has lists.
func (g *ground) list() string {
	raw, _ := json.Marshal(g.hosts) // strings always encode
	return string(raw)
}

// marker is a box that turns green when a script says ran().
const marker = `<div id=marker style="position:fixed;left:0;top:0;width:9px;height:9px"></div><script>const ran = () => { marker.style.background = 'rgb(0,200,0)' }</script>`

// mayPacket is what may send packets over UDP.
var mayPacket = regexp.MustCompile(`RTCPeerConnection|WebTransport`)

var saysSo = regexp.MustCompile(`\bran\b`)

// pages are those of an attempt.
func (g *ground) pages(a attempt) []string {
	ports, _ := json.Marshal(g.ports) // numbers always encode
	fill := strings.NewReplacer("HOSTS", g.list(), "PORTS", string(ports), "PORT", fmt.Sprint(g.ports[0]), "ORIGIN", g.address(),
		"FILE", "file://"+g.file, "DIR", "file://"+filepath.Dir(g.file)+"/")
	html := fill.Replace(a.html)
	var pages []string
	for _, host := range g.hosts {
		pages = append(pages, strings.ReplaceAll(html, "HOST", host))
	}
	switch {
	case a.alone:
		for i := range pages {
			pages[i] = marker + pages[i]
		}
		return pages
	case strings.Contains(html, "HOST"):
		return []string{marker + strings.Join(pages, "\n")}
	}
	return []string{marker + html}
}

// try shows the pages of an attempt and returns the last picture, what came to the sinks and whom the guard was asked for.
func (g *ground) try(t *testing.T, a attempt) (picture *image.NRGBA, came map[string]int, asked []string) {
	t.Helper()
	for _, html := range g.pages(a) {
		page := browser.Page{HTML: html, Width: 320, Height: 240, Wait: 300 * time.Millisecond}
		if a.served {
			g.mu.Lock()
			g.html = html
			g.mu.Unlock()
			page.HTML, page.URL = "", "http://"+g.address()+"/page"
		}
		shown, err := g.pool.Still(t.Context(), page)
		if err != nil {
			t.Logf("%.60s: %v", html, err) // where a page leads to what cannot be reached, there is no picture
			continue
		}
		picture = shown
		if !g.open && showsCanary(picture) {
			t.Errorf("a canary is in the picture of %s", html)
		}
		if g.open && g.reached() {
			break // what works for one address works: the others are tried where none may be reached
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	asked, g.asked = g.asked, nil
	return picture, g.seen(), asked
}

// Reliability §5 H1: whatever a page tries, nothing but the guard is reached, with a network and without.
func TestEgress_PagesReachNothingButTheGuard(t *testing.T) {
	t.Parallel()
	// On the strictest level there is no network; on the other one only Chromium's own flags keep pages off it.
	for _, level := range []int{jailedLevel(), bareLevel()} {
		t.Run(browser.Levels()[level], func(t *testing.T) {
			g := newGround(t, level, false)
			for _, a := range attempts {
				t.Run(a.name, func(t *testing.T) { g.mustFail(t, a) })
			}
			if got := g.pool.Level(); got != level {
				t.Errorf("the browser runs at %q", browser.Levels()[got])
			}
			if late := g.seen(); len(late) > 0 {
				t.Errorf("came late to the sinks: %v", late)
			}
			if n := g.pool.Uninvited(); n > 0 {
				t.Errorf("the browser asked for %d things by itself", n)
			}
		})
	}
}

// mustFail makes an attempt and looks at everything that it may not reach. On a busy machine it is made again until the page has come
// to its end.
func (g *ground) mustFail(t *testing.T, a attempt) {
	t.Helper()
	named := strings.Join(g.pages(a), "") + g.list() + " 127.0.0.1 ::1 0.0.0.0 :: ::ffff:7f00:1" // as the browser writes what the rows write otherwise
	eventually(t, "the attempt is made", func() bool {
		picture, came, asked := g.try(t, a)
		if len(came) > 0 {
			t.Errorf("the sinks were reached: %v", came)
		}
		for _, address := range asked {
			if host, _, err := net.SplitHostPort(address); err != nil || !strings.Contains(named, host) {
				t.Errorf("the page did not name %q", address)
			}
		}
		ended := picture != nil && at(picture, 4, 4) == "0,200,0,255"
		return (ended || !saysSo.MatchString(a.html)) && (len(asked) > 0 || !a.asks)
	})
}

// The same attempts do reach the sinks when the guard lets them through: scripts, sinks and canaries work.
func TestEgress_WhatTheGuardAllowsIsReached(t *testing.T) {
	t.Parallel()
	g := newGround(t, jailedLevel(), true)
	for _, a := range attempts {
		if !a.gets && !mayPacket.MatchString(a.html) {
			continue // nothing of it arrives in any case
		}
		t.Run(a.name, func(t *testing.T) {
			eventually(t, "what is allowed is reached", func() bool {
				_, came, _ := g.try(t, a)
				for where := range came {
					if strings.HasPrefix(where, "udp") {
						t.Errorf("a packet came to %s", where)
					}
				}
				return len(came) > 0 || !a.gets
			})
		})
	}
	for _, html := range []string{
		`<img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(canaryPNG()) + `">`,
		`<style>@font-face { font-family: f; src: url(http://HOST/font.ttf) }</style>
		<script>document.fonts.load("20px f").then(all => all.length && (document.body.style.background = "#f0f"))</script>`,
		`<img src="http://HOST/img">`, `<iframe src="http://HOST/page"></iframe>`, `<style>body{background:url(http://HOST/bg)}</style>`,
		`<script>location = "http://HOST/page"</script>`, `<script>new Image().onload = e => document.body.append(e.target)</script><img src="http://HOST/x">`,
	} {
		page := browser.Page{HTML: strings.ReplaceAll(html, "HOST", g.hosts[0]), Width: 320, Height: 240, Wait: 300 * time.Millisecond}
		eventually(t, "a canary shows in "+html, func() bool {
			shown, err := g.pool.Still(t.Context(), page) // a busy machine may need longer than the page has
			return err == nil && showsCanary(shown)
		})
	}
}

// names knows a few names, all of which lead where nobody may go.
type names struct {
	mu    sync.Mutex
	flips int
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	loopback := netip.MustParseAddr("127.0.0.1")
	switch host {
	case "localhost", "inside.example":
		return []netip.Addr{loopback}, nil
	case "mapped.example":
		return []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, nil
	case "mixed.example":
		return []netip.Addr{netip.MustParseAddr("1.1.1.1"), loopback}, nil
	case "flip.example":
		if n.flips++; n.flips%2 == 0 {
			return []netip.Addr{loopback}, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

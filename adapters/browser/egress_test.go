package browser_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/adapters/outbound"
)

// canary is a colour that no page of these tests has by itself.
var canary = color.NRGBA{R: 255, B: 255, A: 255}

// showsCanary says whether a picture contains the canary's colour, or something close to it.
func showsCanary(picture *image.NRGBA) bool {
	for i := 0; i < len(picture.Pix); i += 4 {
		p := picture.Pix[i : i+4]
		if p[0] > 200 && p[1] < 60 && p[2] > 200 && p[3] > 60 {
			return true
		}
	}
	return false
}

// sink counts who comes to an address on this machine's loopback, and answers with canaries.
type sink struct {
	port int
	hits atomic.Int64
}

func canaryPNG(t *testing.T) []byte {
	t.Helper()
	square := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(square, square.Bounds(), image.NewUniform(canary), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, square); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newSink listens on one port of 127.0.0.1 and [::1], over TCP and UDP.
func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{}
	picture := canaryPNG(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "page") {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<body style="background:#f0f">`)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write(picture)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.hits.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	s.port = server.Listener.Addr().(*net.TCPAddr).Port
	for _, host := range []string{"127.0.0.1", "::1"} {
		udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(host), Port: s.port})
		if err != nil {
			t.Logf("no UDP sink on %s: %v", host, err)
			continue
		}
		t.Cleanup(func() { _ = udp.Close() })
		go func() {
			for {
				if _, _, err := udp.ReadFrom(make([]byte, 64)); err != nil {
					return
				}
				s.hits.Add(1)
			}
		}()
	}
	return s
}

// vectors are the ways in which pages reach for what is not theirs. HOST is 127.0.0.1:port of a sink, PORT its port, FILE the
// address of a picture on disk, DIR of its folder.
var vectors = []string{
	`<img src="http://HOST/img"><img src="//HOST/img2"><img srcset="http://HOST/set 1x, http://HOST/set2 2x">`,
	`<img src="http://localhost:PORT/l"><img src="http://[::1]:PORT/6"><img src="http://0.0.0.0:PORT/0"><img src="http://[::ffff:127.0.0.1]:PORT/m">`,
	`<img src="http://2130706433:PORT/d"><img src="http://0x7f.1:PORT/x"><img src="http://127.1:PORT/s"><img src="http://0177.0.0.1:PORT/o">`,
	`<img src="http://169.254.169.254/latest/meta-data"><img src="http://10.0.0.1/"><img src="http://metadata.google.internal/">`,
	`<iframe src="http://HOST/page" width=200 height=200></iframe><iframe srcdoc="<img src='http://HOST/in'>"></iframe>`,
	`<object data="http://HOST/obj" width=99 height=99></object><embed src="http://HOST/emb"><frameset><frame src="http://HOST/page"></frameset>`,
	`<style>@import url(http://HOST/css); body { background: url(http://HOST/bg); cursor: url(http://HOST/cur), auto }
	@font-face { font-family: f; src: url(http://HOST/font) } p { font-family: f }</style><p>text</p>`,
	`<link rel=stylesheet href="http://HOST/l"><link rel=icon href="http://HOST/i"><link rel=manifest href="http://HOST/mf">`,
	`<link rel=prefetch href="http://HOST/p"><link rel=preconnect href="http://HOST"><link rel=dns-prefetch href="//intern.example">
	<link rel=modulepreload href="http://HOST/m"><link rel=preload as=image href="http://HOST/pl"><link rel=prerender href="http://HOST/pr">`,
	`<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://HOST/s"]}],"prerender":[{"source":"list","urls":["http://HOST/r"]}]}</script>`,
	`<svg width=99 height=99><image href="http://HOST/svg" width=99 height=99 /><use href="http://HOST/use#a" /></svg>`,
	`<video src="http://HOST/v" autoplay></video><audio src="http://HOST/a" autoplay></audio><video poster="http://HOST/po"><track src="http://HOST/t" default></video>`,
	`<script src="http://HOST/js"></script><script type=module>import "http://HOST/mod"</script><script>importScripts?.("http://HOST/is")</script>`,
	`<script>fetch("http://HOST/f"); fetch("http://HOST/nc", {mode: "no-cors", keepalive: true}); navigator.sendBeacon("http://HOST/b", "x");
	const x = new XMLHttpRequest(); x.open("GET", "http://HOST/x"); x.send(); new EventSource("http://HOST/es")</script>`,
	`<script>new WebSocket("ws://HOST/ws"); new WebSocket("wss://HOST/wss"); try { new WebTransport("https://HOST/wt") } catch {}</script>`,
	`<script>const code = 'fetch("http://HOST/w").catch(() => 0); try { importScripts("http://HOST/wi") } catch {}; new WebSocket("ws://HOST/ww")';
	const u = URL.createObjectURL(new Blob([code])); new Worker(u); try { new SharedWorker(u) } catch {}; navigator.serviceWorker?.register(u).catch(() => 0)</script>`,
	`<script>for (const ice of [{urls: "stun:127.0.0.1:PORT"}, {urls: "turn:127.0.0.1:PORT?transport=udp", username: "a", credential: "b"},
	{urls: "turn:127.0.0.1:PORT?transport=tcp", username: "a", credential: "b"}, {urls: "stun:localhost:PORT"}, {urls: "stun:[::1]:PORT"}]) {
	const c = new RTCPeerConnection({iceServers: [ice]}); c.createDataChannel("d"); c.createOffer().then(o => c.setLocalDescription(o)) }</script>`,
	`<form id=f action="http://HOST/page" method=post><input name=a></form><script>f.submit()</script>`,
	`<script>location = "http://HOST/page"</script>`,
	`<meta http-equiv=refresh content="0;url=http://HOST/page">`,
	`<script>open("http://HOST/page"); open("http://HOST/page", "_self")</script>`,
	`<a id=a href="data:text/html,x" ping="http://HOST/ping" target=_blank>x</a><a id=b href="http://HOST/page" download>x</a><script>a.click(); b.click()</script>`,
	`<meta http-equiv=Content-Security-Policy content="img-src 'none'; report-uri http://HOST/csp"><img src="http://HOST/x">`,
	`<base href="http://HOST/"><img src="relative"><iframe src="page"></iframe>`,
	`<iframe src="FILE" width=300 height=200></iframe><img src="FILE"><object data="FILE" width=99 height=99></object><embed src="FILE">`,
	`<iframe src="DIR" width=300 height=200></iframe><iframe src="view-source:FILE"></iframe><iframe src="filesystem:FILE"></iframe>`,
	`<meta http-equiv=refresh content="0;url=FILE">`,
	`<script>location = "FILE"</script>`,
	`<script>open("FILE", "_self"); location.href = "view-source:FILE"; fetch("FILE"); new Worker("FILE")</script>`,
	`<style>@import url(FILE); body { background: url(FILE) } @font-face { font-family: f; src: url(FILE) }</style>`,
	`<svg width=99 height=99><image href="FILE" width=99 height=99 /><foreignObject width=99 height=99><img xmlns="http://www.w3.org/1999/xhtml" src="FILE" /></foreignObject></svg>`,
	`<iframe src="chrome://version" width=300 height=200></iframe><iframe src="devtools://devtools/bundled/inspector.html"></iframe><iframe src="chrome-extension://x/"></iframe>`,
	`<iframe src="data:text/html,<img src='http://HOST/data'><iframe src='FILE'></iframe>" width=300 height=200></iframe>`,
	`<iframe src="javascript:'<img src=FILE><img src=http://HOST/j>'" width=300 height=200></iframe>`,
	`<script>const u = URL.createObjectURL(new Blob(['<img src="FILE"><img src="http://HOST/blob">'], {type: 'text/html'})); location = u</script>`,
	`<script>WebAssembly.compileStreaming(fetch("http://HOST/wasm")).catch(() => 0); new Image().src = "http://HOST/i"; document.write('<script src="http://HOST/dw"><\/script>')</script>`,
	`<fencedframe src="http://HOST/page"></fencedframe><portal src="http://HOST/page"></portal><script>navigator.credentials?.get({}).catch(() => 0)</script>`,
	`<script>for (let p = 9220; p < 9240; p++) fetch("http://127.0.0.1:" + p + "/json", {mode: "no-cors"}).catch(() => 0)</script>`,
	`<?xml-stylesheet type="text/xsl" href="http://HOST/xsl"?><math href="http://HOST/math"><mi>x</mi></math>`,
	`<script>new ReportingObserver(() => 0).observe(); navigator.setAppBadge?.(); new PushManager?.()</script><link rel=search href="http://HOST/os">`,
}

// Reliability H1: whatever a page tries, nothing but the guard is reached, with a network and without.
func TestEgress_PagesReachNothingButTheGuard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "canary.png")
	if err := os.WriteFile(file, canaryPNG(t), 0o644); err != nil {
		t.Fatal(err)
	}
	// On the strictest level there is no network; on the other one only Chromium's own flags keep pages off it.
	for _, i := range []int{jailedLevel(), bareLevel()} {
		t.Run(browser.Levels()[i], func(t *testing.T) {
			target := newSink(t)
			guard, err := outbound.NewGuard(outbound.Config{Resolver: nowhere{}})
			if err != nil {
				t.Fatal(err)
			}
			var asked atomic.Int64
			pool := open(t, browser.Config{Browsers: 1, Limit: 10 * time.Second, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				asked.Add(1)
				return guard.DialContext(ctx, network, address)
			}})
			pool.SetLevel(i)
			fill := strings.NewReplacer("HOST", fmt.Sprintf("127.0.0.1:%d", target.port), "PORT", fmt.Sprint(target.port),
				"FILE", "file://"+file, "DIR", "file://"+dir+"/")
			for _, vector := range vectors {
				picture, err := pool.Still(t.Context(), browser.Page{HTML: fill.Replace(vector), Width: 320, Height: 240, Wait: 300 * time.Millisecond})
				if err != nil {
					t.Logf("%.60s: %v", vector, err)
					continue
				}
				if showsCanary(picture) {
					t.Errorf("a canary is in the picture of %s", vector)
				}
			}
			if got := pool.Level(); got != i {
				t.Errorf("the browser runs at %q", browser.Levels()[got])
			}
			if n := target.hits.Load(); n > 0 {
				t.Errorf("the sink was reached %d times", n)
			}
			if n := asked.Load(); n < 40 {
				t.Errorf("the guard was asked only %d times: the pages did not try", n)
			}
			if n := pool.Uninvited(); n > 0 {
				t.Errorf("the browser asked for %d things by itself", n)
			}
		})
	}
}

// nowhere knows no names.
type nowhere struct{}

func (nowhere) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if host == "localhost" {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// The sinks and canaries of the other tests are seen when the guard lets pages through.
func TestEgress_WhatTheGuardAllowsIsReached(t *testing.T) {
	t.Parallel()
	target := newSink(t)
	allowed := fmt.Sprintf("127.0.0.1:%d", target.port)
	guard, err := outbound.NewGuard(outbound.Config{Allow: []string{allowed}})
	if err != nil {
		t.Fatal(err)
	}
	pool := open(t, browser.Config{Dial: guard.DialContext})
	for _, html := range []string{
		`<img src="http://HOST/img">`, `<iframe src="http://HOST/page"></iframe>`, `<style>body{background:url(http://HOST/bg)}</style>`,
		`<script>location = "http://HOST/page"</script>`, `<script>new Image().onload = e => document.body.append(e.target)</script><img src="http://HOST/x">`,
	} {
		page := browser.Page{HTML: strings.ReplaceAll(html, "HOST", allowed), Width: 320, Height: 240, Wait: 300 * time.Millisecond}
		if !showsCanary(still(t, pool, page)) {
			t.Errorf("%s shows nothing", html)
		}
	}
	if target.hits.Load() == 0 {
		t.Error("the sink saw nobody")
	}
}

// endless serves zeroes without an end, and counts them.
func endless(t *testing.T, header http.Header, chunk []byte) (address string, sent *atomic.Int64) {
	t.Helper()
	sent = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		for r.Context().Err() == nil {
			n, err := w.Write(chunk)
			sent.Add(int64(n))
			if err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, sent
}

func TestEgress_BytesAreBounded(t *testing.T) {
	t.Parallel()
	address, sent := endless(t, http.Header{"Content-Type": {"image/png"}}, make([]byte, 32<<10))
	pool := open(t, browser.Config{PageMB: 3, Limit: 20 * time.Second})
	page := browser.Page{Width: 100, Height: 100, HTML: box + strings.Repeat(fmt.Sprintf(`<img src="%s/%d">`, address, time.Now().UnixNano()), 3)}
	if got := at(still(t, pool, page), 10, 10); got != "200,30,60,255" {
		t.Errorf("the box is %s", got)
	}
	if n := sent.Load(); n < 1<<20 || n > 32<<20 { // what lies in the buffers of sockets has been sent as well
		t.Errorf("%d bytes were sent, want about 3 MB", n)
	}
	began := sent.Load()
	if got := at(still(t, pool, browser.Page{HTML: box, Width: 100, Height: 100}), 10, 10); got != "200,30,60,255" {
		t.Errorf("the next page is %s", got)
	}
	if n := sent.Load() - began; n > 8<<20 {
		t.Errorf("%d bytes were sent to a page that is over", n)
	}
}

func TestEgress_ConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	var dialled, now, most atomic.Int64
	pool := open(t, browser.Config{Limit: 20 * time.Second, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		dialled.Add(1)
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		return nil, errors.New("nobody there")
	}})
	still(t, pool, browser.Page{Width: 100, Height: 100, Wait: 5 * time.Second, HTML: `<script>
	for (let i = 0; i < 3000; i++) fetch('http://h' + i + '.example/').catch(() => 0)</script>`})
	if n := dialled.Load(); n < 100 || n > 1000 {
		t.Errorf("%d connections were made, want at most 1000", n)
	}
	if n := most.Load(); n > 64 {
		t.Errorf("%d connections at a time, want at most 64", n)
	}
}

// A network that never falls silent delays a page, and no more.
func TestEgress_StreamsDoNotHoldThePage(t *testing.T) {
	t.Parallel()
	silent := silentServer(t)
	pool := open(t, browser.Config{Limit: 20 * time.Second})
	for _, script := range []string{
		fmt.Sprintf(`new EventSource('%s')`, silent), fmt.Sprintf(`fetch('%s')`, silent), fmt.Sprintf(`new Image().src = '%s'`, silent),
	} {
		picture := still(t, pool, browser.Page{HTML: box + "<script>" + script + "</script>", Width: 100, Height: 100, Wait: time.Second})
		if got := at(picture, 10, 10); got != "200,30,60,255" {
			t.Errorf("%s: the box is %s", script, got)
		}
	}
}

// silentServer takes connections and says nothing.
func silentServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var taken []net.Conn
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			taken = append(taken, conn)
			mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, conn := range taken {
			conn.Close()
		}
	})
	return "http://" + listener.Addr().String()
}

// https and WebSockets go through tunnels.
func TestEgress_TunnelsCarryBothWays(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	_, err := pool.Still(t.Context(), browser.Page{URL: secure.URL, Width: 9, Height: 9})
	if err == nil || !strings.Contains(err.Error(), "ERR_CERT_AUTHORITY_INVALID") {
		t.Errorf("a server with a certificate of its own making: %v", err)
	}
	sockets := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(sockets.Close)
	picture := still(t, pool, browser.Page{Width: 100, Height: 100, Wait: time.Second, HTML: fmt.Sprintf(`<body><script>
	const s = new WebSocket('%s'); s.onopen = () => s.send('hi');
	s.onmessage = e => document.body.style.background = e.data === 'hi' ? 'rgb(1,2,3)' : 'red'</script>`, "ws"+strings.TrimPrefix(sockets.URL, "http"))})
	if got := at(picture, 50, 50); got != "1,2,3,255" {
		t.Errorf("after the echo of a WebSocket the page is %s", got)
	}
}

// echo opens a WebSocket and sends the first short message back.
func echo(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	frame := make([]byte, 6) // kind, length, mask
	if _, err := io.ReadFull(buffered, frame); err != nil {
		return
	}
	text := make([]byte, frame[1]&127)
	if _, err := io.ReadFull(buffered, text); err != nil {
		return
	}
	for i := range text {
		text[i] ^= frame[2+i%4]
	}
	_, _ = conn.Write(append([]byte{0x81, byte(len(text))}, text...))
	_, _ = io.Copy(io.Discard, conn)
}

package browser_test

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/browser"
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
	pool := open(t, browser.Config{PageMB: 3})
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
	pool := open(t, browser.Config{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		dialled.Add(1)
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		return nil, errors.New("nobody there")
	}})
	page := browser.Page{Width: 100, Height: 100, Wait: 5 * time.Second, HTML: `<script>
	for (let i = 0; i < 1500; i++) fetch('http://h' + i + '.example/').catch(() => 0)</script>`}
	// How many a page makes until it is drawn depends on the machine; a quiet one is enough, but for each the bounds hold.
	eventually(t, "a page makes many connections", func() bool {
		dialled.Store(0)
		still(t, pool, page)
		if n := dialled.Load(); n > 1000 {
			t.Errorf("%d connections were made, want at most 1000", n)
		}
		return dialled.Load() >= 100
	})
	if n := most.Load(); n > 64 {
		t.Errorf("%d connections at a time, want at most 64", n)
	}
}

// A network that never falls silent delays a page, and no more.
func TestEgress_StreamsDoNotHoldThePage(t *testing.T) {
	t.Parallel()
	silent := silentServer(t)
	for name, script := range map[string]string{"events": `new EventSource('%s')`, "fetch": `fetch('%s')`, "image": `new Image().src = '%s'`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for its network, and needs nothing else meanwhile
			page := browser.Page{HTML: box + "<script>" + fmt.Sprintf(script, silent) + "</script>", Width: 100, Height: 100, Wait: time.Second}
			if got := at(still(t, open(t, browser.Config{}), page), 10, 10); got != "200,30,60,255" {
				t.Errorf("the box is %s", got)
			}
		})
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
	_, err := tryStill(t, pool, browser.Page{URL: secure.URL, Width: 9, Height: 9})
	if err == nil || !strings.Contains(err.Error(), "ERR_CERT_AUTHORITY_INVALID") {
		t.Errorf("a server with a certificate of its own making: %v", err)
	}
	sockets := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(sockets.Close)
	talking := browser.Page{Width: 100, Height: 100, Wait: time.Second, HTML: fmt.Sprintf(`<body><script>
	const s = new WebSocket('%s'); s.onopen = () => s.send('hi');
	s.onmessage = e => document.body.style.background = e.data === 'hi' ? 'rgb(1,2,3)' : 'red'</script>`, "ws"+strings.TrimPrefix(sockets.URL, "http"))}
	// The page's time does not stand still for what a WebSocket brings.
	eventually(t, "the page hears the echo of a WebSocket", func() bool { return at(still(t, pool, talking), 50, 50) == "1,2,3,255" })
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

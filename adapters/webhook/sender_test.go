package webhook_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"moviola/adapters/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(unhurried{m}) }

// unhurried waits for what ends by itself: on a busy machine that may take longer than the check for leaks waits.
type unhurried struct{ *testing.M }

func (u unhurried) Run() int {
	code := u.M.Run()
	for tries := 0; tries < 200 && goleak.Find() != nil; tries++ { // each for half a second
	}
	return code
}

const (
	wait     = 400 * time.Millisecond // for receivers that never answer
	patience = 2 * time.Minute        // with all others: it only ends a test that hangs
)

// refusal is what a guarded transport says of an address that may not be called.
type refusal struct{}

func (refusal) Error() string  { return "http://canary: refused" }
func (refusal) Reason() string { return "the host is not a public address" }
func (refusal) Refused() bool  { return true }

// transport refuses one host, cannot resolve another, and otherwise is the standard library's.
type transport struct{ base *http.Transport }

func newTransport(t *testing.T) http.RoundTripper {
	t.Helper()
	base := &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true}
	t.Cleanup(base.CloseIdleConnections)
	return transport{base}
}

func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.URL.Hostname() {
	case "private.example":
		return nil, fmt.Errorf("send: %w", refusal{})
	case "nowhere.example":
		return nil, &net.DNSError{Err: "no such host", Name: "canary", IsNotFound: true}
	}
	return tr.base.RoundTrip(r)
}

// receiver answers each connection by hand, after it has read the request's beginning, until the test ends.
func receiver(t *testing.T, behave func(conn net.Conn, done <-chan struct{})) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 8192))
				behave(conn, done)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		close(done)
		all.Wait()
	})
	return listener.Addr().String()
}

// says answers with fixed text and closes.
func says(text string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, _ <-chan struct{}) { _, _ = fmt.Fprint(conn, text) }
}

// saysAndHangs answers with fixed text and then keeps the connection open.
func saysAndHangs(text string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, done <-chan struct{}) {
		_, _ = fmt.Fprint(conn, text)
		<-done
	}
}

// drips writes text again and again, with pauses, until the other side has had enough.
func drips(start, text string, pause time.Duration) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, done <-chan struct{}) {
		_, _ = fmt.Fprint(conn, start)
		tick := time.NewTicker(max(pause, time.Nanosecond))
		defer tick.Stop()
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}
}

func status(code int) func(net.Conn, <-chan struct{}) {
	return says(fmt.Sprintf("HTTP/1.1 %d Whatever canary\r\nContent-Length: 6\r\nLocation: http://canary.example/canary\r\n\r\ncanary", code))
}

func gzipBomb(conn net.Conn, _ <-chan struct{}) {
	_, _ = fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
	zipper := gzip.NewWriter(conn)
	zeros := make([]byte, 1<<20)
	for range 1000 {
		if _, err := zipper.Write(zeros); err != nil {
			return
		}
	}
	_ = zipper.Close()
}

func reset(conn net.Conn, _ <-chan struct{}) { _ = conn.(*net.TCPConn).SetLinger(0) }

// Spec: Delivery rules. Every row is a receiver, and whether another try may follow.
func TestSend_Receivers(t *testing.T) {
	t.Parallel()
	type outcome struct {
		delivered bool
		status    int
		retry     bool
		message   string
	}
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	tests := []struct {
		name   string
		behave func(net.Conn, <-chan struct{})
		want   outcome
	}{
		{"200", status(200), outcome{true, 200, false, "Delivered to"}},
		{"201", status(201), outcome{true, 201, false, "Delivered to"}},
		{"204", says("HTTP/1.1 204 No Content\r\n\r\n"), outcome{true, 204, false, "Delivered to"}},
		{"299", status(299), outcome{true, 299, false, "Delivered to"}},
		{"300", status(300), outcome{false, 300, false, "redirect (300)"}},
		{"301", status(301), outcome{false, 301, false, "redirect (301)"}},
		{"302", status(302), outcome{false, 302, false, "redirect (302)"}},
		{"304", says("HTTP/1.1 304 Not Modified\r\n\r\n"), outcome{false, 304, false, "redirect (304)"}},
		{"308", status(308), outcome{false, 308, false, "redirect (308)"}},
		{"redirect to an address that cannot be read", says("HTTP/1.1 302 Found\r\nLocation: http://[canary\r\n\r\n"), outcome{false, 302, false, "redirect (302)"}},
		{"400", status(400), outcome{false, 400, false, "status 400"}},
		{"401", status(401), outcome{false, 401, false, "status 401"}},
		{"404", status(404), outcome{false, 404, false, "status 404"}},
		{"407", status(407), outcome{false, 407, false, "status 407"}},
		{"408", status(408), outcome{false, 408, false, "status 408"}},
		{"410", status(410), outcome{false, 410, false, "status 410"}},
		{"429", status(429), outcome{false, 429, false, "status 429"}},
		{"500", status(500), outcome{false, 500, true, "status 500"}},
		{"502", status(502), outcome{false, 502, true, "status 502"}},
		{"503", status(503), outcome{false, 503, true, "status 503"}},
		{"599", status(599), outcome{false, 599, true, "status 599"}},
		{"101", says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), outcome{false, 101, false, "status 101"}},
		{"an interim answer first", says("HTTP/1.1 103 Early Hints\r\n\r\n" + ok), outcome{true, 200, false, "Delivered to"}},
		{"old HTTP", says("HTTP/1.0 200 OK\r\n\r\nok"), outcome{true, 200, false, "Delivered to"}},
		{"silence", saysAndHangs(""), outcome{false, 0, false, "no answer within 400ms"}},
		{"half a header, then silence", saysAndHangs("HTTP/1.1 200 OK\r\nX-"), outcome{false, 0, false, "no answer within 400ms"}},
		{"an interim answer, then silence", saysAndHangs("HTTP/1.1 100 Continue\r\n\r\n"), outcome{false, 0, false, "no answer within 400ms"}},
		{"a header that drips", drips("HTTP/1.1 200 OK\r\nX-Slow: ", "a", 10*time.Millisecond), outcome{false, 0, false, "no answer within 400ms"}},
		{"closed without an answer", says(""), outcome{false, 0, true, "the connection failed"}},
		{"reset", reset, outcome{false, 0, true, "the connection failed"}},
		{"closed inside the status line", says("HTTP/1.1 2"), outcome{false, 0, false, "the answer was not complete or not HTTP"}},
		{"closed inside the header", says("HTTP/1.1 200 OK\r\nX-Half"), outcome{false, 0, false, "the answer was not complete or not HTTP"}},
		{"not HTTP", says("220 canary ESMTP\r\n"), outcome{false, 0, false, "the answer was not complete or not HTTP"}},
		{"closed after an interim answer", says("HTTP/1.1 103 Early Hints\r\n\r\n"), outcome{false, 0, true, "the connection failed"}},
		{"headers without end", drips("HTTP/1.1 200 OK\r\n", "X-Canary: "+strings.Repeat("a", 1000)+"\r\n", 0), outcome{false, 0, false, "the answer was not complete or not HTTP"}},
		{"a body without end", drips("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("a", 64<<10), 0), outcome{true, 200, false, "Delivered to"}},
		{"a body that drips", drips("HTTP/1.1 200 OK\r\n\r\n", "a", 10*time.Millisecond), outcome{true, 200, false, "Delivered to"}},
		{"a body that hangs", saysAndHangs("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), outcome{true, 200, false, "Delivered to"}},
		{"500 and a body that hangs", saysAndHangs("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\n"), outcome{false, 500, true, "status 500"}},
		{"a body shorter than it says", says("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), outcome{true, 200, false, "Delivered to"}},
		{"a body that unpacks to a gigabyte", gzipBomb, outcome{true, 200, false, "Delivered to"}},
	}
	base := newTransport(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sender := webhook.NewSender(webhook.Config{Transport: base, Wait: waitFor(tt.want.message)})
			endpoint := "http://canary:canary@" + receiver(t, tt.behave) + "/canary?canary"
			started := time.Now()
			result, err := sender.Send(context.Background(), webhook.Call{Endpoint: endpoint, Payload: []byte(payload)})
			took := time.Since(started)
			if err != nil {
				t.Fatal(err)
			}
			got := outcome{result.Delivered, result.HTTPStatus, result.Retry, tt.want.message}
			if got != tt.want || !strings.Contains(result.Message, tt.want.message) {
				t.Errorf("got %+v, want %+v", result, tt.want)
			}
			if strings.Contains(result.Message, "canary") {
				t.Errorf("the message gives a secret away: %s", result.Message)
			}
			if took >= patience || result.Duration >= patience {
				t.Errorf("took %s, said %s", took, result.Duration)
			}
		})
	}
}

// waitFor is how long a receiver may take whose result says so.
func waitFor(message string) time.Duration {
	if message == "no answer within 400ms" {
		return wait
	}
	return patience
}

func TestSend_NoConnection(t *testing.T) {
	t.Parallel()
	closed := closedPort(t)
	tests := []struct {
		name, endpoint, message string
		retry                   bool
	}{
		{"refused", "http://" + closed + "/canary", "Not delivered to http://" + closed + ": the connection failed", true},
		{"unknown host", "https://nowhere.example/canary", "Not delivered to https://nowhere.example: the connection failed", true},
		{"TLS where there is none", "https://" + receiver(t, says("HTTP/1.0 400 canary\r\n\r\n")) + "/canary", "the connection failed", true},
		{"TLS that hangs", "https://" + receiver(t, saysAndHangs("")) + "/canary", "no answer within 400ms", false},
		{"refused by the guard", "http://private.example/canary", "Not delivered to http://private.example: the host is not a public address", false},
		{"no address", "http://[canary/", "Not delivered: the endpoint is not a valid address", false},
	}
	base := newTransport(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sender := webhook.NewSender(webhook.Config{Transport: base, Wait: waitFor(tt.message)})
			result, err := sender.Send(context.Background(), webhook.Call{Endpoint: tt.endpoint, Payload: []byte(payload)})
			if err != nil {
				t.Fatal(err)
			}
			if result.Delivered || result.HTTPStatus != 0 || result.Retry != tt.retry || !strings.Contains(result.Message, tt.message) {
				t.Errorf("got %+v, want retry %v and %q", result, tt.retry, tt.message)
			}
			if strings.Contains(result.Message, "canary") {
				t.Errorf("the message gives a secret away: %s", result.Message)
			}
		})
	}
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

func TestSend_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	endpoint := "http://" + receiver(t, func(_ net.Conn, done <-chan struct{}) {
		cancel()
		<-done
	})
	sender := webhook.NewSender(webhook.Config{Transport: newTransport(t)})
	result, err := sender.Send(ctx, webhook.Call{Endpoint: endpoint, Payload: []byte(payload)})
	if !errors.Is(err, context.Canceled) || result.Retry {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestNewSender_WaitsThirtySeconds(t *testing.T) {
	t.Parallel()
	if webhook.DefaultWait != 30*time.Second {
		t.Errorf("the wait is %s; the specification says 30 seconds", webhook.DefaultWait)
	}
}

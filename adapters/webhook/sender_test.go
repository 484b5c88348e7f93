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

	"moviola/adapters/webhook"
	"moviola/tests/leaks"
)

func TestMain(m *testing.M) { leaks.Verify(m) }

const (
	wait     = 400 * time.Millisecond // time limit for receivers that never answer
	patience = 2 * time.Minute        // time limit for all other receivers: it only ends a test that hangs
)

// refusal is the error of a transport for an address that may not be called.
type refusal struct{}

func (refusal) Error() string  { return "http://canary: refused" }
func (refusal) Reason() string { return "the host is not a public address" }
func (refusal) Refused() bool  { return true }

// transport refuses one host, fails to resolve another, and sends all other requests with the standard library.
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
	case "slow-names.example":
		return nil, fmt.Errorf("dial: %w", &net.DNSError{Err: "i/o timeout", Name: "canary", IsTimeout: true, UnwrapErr: context.DeadlineExceeded})
	case "nowhere.example":
		return nil, &net.DNSError{Err: "no such host", Name: "canary", IsNotFound: true}
	}
	return tr.base.RoundTrip(r)
}

// receiver starts a server that calls behave with each connection, after it has read the beginning of the request. It
// returns the server's address. done is closed when the test ends.
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

// drips writes start, and then text again and again, with pauses, until the other side closes the connection.
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

func reset(conn net.Conn, _ <-chan struct{}) {
	if tcp, ok := conn.(*net.TCPConn); ok { // a pipe cannot be reset: it is only closed
		_ = tcp.SetLinger(0)
	}
}

// outcome is the expected result of a try; message is a part of the result's message.
type outcome struct {
	delivered bool
	status    int
	retry     bool
	message   string
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// conducts are the ways in which receivers behave: what they do (behave), the result of the try (want), and the time after
// which the try ends when a receiver may take 30 seconds (after). Spec: Delivery rules.
var conducts = []struct {
	name   string
	behave func(net.Conn, <-chan struct{})
	want   outcome
	after  time.Duration
}{
	{"200", status(200), outcome{true, 200, false, "Delivered to"}, 0},
	{"201", status(201), outcome{true, 201, false, "Delivered to"}, 0},
	{"204", says("HTTP/1.1 204 No Content\r\n\r\n"), outcome{true, 204, false, "Delivered to"}, 0},
	{"299", status(299), outcome{true, 299, false, "Delivered to"}, 0},
	{"300", status(300), outcome{false, 300, false, "redirect (300)"}, 0},
	{"301", status(301), outcome{false, 301, false, "redirect (301)"}, 0},
	{"302", status(302), outcome{false, 302, false, "redirect (302)"}, 0},
	{"304", says("HTTP/1.1 304 Not Modified\r\n\r\n"), outcome{false, 304, false, "redirect (304)"}, 0},
	{"308", status(308), outcome{false, 308, false, "redirect (308)"}, 0},
	{"redirect to an address that cannot be read", says("HTTP/1.1 302 Found\r\nLocation: http://[canary\r\n\r\n"), outcome{false, 302, false, "redirect (302)"}, 0},
	{"400", status(400), outcome{false, 400, false, "status 400"}, 0},
	{"401", status(401), outcome{false, 401, false, "status 401"}, 0},
	{"404", status(404), outcome{false, 404, false, "status 404"}, 0},
	{"407", status(407), outcome{false, 407, false, "status 407"}, 0},
	{"408", status(408), outcome{false, 408, false, "status 408"}, 0},
	{"410", status(410), outcome{false, 410, false, "status 410"}, 0},
	{"429", status(429), outcome{false, 429, false, "status 429"}, 0},
	{"500", status(500), outcome{false, 500, true, "status 500"}, 0},
	{"502", status(502), outcome{false, 502, true, "status 502"}, 0},
	{"503", status(503), outcome{false, 503, true, "status 503"}, 0},
	{"599", status(599), outcome{false, 599, true, "status 599"}, 0},
	{"101", says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), outcome{false, 101, false, "status 101"}, 0},
	{"an interim answer first", says("HTTP/1.1 103 Early Hints\r\n\r\n" + okAnswer), outcome{true, 200, false, "Delivered to"}, 0},
	{"old HTTP", says("HTTP/1.0 200 OK\r\n\r\nok"), outcome{true, 200, false, "Delivered to"}, 0},
	{"silence", saysAndHangs(""), outcome{false, 0, false, "no answer within"}, webhook.DefaultWait},
	{"half a header, then silence", saysAndHangs("HTTP/1.1 200 OK\r\nX-"), outcome{false, 0, false, "no answer within"}, webhook.DefaultWait},
	{"an interim answer, then silence", saysAndHangs("HTTP/1.1 100 Continue\r\n\r\n"), outcome{false, 0, false, "no answer within"}, webhook.DefaultWait},
	{"a header that drips", drips("HTTP/1.1 200 OK\r\nX-Slow: ", "a", 10*time.Millisecond), outcome{false, 0, false, "no answer within"}, webhook.DefaultWait},
	{"closed without an answer", says(""), outcome{false, 0, true, "the connection failed"}, 0},
	{"reset", reset, outcome{false, 0, true, "the connection failed"}, 0},
	{"closed inside the status line", says("HTTP/1.1 2"), outcome{false, 0, false, "the answer was not complete or not HTTP"}, 0},
	{"closed inside the header", says("HTTP/1.1 200 OK\r\nX-Half"), outcome{false, 0, false, "the answer was not complete or not HTTP"}, 0},
	{"not HTTP", says("220 canary ESMTP\r\n"), outcome{false, 0, false, "the answer was not complete or not HTTP"}, 0},
	{"closed after an interim answer", says("HTTP/1.1 103 Early Hints\r\n\r\n"), outcome{false, 0, true, "the connection failed"}, 0},
	{"headers without end", drips("HTTP/1.1 200 OK\r\n", "X-Canary: "+strings.Repeat("a", 1000)+"\r\n", 0), outcome{false, 0, false, "the answer was not complete or not HTTP"}, 0},
	{"a body without end", drips("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("a", 64<<10), 0), outcome{true, 200, false, "Delivered to"}, 0},
	{"a body that drips", drips("HTTP/1.1 200 OK\r\n\r\n", "a", 10*time.Millisecond), outcome{true, 200, false, "Delivered to"}, time.Second},
	{"a body that hangs", saysAndHangs("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), outcome{true, 200, false, "Delivered to"}, time.Second},
	{"500 and a body that hangs", saysAndHangs("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\n"), outcome{false, 500, true, "status 500"}, time.Second},
	{"a body shorter than it says", says("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), outcome{true, 200, false, "Delivered to"}, 0},
	{"a body that unpacks to a gigabyte", gzipBomb, outcome{true, 200, false, "Delivered to"}, 0},
}

// checkOutcome compares the result of a try with the expected one, and fails when its message contains a secret of the
// address.
func checkOutcome(t *testing.T, want outcome, got webhook.Result) {
	t.Helper()
	if seen := (outcome{got.Delivered, got.HTTPStatus, got.Retry, want.message}); seen != want || !strings.Contains(got.Message, want.message) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if strings.Contains(got.Message, "canary") {
		t.Errorf("the message gives a secret away: %s", got.Message)
	}
}

func TestSend_Receivers(t *testing.T) {
	t.Parallel()
	base := newTransport(t)
	for _, tt := range conducts {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sender := webhook.NewSender(webhook.Config{Transport: base, Wait: waitFor(tt.after == webhook.DefaultWait)})
			endpoint := "http://canary:canary@" + receiver(t, tt.behave) + "/canary?canary"
			started := time.Now()
			result, err := sender.Send(context.Background(), webhook.Call{Endpoint: endpoint, Payload: []byte(payload)})
			took := time.Since(started)
			if err != nil {
				t.Fatal(err)
			}
			checkOutcome(t, tt.want, result)
			// The bound is generous for a busy machine: a try that hangs would hang for the whole test.
			if took > patience || result.Duration > patience {
				t.Errorf("took %s, said %s", took, result.Duration)
			}
		})
	}
}

// waitFor returns how long a receiver may take: a short time only for a receiver that never answers (silent).
func waitFor(silent bool) time.Duration {
	if silent {
		return wait
	}
	return patience
}

func TestSend_NoConnection(t *testing.T) {
	t.Parallel()
	closed := closedPort(t)
	tests := []struct {
		name, endpoint, message string
		retry, silent           bool
	}{
		{"refused", "http://" + closed + "/canary", "Not delivered to http://" + closed + ": the connection failed", true, false},
		{"unknown host", "https://nowhere.example/canary", "Not delivered to https://nowhere.example: the connection failed", true, false},
		{"a lookup that takes too long", "https://slow-names.example/canary", "Not delivered to https://slow-names.example: the connection failed", true, false},
		{"TLS where there is none", "https://" + receiver(t, says("HTTP/1.0 400 canary\r\n\r\n")) + "/canary", "the connection failed", true, false},
		{"TLS that hangs", "https://" + receiver(t, saysAndHangs("")) + "/canary", "no answer within 400ms", false, true},
		{"refused by the guard", "http://private.example/canary", "Not delivered to http://private.example: the host is not a public address", false, false},
		{"no address", "http://[canary/", "Not delivered: the endpoint is not a valid address", false, false},
	}
	base := newTransport(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sender := webhook.NewSender(webhook.Config{Transport: base, Wait: waitFor(tt.silent)})
			result, err := sender.Send(context.Background(), webhook.Call{Endpoint: tt.endpoint, Payload: []byte(payload)})
			if err != nil {
				t.Fatal(err)
			}
			checkOutcome(t, outcome{retry: tt.retry, message: tt.message}, result)
		})
	}
}

// closedPort returns an address on which nobody listens. It is on a loopback address that no other test uses, so that no
// other listener gets the port.
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

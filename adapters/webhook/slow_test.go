package webhook_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/webhook"
)

// slowly are the ways to keep a sender waiting. Each ends when its connection does.
var slowly = map[string]func(net.Conn){
	"silence":           func(net.Conn) {},
	"a dripping status": drip("HTTP/1.1 200 OK", time.Second),
	"a dripping header": drip("HTTP/1.1 200 OK\r\nX-Slow: "+strings.Repeat("a", 1000), time.Second),
	"interim answers":   drip(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), time.Second/2),
	"a body without end": func(conn net.Conn) {
		_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
		for err == nil {
			time.Sleep(100 * time.Millisecond)
			_, err = conn.Write([]byte(strings.Repeat("a", 100)))
		}
	},
}

func drip(text string, every time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		for i := range len(text) {
			if _, err := conn.Write([]byte(text[i : i+1])); err != nil {
				return
			}
			time.Sleep(every)
		}
	}
}

// keepWaiting reads the request, calls answer, which answers slowly or not at all, and ends when the other side has closed.
func keepWaiting(conn net.Conn, answer func(net.Conn)) {
	var reading sync.WaitGroup
	asked, gone := make(chan struct{}), make(chan struct{})
	reading.Go(func() {
		defer close(gone)
		for buffer, first := make([]byte, 4096), true; ; first = false {
			_, err := conn.Read(buffer)
			if first {
				close(asked)
			}
			if err != nil {
				return
			}
		}
	})
	<-asked
	answer(conn)
	<-gone
	_ = conn.Close()
	reading.Wait()
}

// piped is a transport whose connections are pipes in memory to a receiver, so that the fake clock of synctest advances.
func piped(receivers *sync.WaitGroup, receive func(net.Conn)) http.RoundTripper {
	return &http.Transport{
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
		// Without this limit the library continues a handshake for which nobody waits any more.
		TLSHandshakeTimeout: webhook.DefaultWait + time.Second,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			receivers.Go(func() { receive(far) })
			return near, nil
		},
	}
}

// TestSend_ReceiversToTheSecond tries each of conducts again with the 30 seconds of the specification, on a fake clock. A
// try ends exactly when the receiver has answered, when 30 seconds are over, or a second after an answer whose body does not
// end.
func TestSend_ReceiversToTheSecond(t *testing.T) {
	t.Parallel()
	for _, tt := range conducts {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var receivers sync.WaitGroup
				done := make(chan struct{})
				sender := webhook.NewSender(webhook.Config{Transport: piped(&receivers, func(conn net.Conn) {
					defer conn.Close()
					_, _ = conn.Read(make([]byte, 8192))
					tt.behave(conn, done)
				})})
				begin := time.Now()
				result, err := sender.Send(t.Context(), webhook.Call{Endpoint: "http://canary:canary@slow.example/canary?canary", Payload: []byte(payload)})
				took := time.Since(begin)
				if err != nil {
					t.Fatal(err)
				}
				checkOutcome(t, tt.want, result)
				if took.Round(time.Millisecond) != tt.after {
					t.Errorf("ended after %s, want %s", took, tt.after)
				}
				if tt.want.status == 0 && tt.after > 0 && !strings.HasSuffix(result.Message, ": no answer within 30s") {
					t.Errorf("message %q", result.Message)
				}
				close(done)
				receivers.Wait()
			})
		})
	}
}

// Each try at 500 receivers that never end their answer ends within 30.5 seconds of its own start, and leaves no goroutine:
// synctest fails the test for a goroutine that is left. Spec: Delivery rules.
func TestSend_500SlowReceivers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var receivers sync.WaitGroup
		for name, answer := range slowly {
			for _, scheme := range []string{"http", "https"} {
				sender := webhook.NewSender(webhook.Config{Transport: piped(&receivers, func(conn net.Conn) { keepWaiting(conn, answer) })})
				var all sync.WaitGroup
				for i := range 50 {
					all.Go(func() {
						time.Sleep(time.Duration(i) * 100 * time.Millisecond)
						begin := time.Now()
						result, err := sender.Send(t.Context(), webhook.Call{Endpoint: scheme + "://slow.example/canary", Payload: []byte(payload)})
						if took := time.Since(begin); err != nil || took > 30*time.Second+500*time.Millisecond || strings.Contains(result.Message, "canary") {
							t.Errorf("%s, %s: %v after %s: %+v", scheme, name, err, took, result)
						}
						if delivered := scheme == "http" && name == "a body without end"; result.Delivered != delivered {
							t.Errorf("%s, %s: %+v", scheme, name, result)
						}
					})
				}
				all.Wait()
			}
		}
		receivers.Wait()
	})
}

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

// keepWaiting reads what is sent and answers as slowly as it is told, until the other side leaves.
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

// 500 receivers that never come to an end: each try ends within 30.5 seconds of its own start, and nothing of it is left: the bubble
// fails the test for a goroutine that is. Spec: Delivery rules.
func TestSend_500SlowReceivers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var receivers sync.WaitGroup
		for name, answer := range slowly {
			for _, scheme := range []string{"http", "https"} {
				sender := webhook.NewSender(webhook.Config{Transport: &http.Transport{
					DisableKeepAlives: true,
					// Without it the library goes on with a handshake that nobody waits for any more.
					TLSHandshakeTimeout: webhook.DefaultWait + time.Second,
					DialContext: func(context.Context, string, string) (net.Conn, error) {
						near, far := net.Pipe()
						receivers.Go(func() { keepWaiting(far, answer) })
						return near, nil
					},
				}})
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

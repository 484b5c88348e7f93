package delivery_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// conduct is what a receiver does at each of its tries; the last one goes on.
type conduct []func(net.Conn)

func (c conduct) at(conn net.Conn, try int) { c[min(try, len(c))-1](conn) }

func status(code int) func(net.Conn) {
	return says(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", code))
}

func says(text string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, text) }
}

// then does something, and after a while something else.
func then(first func(net.Conn), pause time.Duration, second func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		first(conn)
		time.Sleep(pause)
		second(conn)
	}
}

func after(pause time.Duration, second func(net.Conn)) func(net.Conn) {
	return then(func(net.Conn) {}, pause, second)
}

func drips(conn net.Conn) {
	for _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Slow: "); err == nil; _, err = io.WriteString(conn, "a") {
		time.Sleep(time.Second)
	}
}

func hangsUp(net.Conn) {}

const sec = time.Second

// Spec: Delivery rules; decision 34. Each row is a receiver: when it is tried, what becomes of the tries, and when the delivery is over,
// with the real 30 seconds and pauses of 1 and 3 seconds, which count from the end of the try before.
var receivers = []struct {
	name     string
	receiver conduct
	begun    []time.Duration // when each try begins
	want     string          // status and HTTP status of each try
	over     time.Duration
}{
	{"200", conduct{status(200)}, []time.Duration{0}, "ok 200", 0},
	{"204", conduct{status(204)}, []time.Duration{0}, "ok 204", 0},
	{"200 in the last moment", conduct{after(30*sec-time.Millisecond, status(200))}, []time.Duration{0}, "ok 200", 30*sec - time.Millisecond},
	{"200 too late", conduct{after(30*sec+time.Millisecond, status(200))}, []time.Duration{0}, "error 0", 30 * sec},
	{"silence", conduct{silent}, []time.Duration{0}, "error 0", 30 * sec},
	{"a header that drips", conduct{drips}, []time.Duration{0}, "error 0", 30 * sec},
	{"an interim answer, then silence", conduct{then(says("HTTP/1.1 103 Early Hints\r\n\r\n"), 0, silent)}, []time.Duration{0}, "error 0", 30 * sec},
	{"an interim answer, then 200", conduct{then(says("HTTP/1.1 103 Early Hints\r\n\r\n"), 9*sec, status(200))}, []time.Duration{0}, "ok 200", 9 * sec},
	{"a body without end", conduct{then(says("HTTP/1.1 200 OK\r\n\r\n"), 0, silent)}, []time.Duration{0}, "ok 200", sec},
	{"301", conduct{status(301)}, []time.Duration{0}, "error 301", 0},
	{"307", conduct{status(307)}, []time.Duration{0}, "error 307", 0},
	{"400", conduct{status(400)}, []time.Duration{0}, "error 400", 0},
	{"408", conduct{status(408)}, []time.Duration{0}, "error 408", 0},
	{"429", conduct{status(429)}, []time.Duration{0}, "error 429", 0},
	{"500", conduct{status(500)}, []time.Duration{0, sec, 4 * sec}, "error 500, error 500, error 500", 4 * sec},
	{"503, slowly", conduct{after(10*sec, status(503))}, []time.Duration{0, 11 * sec, 24 * sec}, "error 503, error 503, error 503", 34 * sec},
	{"503, then 200", conduct{status(503), status(200)}, []time.Duration{0, sec}, "error 503, ok 200", sec},
	{"503, 502, then 200", conduct{status(503), status(502), status(200)}, []time.Duration{0, sec, 4 * sec}, "error 503, error 502, ok 200", 4 * sec},
	{"503, then 404", conduct{status(503), status(404)}, []time.Duration{0, sec}, "error 503, error 404", sec},
	{"503, then silence", conduct{status(503), silent}, []time.Duration{0, sec}, "error 503, error 0", 31 * sec},
	{"503 and a body that hangs", conduct{then(says("HTTP/1.1 503 X\r\nContent-Length: 9\r\n\r\n"), 0, silent)}, []time.Duration{0, 2 * sec, 6 * sec}, "error 503, error 503, error 503", 7 * sec},
	{"closed", conduct{hangsUp}, []time.Duration{0, sec, 4 * sec}, "error 0, error 0, error 0", 4 * sec},
	{"closed after 29 seconds", conduct{after(29*sec, hangsUp)}, []time.Duration{0, 30 * sec, 62 * sec}, "error 0, error 0, error 0", 91 * sec},
	{"closed, then 200", conduct{hangsUp, status(200)}, []time.Duration{0, sec}, "error 0, ok 200", sec},
	{"closed inside the status line", conduct{says("HTTP/1.1 2")}, []time.Duration{0}, "error 0", 0},
	{"closed inside the header", conduct{says("HTTP/1.1 200 OK\r\nX-H")}, []time.Duration{0}, "error 0", 0},
	{"not HTTP", conduct{says("220 mail ESMTP\r\n")}, []time.Duration{0}, "error 0", 0},
	{"headers without end", conduct{says("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 2000))}, []time.Duration{0}, "error 0", 0},
}

// The processors, the commands, the work queue and the sender are the service's own; the clock is the bubble's.
func TestConducts(t *testing.T) {
	t.Parallel()
	for _, tt := range receivers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inTraffic(t, func(w *traffic) {
				const host = "receiver.example"
				w.town.conduct = map[string]func(net.Conn, int){host: tt.receiver.at}
				time.Sleep(time.Minute)
				put := time.Now()
				id := string(w.closed("alice", host))
				w.pass()
				var begun []time.Duration
				for _, at := range w.town.asked[id] {
					begun = append(begun, at.Sub(put).Round(time.Millisecond))
				}
				if diff := cmp.Diff(tt.begun, begun); diff != "" {
					t.Errorf("tries begun (-want +got):\n%s", diff)
				}
				var got []string
				for i, try := range w.list.tries[id] {
					got = append(got, fmt.Sprint(try.Status, " ", try.HTTPStatus))
					if try.Try != i+1 || try.Final != (i == len(tt.begun)-1) {
						t.Errorf("try %+v", try)
					}
				}
				if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
					t.Errorf("recorded (-want +got):\n%s", diff)
				}
				if over := w.list.over[id].Sub(put).Round(time.Millisecond); over != tt.over {
					t.Errorf("over after %s, want %s", over, tt.over)
				}
			})
		})
	}
}

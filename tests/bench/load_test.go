package bench_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// requestTimeout is when a request that is not answered ends the measurement.
const requestTimeout = time.Minute

// wire is one connection that sends requests written beforehand. It costs a fraction of what a client library does, so that the
// load leaves the machine to what is measured.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the last answer; overwritten by the next
}

func dial(addr string) (*wire, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// get and post are requests as they stand on the wire.
func get(target, key string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\n\r\n", target, key)
}

func post(target, key, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		target, key, len(body), body)
}

// refusal is an answer that is not 200.
type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("answered %d: %.300s", r.status, r.body) }

// send makes one request. Every answer but 200 is an error.
func (w *wire) send(request []byte) error {
	if err := w.conn.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return err
	}
	if _, err := w.conn.Write(request); err != nil {
		return err
	}
	status, length, err := w.head()
	if err != nil {
		return err
	}
	w.body = slices.Grow(w.body[:0], length)[:length]
	if _, err := io.ReadFull(w.in, w.body); err != nil {
		return err
	}
	if status != http.StatusOK {
		return &refusal{status, string(w.body)}
	}
	return nil
}

// head reads the head of an answer: its status and the length of its body.
func (w *wire) head() (status, length int, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		switch name, value, _ := strings.Cut(text, ": "); {
		case first:
			_, rest, _ := strings.Cut(text, " ")
			if status, err = strconv.Atoi(rest[:min(3, len(rest))]); err != nil {
				return 0, 0, fmt.Errorf("the answer begins with %q", text)
			}
		case text == "" && length < 0:
			return 0, 0, errors.New("an answer without its length")
		case text == "":
			return status, length, nil
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(value); err != nil {
				return 0, 0, err
			}
		}
	}
}

// sample is what a stretch of load came to.
type sample struct {
	times []time.Duration // how long each request took
	took  time.Duration
	cpu   time.Duration // processor time, user and system, of the process that answered
}

func (s sample) rate() float64 { return float64(len(s.times)) / s.took.Seconds() }

// percentile is the time that a share of the requests, 0 to 1, did not exceed.
func (s sample) percentile(share float64) time.Duration {
	if len(s.times) == 0 {
		return 0
	}
	return s.times[int(share*float64(len(s.times)-1))]
}

// each is the processor time that one request took of the process that answered it.
func (s sample) each() time.Duration { return s.cpu / time.Duration(max(1, len(s.times))) }

// add puts two stretches of the same load together.
func (s sample) add(t sample) sample {
	s.times = append(slices.Clone(s.times), t.times...)
	slices.Sort(s.times)
	return sample{times: s.times, took: s.took + t.took, cpu: s.cpu + t.cpu}
}

// load lets workers send, each on its own connection, until a time is over or enough has been sent altogether (0: no bound).
// next says what a worker sends; pid is the process that answers.
func load(b *testing.B, pid int, addr string, workers int, during time.Duration, enough int, next func(worker int) []byte) sample {
	b.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	var s sample
	var sent atomic.Int64
	before, began := cpuOf(b, pid), time.Now()
	for worker := range workers {
		all.Go(func() {
			own, err := work(addr, func() []byte {
				if time.Since(began) > during || enough > 0 && sent.Add(1) > int64(enough) {
					return nil
				}
				return next(worker)
			})
			if err != nil {
				b.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			s.times = append(s.times, own...)
		})
	}
	all.Wait()
	s.took, s.cpu = time.Since(began), cpuOf(b, pid)-before
	slices.Sort(s.times)
	if b.Failed() || len(s.times) == 0 {
		b.Fatal("the measurement ended early")
	}
	return s
}

// work sends what next yields until it yields nothing, and returns how long each took.
func work(addr string, next func() []byte) ([]time.Duration, error) {
	w, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer w.conn.Close()
	var times []time.Duration
	for request := next(); request != nil; request = next() {
		began := time.Now()
		if err := w.send(request); err != nil {
			return times, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// clockTick is the unit of times in /proc on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// cpuOf is the processor time that a process has used, user and system, its ended threads included.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	// The name in parentheses may hold blanks; user and system time are the 12th and 13th fields behind it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * clockTick
}

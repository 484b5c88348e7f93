package bench_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// flood lets an account ask for previews of a movie of the size of a screen on many connections, until floodCalls were
// answered, and repeats work meanwhile, at least once. It returns how many answers had each status, and how long all took.
func flood(b *testing.B, s *service, key string, work func()) (answered map[int]int, took time.Duration) {
	b.Helper()
	request := post("/v2/movies/still?format=jpg&time=0.5", key, movie)
	answered = map[int]int{}
	var mu sync.Mutex
	var sent atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range floodWorkers {
		all.Go(func() {
			own, err := ask(s.host(b), request, func() bool { return sent.Add(1) <= floodCalls })
			if err != nil {
				b.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for status, n := range own {
				answered[status] += n
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); took = time.Since(began); close(ended) }()
	for over := false; !over; {
		work()
		select {
		case <-ended:
			over = true
		default:
		}
	}
	if b.Failed() {
		b.Fatal("the flood ended early")
	}
	return answered, took
}

// ask sends a request for as long as it is to, whatever the answers are, and counts their statuses.
func ask(addr string, request []byte, more func() bool) (map[int]int, error) {
	w, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer w.conn.Close()
	answered := map[int]int{}
	for more() {
		status := 200
		var refused *refusal
		if err := w.send(request); errors.As(err, &refused) {
			status = refused.status
		} else if err != nil {
			return answered, fmt.Errorf("after %d answers: %w", len(answered), err)
		}
		answered[status]++
	}
	return answered, nil
}

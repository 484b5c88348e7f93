package delivery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/projections"
)

// atOnce is how many are under way at the same time, in every measurement.
const atOnce = 64

// BenchmarkDelivery measures deliveries to a local receiver, claim, try and end an event each, beside a bare HTTP client and the
// store's appends. The goal is 40 % of the smaller of the bare client and a third of the appends.
func BenchmarkDelivery(b *testing.B) {
	var hits atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		hits.Add(1)
	}))
	defer receiver.Close()
	log := openLog(b)
	files := commandstest.NewFiles(time.Now)
	// Turn by turn, so that a machine that does other things as well does them to all three.
	const rounds, each = 15, 200
	const count = rounds * each
	for i := range count {
		closed(b, log, files, "alice", project(i), receiver.URL+"/hook")
	}
	queue := &line{waiting: make(chan *message.Message)}
	end := startDeliverer(b, deliverer{
		log: log, files: files, queue: queue, perHost: atOnce, transport: webhooks(b, strings.TrimPrefix(receiver.URL, "http://")),
	})
	var posting, appending, delivering time.Duration
	b.ResetTimer()
	for round := range rounds {
		posting += spend(b, each, func(int) error { return post(b, receiver.URL) })
		appending += spend(b, each, func(i int) error {
			project := domain.ProjectID(fmt.Sprintf("append%010d", round*each+i))
			_, err := log.Append(b.Context(), movie.Stream(project), eventstore.NoStream, eventstore.Meta{Time: time.Now()}, movie.Cancelled{At: time.Now()})
			return err
		})
		delivering += spend(b, each, func(i int) error { return queue.deliver(round*each + i) })
	}
	b.StopTimer()
	end()
	bare, appends, deliveries := count/posting.Seconds(), count/appending.Seconds(), count/delivering.Seconds()
	if hits.Load() != 2*count {
		b.Fatalf("%d calls for %d posts and as many deliveries", hits.Load(), count)
	}
	share := 100 * deliveries / min(bare, appends/3)
	b.ReportMetric(bare, "bare/s")
	b.ReportMetric(appends, "appends/s")
	b.ReportMetric(deliveries, "deliveries/s")
	b.ReportMetric(share, "%-of-goal-base")
	if share < 40 {
		b.Errorf("%.0f deliveries a second are %.0f %% of the smaller of %.0f and %.0f/3", deliveries, share, bare, appends)
	}
}

func post(b *testing.B, address string) error {
	b.Helper()
	answer, err := http.Post(address, "application/json", bytes.NewReader(make([]byte, 500)))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// spend does something so many times, several at once, and returns how long that took.
func spend(b *testing.B, count int, do func(i int) error) time.Duration {
	b.Helper()
	begin := time.Now()
	var next atomic.Int64
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := next.Add(1); i <= int64(count); i = next.Add(1) {
				if err := do(int(i) - 1); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(begin)
}

func openLog(b *testing.B) *eventstore.Log {
	b.Helper()
	server, err := embedded.Open(embedded.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	client, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := client.Close(ctx); err != nil {
			b.Error(err)
		}
		if err := server.Close(ctx); err != nil {
			b.Error(err)
		}
		<-served
	})
	return eventstore.NewLog(client, eventstore.NewCodec())
}

// line hands over one task after another.
type line struct{ waiting chan *message.Message }

func (l *line) Subscribe(context.Context, string) (<-chan *message.Message, error) {
	return l.waiting, nil
}
func (l *line) Stop(context.Context) error { return nil }
func (l *line) Close() error               { close(l.waiting); return nil }

// deliver hands a movie over and waits until it is delivered.
func (l *line) deliver(i int) error {
	task := projections.Task{WorkItem: projections.WorkItem{ID: "deliver/" + string(project(i)), Kind: projections.WorkDeliver, Account: "alice", Subject: string(project(i))}}
	payload, err := json.Marshal(task)
	if err != nil {
		return err
	}
	msg := message.NewMessage(task.ID, payload)
	l.waiting <- msg
	select {
	case <-msg.Acked():
		return nil
	case <-msg.Nacked():
		return fmt.Errorf("%s failed", task.ID)
	}
}

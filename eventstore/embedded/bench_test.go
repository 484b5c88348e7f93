package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"moviola/eventstore/embedded"
)

const (
	benchTime   = 3 * time.Second // of each line of the table
	benchEvents = 1_000_000       // in the log that is started from
	benchReads  = 200_000         // events that are read
)

// BenchmarkTable measures the event store through the official client and prints one table, beside what this machine's disk and the client
// alone can do: every figure is of the same run. Events have 256 bytes; every caller appends to a stream of its own at the exact revision.
// It takes two minutes; run it with -benchtime 1x.
func BenchmarkTable(b *testing.B) {
	for range b.N {
		line("what", "per second", "p50", "p99")
		syncs := measureSyncs(b)
		printTimes("write of 512 bytes and fdatasync, one after the other", syncs, benchTime)
		for _, callers := range []int{1, 16, 64, 256} {
			for _, kind := range []struct {
				name string
				open func(embedded.Config) (*embedded.Server, error)
			}{{"without storage", embedded.OpenWithoutStorage}, {"on disk", embedded.Open}} {
				times, took := measureAppends(b, callers, kind.open)
				printTimes(fmt.Sprintf("append, %3d callers, %s", callers, kind.name), times, took)
			}
		}
		measureBig(b)
	}
}

func line(what, rate, p50, p99 string) {
	fmt.Printf("%-60s %12s %12s %12s\n", what, rate, p50, p99)
}

func printTimes(what string, times []time.Duration, took time.Duration) {
	slices.Sort(times)
	line(what, fmt.Sprintf("%.0f", float64(len(times))/took.Seconds()), milliseconds(times[len(times)/2]), milliseconds(times[len(times)*99/100]))
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// measureSyncs is what the disk can do for one writer that shares nothing.
func measureSyncs(b *testing.B) []time.Duration {
	b.Helper()
	file, err := os.Create(filepath.Join(b.TempDir(), "synced"))
	if err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	for began := time.Now(); time.Since(began) < benchTime; {
		start := time.Now()
		if _, err := file.Write(make([]byte, 512)); err != nil {
			b.Fatal(err)
		}
		if err := file.Sync(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return times
}

// benchServer is a served event store with a client that has connected.
func benchServer(b *testing.B, dir string, open func(embedded.Config) (*embedded.Server, error)) (client *esdb.Client, end func()) {
	b.Helper()
	server, err := open(embedded.Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	client = newClient(b, server.Addr())
	if _, err := client.GetServerVersion(); err != nil { // connects
		b.Fatal(err)
	}
	return client, func() {
		if err := errors.Join(client.Close(), closeServer(server), <-served); err != nil {
			b.Error(err)
		}
	}
}

func measureAppends(b *testing.B, callers int, open func(embedded.Config) (*embedded.Server, error)) ([]time.Duration, time.Duration) {
	b.Helper()
	client, end := benchServer(b, b.TempDir(), open)
	defer end()
	times := make([][]time.Duration, callers)
	var group sync.WaitGroup
	began := time.Now()
	for i := range callers {
		group.Go(func() { times[i] = appendFor(b, client, fmt.Sprintf("bench-%d", i)) })
	}
	group.Wait()
	return slices.Concat(times...), time.Since(began)
}

func benchPayload() []byte { return fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("x", 245)) }

// appendFor appends one event after the other for a while and returns how long each took.
func appendFor(b *testing.B, client *esdb.Client, stream string) []time.Duration {
	payload := benchPayload()
	var times []time.Duration
	var expected esdb.ExpectedRevision = esdb.NoStream{}
	for began := time.Now(); time.Since(began) < benchTime; {
		start := time.Now()
		written, err := client.AppendToStream(context.Background(), stream, esdb.AppendToStreamOptions{ExpectedRevision: expected},
			esdb.EventData{EventID: uuid.New(), EventType: "Measured", ContentType: esdb.ContentTypeJson, Data: payload})
		if err != nil {
			b.Error(err)
			return times
		}
		times = append(times, time.Since(start))
		expected = esdb.Revision(written.NextExpectedVersion)
	}
	return times
}

// measureBig measures what a log of a million events costs: its start and memory in a process of its own, reads, and live delivery.
func measureBig(b *testing.B) {
	b.Helper()
	dir := b.TempDir()
	if err := embedded.Fill(filepath.Join(dir, "events.db"), benchEvents, benchPayload()); err != nil {
		b.Fatal(err)
	}
	server, took := startBench(b, dir)
	line(fmt.Sprintf("start with %d events, until it listens", benchEvents), "", milliseconds(took), "")
	line("  its process, all of it, until the first answer", "", milliseconds(server.answered), "")
	line("  memory at rest", memory(server.process), "", "")
	client := newClient(b, server.addr)
	subscribeIdle(b, client, 100)
	line("  memory with 100 idle subscribers", memory(server.process), "", "")
	measureRead(b, client)
	measureGroup(b, client)
	measureLive(b, client)
	line("  memory after that", memory(server.process), "", "")
	_ = client.Close()
	server.kill()
}

type benchChild struct {
	*child
	answered time.Duration // from the start of the process to its first answer
}

// startBench starts a server as a process, reads one event from it, and returns how long the server took to open the log.
func startBench(b *testing.B, dir string) (benchChild, time.Duration) {
	b.Helper()
	began := time.Now()
	started := startChild(b, dir)
	client := newClient(b, started.addr)
	defer func() { _ = client.Close() }()
	read, err := client.ReadAll(context.Background(), esdb.ReadAllOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
	if err != nil {
		b.Fatal(err)
	}
	defer read.Close()
	if _, err := read.Recv(); err != nil {
		b.Fatal(err)
	}
	return benchChild{started, time.Since(began)}, started.opened
}

// memory is what a process has in memory now.
func memory(process *exec.Cmd) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Process.Pid))
	if err != nil {
		return "not known"
	}
	for _, row := range strings.Split(string(status), "\n") {
		if size, ok := strings.CutPrefix(row, "VmRSS:"); ok {
			var kilobytes float64
			_, _ = fmt.Sscan(size, &kilobytes)
			return fmt.Sprintf("%.1f MB", kilobytes/1024)
		}
	}
	return "not known"
}

func subscribeIdle(b *testing.B, client *esdb.Client, n int) {
	b.Helper()
	for i := range n {
		sub, err := client.SubscribeToStream(context.Background(), fmt.Sprintf("idle-%d", i), esdb.SubscribeToStreamOptions{From: esdb.Start{}})
		if err != nil {
			b.Fatal(err)
		}
		if message := sub.Recv(); message.CaughtUp == nil {
			b.Fatalf("an idle subscription begins with %s", describe(message))
		}
	}
}

func measureRead(b *testing.B, client *esdb.Client) {
	b.Helper()
	began := time.Now()
	read, err := client.ReadAll(context.Background(), esdb.ReadAllOptions{Direction: esdb.Forwards, From: esdb.Start{}}, benchReads)
	if err != nil {
		b.Fatal(err)
	}
	defer read.Close()
	n := 0
	for ; ; n++ {
		if _, err := read.Recv(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.Fatal(err)
		}
	}
	line(fmt.Sprintf("read %d events of $all", n), fmt.Sprintf("%.0f", float64(n)/time.Since(began).Seconds()), "", "")
}

// measureGroup measures a persistent subscription to the log with one consumer, which answers for every event by itself.
func measureGroup(b *testing.B, client *esdb.Client) {
	b.Helper()
	settings := esdb.SubscriptionSettingsDefault()
	settings.ReadBatchSize, settings.HistoryBufferSize, settings.LiveBufferSize = 500, 1000, 1000
	err := client.CreatePersistentSubscriptionToAll(context.Background(), "measured",
		esdb.PersistentAllSubscriptionOptions{Settings: &settings, StartFrom: esdb.Start{}})
	if err != nil {
		b.Fatal(err)
	}
	consumer, err := client.SubscribeToPersistentSubscriptionToAll(context.Background(), "measured",
		esdb.SubscribeToPersistentSubscriptionOptions{BufferSize: 500})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = consumer.Close() }()
	began := time.Now()
	for range benchReads {
		got := consumer.Recv()
		if got.EventAppeared == nil {
			b.Fatal(got.SubscriptionDropped.Error)
		}
		if err := consumer.Ack(got.EventAppeared.Event); err != nil {
			b.Fatal(err)
		}
	}
	line(fmt.Sprintf("persistent subscription to $all, %d events, an ack each", benchReads),
		fmt.Sprintf("%.0f", benchReads/time.Since(began).Seconds()), "", "")
}

// measureLive measures from the call of an append to the event's arrival at a subscriber.
func measureLive(b *testing.B, client *esdb.Client) {
	b.Helper()
	sub, err := client.SubscribeToAll(context.Background(), esdb.SubscribeToAllOptions{From: esdb.End{}, Filter: esdb.ExcludeSystemEventsFilter()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = sub.Close() }()
	var times []time.Duration
	var expected esdb.ExpectedRevision = esdb.NoStream{}
	began := time.Now()
	for range 1000 {
		id, start := uuid.New(), time.Now()
		written, err := client.AppendToStream(context.Background(), "live-1", esdb.AppendToStreamOptions{ExpectedRevision: expected},
			esdb.EventData{EventID: id, EventType: "Measured", ContentType: esdb.ContentTypeJson, Data: benchPayload()})
		if err != nil {
			b.Fatal(err)
		}
		expected = esdb.Revision(written.NextExpectedVersion)
		for arrived := false; !arrived; {
			message := sub.Recv()
			if message.SubscriptionDropped != nil {
				b.Fatal(message.SubscriptionDropped.Error)
			}
			arrived = message.EventAppeared != nil && message.EventAppeared.OriginalEvent().EventID == id
		}
		times = append(times, time.Since(start))
	}
	printTimes("live: from the call of an append to the subscriber", times, time.Since(began))
}

package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"moviola/tests/harness"
)

// consumer follows the log as the official client's documentation says: by a filtered subscription to $all, from a position that it has
// saved. What it has handled and the position are saved together, so a crash of its own takes back both.
type consumer struct {
	*testing.T
	address string
	filter  *esdb.SubscriptionFilter

	seen  []string // events handled, in order
	at    esdb.AllPosition
	saved struct {
		seen int
		at   esdb.AllPosition
	}
}

func (c *consumer) connect() *esdb.Client {
	c.Helper()
	settings, err := esdb.ParseConnectionString("esdb://" + c.address + "?tls=false")
	if err != nil {
		c.Fatal(err)
	}
	settings.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(settings)
	if err != nil {
		c.Fatal(err)
	}
	return client
}

// follow handles events until it has so many or is dropped, and says which. Sometimes it crashes: it goes back to what was saved.
func (c *consumer) follow(ctx context.Context, enough int) (dropped bool) {
	client := c.connect()
	defer func() { _ = client.Close() }()
	subscription, err := client.SubscribeToAll(ctx, esdb.SubscribeToAllOptions{From: c.at, Filter: c.filter, CheckpointInterval: 1})
	if err != nil {
		return true
	}
	defer func() { _ = subscription.Close() }()
	for len(c.seen) < enough {
		got := subscription.Recv()
		switch {
		case got.SubscriptionDropped != nil:
			return true
		case got.EventAppeared != nil:
			event := got.EventAppeared.OriginalEvent()
			c.seen = append(c.seen, place(event))
			c.at = event.Position
		case got.CheckPointReached != nil:
			c.at = *got.CheckPointReached
		}
		switch rand.IntN(20) {
		case 0, 1, 2:
			c.saved.seen, c.saved.at = len(c.seen), c.at
		case 3:
			c.seen, c.at = c.seen[:c.saved.seen], c.saved.at
			return true
		}
	}
	return false
}

func place(event *esdb.RecordedEvent) string {
	return fmt.Sprintf("%d@%s %s", event.EventNumber, event.StreamID, event.EventType)
}

// TestConsumer: a consumer of another program sees every event once and in order, whatever happens to the service under load, to its
// connection and to itself.
func TestConsumer(t *testing.T) {
	t.Parallel()
	address := harness.FreeAddr(t)
	s := harness.NewService(t, "--eventstore-listen", address, "--roles", "api,projector")
	s.StartAPI()
	client := s.NewAccount("load", 1_000_000)
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	end := loaded(t, client)
	c := &consumer{T: t, address: address, at: esdb.Start{}, filter: &esdb.SubscriptionFilter{
		Type: esdb.StreamFilterType, Prefixes: []string{"movie-", "ledger-"},
	}}
	c.saved.at = esdb.Start{}
	kills := 3
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		kills = 10
	}
	for kill := range kills {
		for want := 30 * (kill + 1); len(c.seen) < want; {
			if c.follow(ctx, want) && ctx.Err() != nil {
				t.Fatalf("only %d of %d events came", len(c.seen), want)
			}
		}
		s.API.Kill()
		s.StartAPI()
	}
	end()
	want := c.all(ctx)
	for len(c.seen) < len(want) && ctx.Err() == nil {
		c.follow(ctx, len(want))
	}
	if diff := cmp.Diff(want, c.seen); diff != "" {
		t.Errorf("the consumer has seen other events than there are (-want +got):\n%s", diff)
	}
	t.Logf("%d events seen", len(c.seen))
}

// loaded submits movies until the returned function is called. Submissions that a kill cuts off are nobody's business here.
func loaded(t *testing.T, client *harness.Client) (end func()) {
	t.Helper()
	body, err := json.Marshal(object{"scenes": list{object{"duration": 1, "elements": list{object{"type": "text", "text": "load"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					client.Try(http.MethodPost, "/movies", body)
				}
			}
		})
	}
	var once sync.Once
	end = func() { once.Do(func() { close(stop); work.Wait() }) }
	t.Cleanup(end)
	return end
}

// all reads what the filter lets through.
func (c *consumer) all(ctx context.Context) (events []string) {
	c.Helper()
	client := c.connect()
	defer func() { _ = client.Close() }()
	read, err := client.ReadAll(ctx, esdb.ReadAllOptions{From: esdb.Start{}}, 1<<40)
	if err != nil {
		c.Fatal(err)
	}
	defer read.Close()
	for {
		event, err := read.Recv()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			c.Fatal(err)
		}
		for _, prefix := range c.filter.Prefixes {
			if original := event.OriginalEvent(); len(original.StreamID) > len(prefix) && original.StreamID[:len(prefix)] == prefix {
				events = append(events, place(original))
			}
		}
	}
}

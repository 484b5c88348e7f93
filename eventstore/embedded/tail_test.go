package embedded_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"moviola/eventstore/embedded"
)

// woken is what a sleeper was woken with, 0: it still sleeps.
func woken(channel <-chan int64) int64 {
	select {
	case position := <-channel:
		return position
	default:
		return 0
	}
}

func TestTail_sleep(t *testing.T) {
	t.Parallel()
	tail := embedded.NewTail()
	tail.Publish("a-1", "b-1") // positions 1 and 2
	tests := []struct {
		name     string
		due      int64
		interest []string
		want     []int64 // after each of the commits below
	}{
		{"a stream", math.MaxInt64, []string{"a-2"}, []int64{0, 0, 5}},
		{"a category", math.MaxInt64, []string{"a-"}, []int64{0, 4, 0}},
		{"categories", math.MaxInt64, []string{"x-", "c-", "b-"}, []int64{3, 0, 0}},
		{"everything", math.MaxInt64, []string{""}, []int64{3, 0, 0}},
		{"nothing that comes", math.MaxInt64, []string{"x-", "y-1"}, []int64{0, 0, 0}},
		{"until it is due", 5, []string{"x-"}, []int64{0, 0, 6}},
		{"due earlier", 4, []string{"x-"}, []int64{0, 4, 0}},
		{"no category", math.MaxInt64, []string{"plain"}, []int64{0, 0, 6}},
	}
	channels := make([]<-chan int64, len(tests))
	ends := make([]func(), len(tests))
	for i, tt := range tests {
		channels[i], ends[i] = tail.Sleep(tt.due, tt.interest...)
	}
	for round, commit := range [][]string{{"b-1"}, {"a-1"}, {"a-2", "plain"}} {
		tail.Publish(commit...)
		for i, tt := range tests {
			if got := woken(channels[i]); got != tt.want[round] {
				t.Errorf("%s: after commit %d woken with %d, want %d", tt.name, round, got, tt.want[round])
			}
		}
	}
	for _, end := range ends {
		end()
	}
	if n := tail.Sleepers(); n != 0 {
		t.Errorf("%d sleepers are left", n)
	}
}

// TestFollow_idle: a subscriber whose stream is quiet while the log runs far ahead has not fallen behind, and misses nothing.
func TestFollow_idle(t *testing.T) {
	t.Parallel()
	server, err := embedded.OpenForgetful(embedded.Config{Dir: t.TempDir()}, 16)
	if err != nil {
		t.Fatal(err)
	}
	h := serveHarness(t, server)
	h.mustAppend("quiet-1", esdb.NoStream{}, events(1)...)
	f := h.followed(h.client.SubscribeToStream(h.ctx, "quiet-1", esdb.SubscribeToStreamOptions{From: esdb.Start{}}))
	for _, want := range []string{"quiet-1@0", "caught up"} {
		if got := describe(f.next()); got != want {
			t.Fatalf("%s came, want %s", got, want)
		}
	}
	for round := range uint64(5) {
		h.mustAppend(fmt.Sprintf("busy-%d", round), esdb.NoStream{}, events(100)...)
		h.mustAppend("quiet-1", esdb.Revision(round), events(1)...)
		if got, want := describe(f.next()), fmt.Sprintf("quiet-1@%d", round+1); got != want {
			t.Errorf("%s came, want %s", got, want)
		}
	}
}

package embedded_test

import (
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
)

// TestScavenge_buriedBefore: of streams that were deleted for good, and have no metadata, the events go even when the server ended
// before its next round: by itself in the first round of the next run, and by order.
func TestScavenge_buriedBefore(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]embedded.Config{
		"by itself": {Scavenge: 5 * time.Millisecond}, "by order": {Scavenge: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			again.Dir = t.TempDir()
			first := newHarness(t, embedded.Config{Dir: again.Dir, Scavenge: time.Hour})
			first.mustAppend("kept-1", esdb.NoStream{}, events(3)...)
			for _, stream := range []string{"a-1", "b-1"} {
				first.mustAppend(stream, esdb.NoStream{}, events(300)...)
				if _, err := first.client.TombstoneStream(first.ctx, stream, esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Any{}}); err != nil {
					t.Fatal(err)
				}
			}
			if err := closeServer(first.server); err != nil {
				t.Fatal(err)
			}
			second := newHarness(t, again)
			if again.Scavenge == time.Hour {
				for _, want := range []int{600, 0} {
					got, err := eventstoredb.Scavenge(second.ctx, eventstoredb.Config{Addr: second.server.Addr()})
					if err != nil || int(got) != want {
						t.Errorf("a scavenge removes %d events, %v; want %d", got, err, want)
					}
				}
			}
			for _, stream := range []string{"a-1", "b-1"} {
				second.awaitInLog(stream, []uint64{logfile.Tombstoned})
			}
			second.awaitInLog("kept-1", revisions(0, 2))
			if err := closeServer(second.server); err != nil {
				t.Fatal(err)
			}
			if report := mustVerify(t, again.Dir); len(report.Problems) > 0 || report.Removed != 600 {
				t.Errorf("the log is not sound: %+v", report)
			}
		})
	}
}

package projections

import (
	"testing"
	"time"
)

// TestBatching: after a pause atOnce batches need not wait, then one each gatherFor.
func TestBatching(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	var b batching
	for i := range atOnce {
		if b.mustWait(now) {
			t.Fatalf("batch %d waits", i)
		}
		b.committed(now)
	}
	if !b.mustWait(now.Add(gatherFor - 1)) {
		t.Error("more batches than allowed need not wait")
	}
	if now = now.Add(gatherFor); b.mustWait(now) {
		t.Error("the next batch waits for longer than its time")
	}
	b.committed(now)
	if !b.mustWait(now) {
		t.Error("two batches came in the time of one")
	}
	if now = now.Add(atOnce * gatherFor); b.mustWait(now) {
		t.Error("a pause has freed no batch")
	}
}

package processors

import (
	"fmt"
	"testing"
)

// TestFailures_bounded: at the limit a further failure displaces one that is remembered, and one that repeats displaces none.
func TestFailures_bounded(t *testing.T) {
	t.Parallel()
	var f failures
	for i := range maxFailures + 10 {
		f.add(fmt.Sprint(i))
		f.add(fmt.Sprint(i))
	}
	if newest := fmt.Sprint(maxFailures + 9); !f.work[newest] || len(f.work) != maxFailures {
		t.Errorf("%d are remembered; the newest: %v", len(f.work), f.work[newest])
	}
	known := 0
	for i := range maxFailures + 10 {
		if f.remove(fmt.Sprint(i)) {
			known++
		}
	}
	if known != maxFailures || len(f.work) != 0 {
		t.Errorf("%d were known, %d are left", known, len(f.work))
	}
}

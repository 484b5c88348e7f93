package embedded_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/tests/disk"
)

// TestPowerLoss cuts the power under callers, again and again. Every start, without any help, finds all that was acknowledged.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	d := disk.New(t, 64)
	c := newCrashes(t, 8)
	c.dir = filepath.Join(d.Path, "events")
	n := rounds(25, 1000)
	began := time.Now()
	for range n {
		server := startChild(t, c.dir)
		c.round(server, 1+rand.IntN(60), func() {
			c.cut.Store(true)
			d.CutPower()
			server.kill()
		})
		d.PowerUp()
	}
	t.Logf("%d power cuts in %v", n, time.Since(began))
	c.finish()
}

// TestDiskFull fills the disk under callers. Appends fail, the service says so, reads go on; with room again appends work without a
// restart, and nothing acknowledged is missing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	d := disk.New(t, 16)
	h := newHarness(t, embeddedIn(filepath.Join(d.Path, "events")))
	j := newJournal("full-1")
	for round := range rounds(4, 40) {
		const someHundredEvents = 256 << 10
		d.Fill(someHundredEvents)
		if err := j.appendAll(h.ctx, h.client, func() {}); err != nil { // until the first error
			t.Fatal(err)
		}
		if err := h.server.Health(); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("round %d: the disk is full, the server's health is %v", round, err)
		}
		j.check(t, h.client, 0)
		d.MakeRoom()
		h.mustAppend("other-1", anyRevision, events(1)...)
		if err := h.server.Health(); err != nil {
			t.Errorf("round %d: there is room again, the server's health is %v", round, err)
		}
	}
	if len(j.acked) == 0 {
		t.Error("nothing was appended")
	}
	if report := mustVerify(t, filepath.Join(d.Path, "events")); len(report.Problems) > 0 {
		t.Errorf("the log is not sound: %q", report.Problems)
	}
}

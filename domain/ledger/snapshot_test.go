package ledger_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"moviola/domain"
	"moviola/domain/ledger"
)

// TestRestore: a ledger restored from its state, through JSON, is the same ledger in all that it remembers, at every prefix
// of any history, and what follows folds to the same. A field that is forgotten in the state shows here.
func TestRestore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, now := ledger.New(), t0
		restored := ledger.New()
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			now = now.Add(time.Duration(rapid.IntRange(1, 300).Draw(t, "minutes")) * time.Minute)
			events := command(t, l, now)
			if rapid.Bool().Draw(t, "counted") {
				events = countCommand(t, l, now)
			}
			for _, event := range events {
				l.Apply(event)
				restored.Apply(event)
			}
			stored, err := json.Marshal(l.State())
			if err != nil {
				t.Fatal(err)
			}
			var state ledger.State
			if err := json.Unmarshal(stored, &state); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(l, ledger.Restore(state), cmp.Exporter(exported)); diff != "" {
				t.Fatalf("the restored ledger (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(l, restored, cmp.Exporter(exported)); diff != "" {
				t.Fatalf("a ledger restored earlier and folded on (-want +got):\n%s", diff)
			}
			if rapid.Bool().Draw(t, "restore") {
				restored = ledger.Restore(state)
			}
		}
	})
}

// countCommand draws a command of a counted plan.
func countCommand(t *rapid.T, l *ledger.Ledger, now time.Time) []domain.Event {
	project := domain.ProjectID(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "counted project"))
	if rapid.Bool().Draw(t, "count") {
		events, _ := l.Count(project, rapid.Bool().Draw(t, "draft"), ledger.Quota{Movies: 5, Drafts: 5}, now)
		return events
	}
	how := rapid.SampledFrom([]ledger.Ending{ledger.Spend, ledger.GiveBack, ledger.KeepOnly}).Draw(t, "how")
	events, _ := l.Settle(project, how, "failed", now)
	return events
}

// TestState_complete fails when a ledger gets a field that State does not know: it has to be added there, and StateVersion
// raised.
func TestState_complete(t *testing.T) {
	t.Parallel()
	var fields []string
	for field := range reflect.TypeFor[ledger.Ledger]().Fields() {
		fields = append(fields, field.Name)
	}
	want := []string{"granted", "charged", "held", "pack", "closed", "zeroSince", "purged", "grants", "open", "counts", "ended", "order"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("fields of a ledger (-known to State +there):\n%s", diff)
	}
}

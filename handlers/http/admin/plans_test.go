package admin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"moviola/domain/plan"
)

// TestShowPlan_history: a plan that says how long events stay in the log shows it, 0 for ever; one that does not shows null.
func TestShowPlan_history(t *testing.T) {
	t.Parallel()
	for want, history := range map[string]plan.History{"null": 0, "0": plan.Forever, "7200": plan.History(2 * time.Hour)} {
		shown, err := json.Marshal(showPlan(plan.Plan{Name: "gold", History: history}))
		if err != nil || !strings.HasSuffix(string(shown), `"history_seconds":`+want+`}`) {
			t.Errorf("%s, %v; want %s", shown, err, want)
		}
	}
}

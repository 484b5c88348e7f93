package plansfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/plansfile"
	"moviola/domain/plan"
)

// TestDefault: the file that is shipped says exactly what is built in. Decisions 36 and 38.
func TestDefault(t *testing.T) {
	t.Parallel()
	plans, err := plansfile.Parse(plansfile.Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range plans.Names() {
		if diff := cmp.Diff(plan.Plans{}.Of(name), plans.Of(name)); diff != "" {
			t.Errorf("%s (-built in +file):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(plan.BuiltInPrices, plans.Prices()); diff != "" {
		t.Errorf("prices (-built in +file):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"counted", "free", "paid"}, plans.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plans.yaml")
	text := "plans:\n  - {name: gold, length: 1h30m, width: 7680, height: 4320, email: true, email_recipients: 5000}\n  - {name: free, length: 5s, width: 640, height: 360}\nai_prices: {image: 3}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	plans, err := plansfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Plan{Name: "gold", Length: 90 * time.Minute, Width: 7680, Height: 4320, Email: true, EmailRecipients: 5000}
	if diff := cmp.Diff(want, plans.Of("gold")); diff != "" {
		t.Errorf("gold (-want +got):\n%s", diff)
	}
	if free := plans.Of("free"); free.Length != 5*time.Second || free.PackLength != 0 {
		t.Errorf("free is not replaced as a whole: %+v", free)
	}
	if !plans.Of("counted").Counted {
		t.Error("what the file does not name is lost")
	}
	if got := plans.Prices(); got != (plan.Prices{Image: 3, VoiceSecond: 1}) {
		t.Errorf("prices %+v", got)
	}
	none, err := plansfile.Read("")
	if err != nil || none.Of("paid").Length != 30*time.Minute {
		t.Errorf("without a file: %+v, %v", none, err)
	}
	if _, err := plansfile.Read(path + ".gone"); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestParse_mistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"plans:\n  - {name: gold, lenght: 1h, width: 1, height: 1}", "lenght"},
		{"plans:\n  - {name: gold, length: soon, width: 1, height: 1}", "soon"},
		{"plans:\n  - {name: gold, length: 0s, width: 1, height: 1}\n  - {length: 1s, width: 1, height: 1}", `plan "gold": the length must be at least one second`},
		{"plans:\n  - {name: gold, length: 0s, width: 1, height: 1}\n  - {length: 1s, width: 1, height: 1}", "a plan has no name"},
		{"plans:\n  - {name: a, length: 1s, width: 1, height: 1}\n  - {name: a, length: 1s, width: 1, height: 1}", "there twice"},
		{"plans:\n  - {name: a, length: 1s, width: 1, height: 1, counted: true, movies: -1}", "must not be negative"},
		{"ai_prices: {image: -1}", "the price of image"},
		{"ai_prices: {speech: 1}", "speech"},
		{"plans: []\n---\nplans: []", "more than one document"},
		{"- free", "cannot unmarshal"},
	}
	for _, tt := range tests {
		if _, err := plansfile.Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want one about %q", tt.text, err, tt.want)
		}
	}
	for _, text := range []string{"", "plans:\n", "ai_prices:\n", "# nothing\n"} {
		if plans, err := plansfile.Parse([]byte(text)); err != nil || plans.Prices() != plan.BuiltInPrices {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestParse_history: a plan says how long events stay in the log, or that they are never archived, or leaves it to the installation.
func TestParse_history(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		history plan.History
		kept    time.Duration // where the installation says 72h
		failure string
	}{
		"":                 {kept: 72 * time.Hour},
		"history: 2160h":   {history: plan.History(2160 * time.Hour), kept: 2160 * time.Hour},
		"history: 1h":      {history: plan.History(time.Hour), kept: time.Hour},
		"history: forever": {history: plan.Forever},
		"history: 59m":     {failure: "give a duration of 1h0m0s or more, such as 2160h, or forever"},
		"history: 0":       {failure: "or forever"},
		"history: -1ns":    {failure: "or forever"},
		"history: ever":    {failure: "or forever"},
	} {
		plans, err := plansfile.Parse([]byte("plans:\n  - name: gold\n    length: 1m\n    width: 10\n    height: 10\n    " + text + "\n"))
		if want.failure != "" {
			if err == nil || !strings.Contains(err.Error(), want.failure) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		gold := plans.Of("gold")
		if gold.History != want.history || gold.Kept(72*time.Hour) != want.kept || (len(plans.Histories()) == 1) != (want.history != 0) {
			t.Errorf("%s: %d, kept %s, %v", text, gold.History, gold.Kept(72*time.Hour), plans.Histories())
		}
	}
}

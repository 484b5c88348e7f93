package plan_test

import (
	"errors"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/plan"
)

// TestBuiltIn holds the built-in plans against decision 36, and their checks against decision 17.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		plan          string
		width, height int
		seconds       int64
		pack          bool
		size, length  string // what is refused
	}{
		{plan: plan.Free, width: 1920, height: 1080, seconds: 60},
		{plan: plan.Free, width: 1080, height: 1920, seconds: 60},
		{plan: plan.Free, width: 1922, height: 1080, size: "Movie is larger (1922x1080) than the service plan allowance (1920x1080)"},
		{plan: plan.Free, width: 1082, height: 1082, size: "Movie is larger (1082x1082) than the service plan allowance (1920x1080)"},
		{plan: plan.Free, width: 1080, height: 1922, size: "Movie is larger (1080x1922) than the service plan allowance (1920x1080)"},
		{plan: plan.Free, seconds: 61,
			length: "Movie duration (61 seconds) is longer than the service plan allowance (60 seconds). Please upgrade the service plan to continue."},
		{plan: plan.Free, seconds: 1800, pack: true},
		{plan: plan.Free, seconds: 1801, pack: true,
			length: "Movie duration (1801 seconds) is longer than the service plan allowance (1800 seconds). Please upgrade the service plan to continue."},
		{plan: plan.Paid, width: 3840, height: 3840, seconds: 1800},
		{plan: plan.Paid, width: 3842, height: 2, size: "Movie is larger (3842x2) than the service plan allowance (3840x3840)"},
		{plan: plan.Paid, seconds: 1801, pack: true,
			length: "Movie duration (1801 seconds) is longer than the service plan allowance (1800 seconds). Please upgrade the service plan to continue."},
		{plan: plan.Counted, width: 3840, height: 3840, seconds: 1800},
		{plan: plan.Counted, seconds: 10_000_000_000, length: "Movie duration (10000000000 seconds) is longer than the service plan " +
			"allowance (1800 seconds). Please upgrade the service plan to continue."},
		{plan: "unknown", seconds: 61,
			length: "Movie duration (61 seconds) is longer than the service plan allowance (60 seconds). Please upgrade the service plan to continue."},
	}
	for _, tt := range tests {
		p := plan.Plans{}.Of(tt.plan)
		requireRefusal(t, p.CheckSize(tt.width, tt.height), domain.QuotaExceeded, tt.size)
		requireRefusal(t, p.CheckLength(tt.seconds, tt.pack), domain.Invalid, tt.length)
	}
}

func requireRefusal(t *testing.T, err error, kind domain.Kind, message string) {
	t.Helper()
	var refusal *domain.Error
	switch {
	case message == "" && err != nil:
		t.Errorf("refused: %v", err)
	case message != "" && (!errors.As(err, &refusal) || refusal.Kind != kind || refusal.Message != message):
		t.Errorf("error %v, want %q", err, message)
	}
}

// TestEmail: decision 55.
func TestEmail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		plan plan.Plan
		most int
	}{
		"free":           {plan.Plans{}.Of(plan.Free), 0},
		"paid":           {plan.Plans{}.Of(plan.Paid), plan.DefaultEmailRecipients},
		"counted":        {plan.Plans{}.Of(plan.Counted), plan.DefaultEmailRecipients},
		"no word of it":  {plan.Plan{Name: "a"}, 0},
		"without number": {plan.Plan{Name: "a", Email: true}, plan.DefaultEmailRecipients},
		"with a number":  {plan.Plan{Name: "a", Email: true, EmailRecipients: 3}, 3},
	} {
		refusal := ""
		if tt.most == 0 {
			refusal = "E-mail destinations are not part of the service plan. Upgrade the service plan, or use a destination of another type"
		}
		if got := tt.plan.Recipients(); got != tt.most {
			t.Errorf("%s: %d recipients, want %d", name, got, tt.most)
		}
		requireRefusal(t, tt.plan.CheckEmail(), domain.QuotaExceeded, refusal)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	plans, err := plan.New(plan.Plan{Name: "free", Length: 5 * time.Second, Width: 100, Height: 100}, plan.Plan{Name: "gold", Length: time.Hour, Width: 1, Height: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Duration{"free": 5 * time.Second, "gold": time.Hour, "paid": 30 * time.Minute, "other": 5 * time.Second} {
		if got := plans.Of(name).Length; got != want {
			t.Errorf("%s allows %v, want %v", name, got, want)
		}
	}
	if !plans.Known("gold") || plans.Known("other") {
		t.Error("known plans")
	}
	for name, wrong := range map[string][]plan.Plan{
		"no name":                  {{Length: time.Minute, Width: 1, Height: 1}},
		"no length":                {{Name: "a", Width: 1, Height: 1}},
		"no size":                  {{Name: "a", Length: time.Minute}},
		"negative recipients":      {{Name: "a", Length: time.Minute, Width: 1, Height: 1, Email: true, EmailRecipients: -1}},
		"recipients without email": {{Name: "a", Length: time.Minute, Width: 1, Height: 1, EmailRecipients: 1}},
		"negative":                 {{Name: "a", Length: time.Minute, Width: 1, Height: 1, Counted: true, Movies: -1}},
		"twice":                    {plan.Plans{}.Of(plan.Free), plan.Plans{}.Of(plan.Free)},
	} {
		if _, err := plan.New(wrong...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

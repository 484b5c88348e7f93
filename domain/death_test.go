package domain_test

import (
	"testing"

	"moviola/domain"
)

// attempt is one attempt that was cut short: whether it had its process for itself, how it died, and what was finished by then.
type attempt struct {
	alone    bool
	death    domain.Death
	finished int
}

// TestTrial has a row for each rule of decision 56. The last attempt is the one at hand.
func TestTrial(t *testing.T) {
	crash := attempt{alone: true, death: domain.Crashed}
	killed := attempt{alone: true}
	for name, tt := range map[string]struct {
		attempts []attempt
		over     bool
		death    domain.Death
	}{
		"three crashes alone end it":              {[]attempt{crash, crash, crash}, true, domain.Crashed},
		"two do not":                              {[]attempt{crash, crash}, false, domain.Crashed},
		"a death without evidence never counts":   {[]attempt{killed, killed, killed, killed, killed}, false, domain.Unexplained},
		"nor between crashes":                     {[]attempt{crash, killed, crash, killed, killed}, false, domain.Crashed},
		"crashes are counted over deaths between": {[]attempt{crash, killed, crash, killed, crash}, true, domain.Crashed},
		"beside others it does not count":         {[]attempt{{death: domain.Crashed}, crash, crash}, false, domain.Crashed},
		"nor after a finished part":               {[]attempt{{true, domain.Crashed, 1}, {true, domain.Crashed, 2}, {true, domain.Crashed, 3}, {true, domain.Crashed, 4}}, false, domain.Crashed},
		"but when no more parts are finished":     {[]attempt{{true, domain.Crashed, 1}, {true, domain.Crashed, 1}, {true, domain.Crashed, 1}, {true, domain.Crashed, 1}}, true, domain.Crashed},
		"memory counts as well":                   {[]attempt{crash, crash, {alone: true, death: domain.OutOfMemory}}, true, domain.OutOfMemory},
	} {
		t.Run(name, func(t *testing.T) {
			var trial domain.Trial
			var before attempt
			for _, a := range tt.attempts {
				trial.Begin(a.alone, before.death, before.finished)
				before = a
			}
			death, over := trial.Over(before.death, before.finished)
			if over != tt.over || death != tt.death {
				t.Errorf("over: %v by %q, want %v by %q", over, death, tt.over, tt.death)
			}
		})
	}
}

package installation_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/installation"
)

func TestInstallation_Open(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	opened := installation.Opened{Fingerprint: "aa", At: at}
	tests := []struct {
		name        string
		given       []domain.Event
		fingerprint string
		want        []domain.Event
		refused     bool
	}{
		{"the first start", nil, "aa", []domain.Event{opened}, false},
		{"a later start", []domain.Event{opened}, "aa", nil, false},
		{"another secret", []domain.Event{opened}, "bb", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var i installation.Installation
			for _, event := range tt.given {
				i.Apply(event)
			}
			got, err := i.Open(tt.fingerprint, at)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			var refusal *domain.Error
			if errors.As(err, &refusal) != tt.refused || tt.refused && refusal.Kind != domain.Conflict {
				t.Errorf("error %v", err)
			}
		})
	}
}

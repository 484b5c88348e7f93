package projections_test

import (
	"testing"
	"time"

	"moviola/projections"
)

func TestTimeLeft(t *testing.T) {
	tests := []struct {
		name         string
		spent        time.Duration
		from, at, to uint64
		want         time.Duration
	}{
		{"half in a minute", time.Minute, 0, 500, 1000, time.Minute},
		{"from the middle", 10 * time.Second, 400, 600, 1000, 20 * time.Second},
		{"nothing done", time.Minute, 500, 500, 1000, 0},
		{"caught up", time.Minute, 0, 1000, 1000, 0},
		{"not begun", -1, 0, 940, 1000, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := projections.TimeLeft(tt.spent, tt.from, tt.at, tt.to); got != tt.want {
				t.Errorf("%v left, want %v", got, tt.want)
			}
		})
	}
}

package ffmpeg_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/render/ffmpeg"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	const hd, uhd, small = 1920 * 1080, 3840 * 2160, 320 * 240
	tests := []struct {
		name          string
		cores, memory int
		pixels        int
		atOnce        int
	}{
		{"one 1080p window for two processors", 2, 0, hd, 1},
		{"two small ones", 2, 0, small, 2},
		{"no more small ones than processors", 8, 0, small, 8},
		{"four 1080p windows for eight processors", 8, 0, hd, 4},
		{"one 2160p window for eight", 8, 0, uhd, 1},
		{"as memory allows", 8, 1000, hd, 2},
		{"always one", 1, 10, uhd, 1},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) { // whose clock stands while there is something to do
			l := ffmpeg.NewLimiter(tt.cores, tt.memory)
			releases := fill(t, l, tt.pixels)
			if len(releases) != tt.atOnce {
				t.Errorf("%s: %d at once, want %d", tt.name, len(releases), tt.atOnce)
			}
			for _, release := range releases {
				release()
			}
			if release, err := l.Acquire(t.Context(), uhd); err != nil {
				t.Errorf("%s: nothing was given back: %v", tt.name, err)
			} else {
				release()
			}
		})
	}
}

// fill takes room until there is none.
func fill(t *testing.T, l *ffmpeg.Limiter, pixels int) []func() {
	t.Helper()
	var releases []func()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		release, err := l.Acquire(ctx, pixels)
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			return releases
		}
		releases = append(releases, release)
	}
}

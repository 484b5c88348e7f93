package browser_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"moviola/adapters/browser"
)

// TestDraw_again: a page whose first frames have no picture, as on a busy machine, is drawn until there is one. No two frames have
// the same time.
func TestDraw_again(t *testing.T) {
	t.Parallel()
	for _, without := range []int{0, 1, 7} {
		drawn, times, err := browser.Draw(t.Context(), without, []byte("a picture"))
		if err != nil || string(drawn) != "a picture" || len(times) != without+1 {
			t.Errorf("%d frames without a picture: %q after %d frames, %v", without, drawn, len(times), err)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(times))); !slices.Equal(sorted, times) {
			t.Errorf("times of frames are %v", times)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := browser.Draw(ctx, 1_000_000, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a page that is never drawn ends with %v", err)
	}
}

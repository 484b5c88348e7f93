package renders

import (
	"math"
	"strings"
	"testing"
)

func TestCheckStill(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		moment         float64
		out, extension string
		refused        string
	}{
		{0, "a.png", ".png", ""},
		{2.5, "dir.d/A.JPG", ".jpg", ""},
		{2.5, "a.jpeg", ".jpeg", ""},
		{1, "a.mp4", "", "a still is a .png or a .jpg"},
		{1, "png", "", "a still is a .png or a .jpg"},
		{-1, "a.png", "", "must not be negative"},
		{math.NaN(), "a.png", "", "must not be negative"},
	} {
		got, err := checkStill(row.moment, row.out)
		if got != row.extension || (err == nil) != (row.refused == "") || err != nil && !strings.Contains(err.Error(), row.refused) {
			t.Errorf("%v %s: %q %v", row.moment, row.out, got, err)
		}
	}
}

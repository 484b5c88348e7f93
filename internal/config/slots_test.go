package config

import "testing"

func TestConfig_renderSlots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flag  string
		cores int
		want  int // 0: refused
	}{
		{"auto", 1, 1}, {"auto", 2, 1}, {"auto", 3, 1}, {"auto", 16, 8}, {"3", 1, 3}, {"0", 2, 0}, {"-1", 2, 0}, {"many", 2, 0}, {"", 2, 0},
	} {
		c := Config{Cores: tt.cores}
		err := c.RenderSlots.Set(tt.flag)
		if (err != nil) != (tt.want == 0) {
			t.Errorf("%q: %v", tt.flag, err)
		} else if err == nil && (c.MoviesAtOnce() != tt.want || c.RenderSlots.String() != tt.flag) {
			t.Errorf("%q on %d cores: %d slots, shown as %s", tt.flag, tt.cores, c.MoviesAtOnce(), c.RenderSlots.String())
		}
	}
}

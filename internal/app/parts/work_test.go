package parts

import (
	"maps"
	"slices"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/projections"
)

// TestSlots: processes of all roles together take every kind of work, and each row of the table of work names a role that exists.
func TestSlots(t *testing.T) {
	t.Setenv("MOVIOLA_SECRET", "some secret")
	cfg := config.Config{Data: t.TempDir(), Cores: 2, FetchSlots: 1, PreloadSlots: 1, DeliverSlots: 1}
	opened, err := stores.Open(t.Context(), cfg, logrus.New())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	want := map[string]bool{}
	for _, kind := range projections.WorkKinds() {
		if !slices.Contains(config.AllRoles, kind.Role) {
			t.Errorf("%s is done by %q, which is no role", kind.Name, kind.Role)
		}
		// A folder takes uploads through this service: there is nothing to confirm.
		want[kind.Name] = kind.Name != projections.WorkConfirm
	}
	taken := map[string]bool{projections.WorkConfirm: false}
	for _, role := range config.AllRoles {
		s := &Parts{Config: cfg, Stores: opened}
		s.Config.Roles = []string{role}
		for kind, n := range s.Slots() {
			if taken[kind] || n < 1 {
				t.Errorf("%s: %d slots for %s, which another role has: %v", role, n, kind, taken[kind])
			}
			taken[kind] = true
		}
	}
	if !maps.Equal(want, taken) {
		t.Errorf("%v are taken, want %v", taken, want)
	}
}

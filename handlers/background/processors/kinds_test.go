package processors

import (
	"testing"

	"moviola/projections"
)

// TestByKind: each row of the table of work has its processor, and no processor is without a row.
func TestByKind(t *testing.T) {
	t.Parallel()
	without := (&Processors{}).byKind()
	for _, kind := range projections.WorkKinds() {
		if p, has := without[kind.Name]; !has || p.do == nil || p.timeout <= 0 {
			t.Errorf("nothing does %q", kind.Name)
		}
		delete(without, kind.Name)
	}
	for kind := range without {
		t.Errorf("%q is no row of the table of work", kind)
	}
}

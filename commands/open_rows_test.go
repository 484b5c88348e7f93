package commands

import (
	"fmt"
	"testing"

	"moviola/domain"
	"moviola/domain/batch"
)

// TestOpenRows_full: with as many batches as can be remembered, only a further one makes the others forgotten.
func TestOpenRows_full(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		batch   batch.ID
		project domain.ProjectID
		want    int
	}{
		"another movie of a remembered batch": {"b7", "other", mostOpenRows},
		"the end of a remembered batch":       {"b7", "", mostOpenRows - 1},
		"the end of a batch not remembered":   {"new", "", mostOpenRows},
		"a further batch":                     {"new", "movie", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := openRows{last: map[batch.ID]domain.ProjectID{}}
			for i := range mostOpenRows {
				open.set(batch.ID(fmt.Sprintf("b%d", i)), "movie")
			}
			open.set(tt.batch, tt.project)
			if len(open.last) != tt.want || open.of(tt.batch) != tt.project {
				t.Errorf("%d batches are remembered, want %d; movie %q", len(open.last), tt.want, open.of(tt.batch))
			}
		})
	}
}

package projections_test

import (
	"testing"

	"moviola/projections/documentstest"
)

func TestMovies_List_Filters(t *testing.T) {
	t.Parallel()
	documentstest.Filters(t, newWorld(t).documents(t), 2500)
}

package documentstest

import (
	"fmt"
	"testing"

	"moviola/projections"
)

// Dump returns every live document of the current generation of the read models as text, by read model and id; only the
// document's own fields.
func Dump(t *testing.T, docs projections.Documents) map[string]string {
	t.Helper()
	out := map[string]string{}
	for model, place := range Pointer(t, docs).Models {
		declare(t, docs, place.Collection)
		q := projections.Query{Limit: projections.MaxPage}
		for more := true; more; {
			page, err := docs.Page(t.Context(), place.Collection, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, stored := range page {
				var fields map[string]any
				if err := stored.Body.Decode(&fields); err != nil {
					t.Fatal(err)
				}
				out[model+"/"+stored.ID] = fmt.Sprint(fields) // fmt prints maps in the order of their keys
			}
			if more = len(page) == projections.MaxPage; more {
				q.After = []any{page[len(page)-1].ID}
			}
		}
	}
	return out
}

// Pointer returns the pointer to the current generation.
func Pointer(t *testing.T, docs projections.Documents) projections.Pointer {
	t.Helper()
	declare(t, docs, "read_models")
	found, err := docs.Get(t.Context(), "read_models", "current")
	if err != nil {
		t.Fatal(err)
	}
	var pointer projections.Pointer
	if err := found["current"].Body.Decode(&pointer); err != nil {
		t.Fatal(err)
	}
	return pointer
}

// declare declares a collection without indexes, unless it is declared already.
func declare(t *testing.T, docs projections.Documents, name string) {
	t.Helper()
	if _, err := docs.Get(t.Context(), name, "nothing"); err == nil {
		return
	}
	if err := docs.Declare(t.Context(), projections.Collection{Name: name}); err != nil {
		t.Fatal(err)
	}
}

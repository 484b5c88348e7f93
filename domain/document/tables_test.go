package document

import (
	"maps"
	"slices"
	"testing"
)

// TestTablesBeside: every name in the tables of pictures, tests and choices is that of a row.
func TestTablesBeside(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, c := range Chapters() {
		for _, p := range c.Rows {
			rows[c.Title+": "+p.Name] = true
		}
	}
	named := map[string]bool{}
	for _, beside := range []map[string]map[string]string{measured, ours, chapterPictures} {
		for title, names := range beside {
			for name := range names {
				named[title+": "+name] = true
			}
		}
	}
	for title, names := range unseen {
		for _, name := range names {
			named[title+": "+name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if !rows[name] {
			t.Errorf("%s: there is no such row", name)
		}
	}
}

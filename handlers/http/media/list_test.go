package media_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

// TestList_pages reads a folder to its end by next_token: every page asks for as many documents as the first, however far back it is.
func TestList_pages(t *testing.T) {
	t.Parallel()
	library := &shelves{}
	for n := range 10_000 {
		library.names = append(library.names, fmt.Sprintf("file-%06d", n))
	}
	w := newWorld(t, library)
	seen, token := 0, ""
	for page := 0; ; page++ {
		var got struct {
			Files     []struct{ Name string }
			Total     int
			NextToken *string `json:"next_token"`
		}
		library.asked = 0
		if err := w.call(http.MethodGet, "/v2/media/folder", "path=many&next_token="+url.QueryEscape(token), "", &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Files) == 0 || got.Files[0].Name != library.names[seen] || got.Total != len(library.names) {
			t.Fatalf("page %d: %d of %d files", page, len(got.Files), got.Total)
		}
		seen += len(got.Files)
		if most := 1 + len(got.Files) + 1; library.asked > most { // the folder, the files, and one to see whether more follow
			t.Errorf("page %d asked for %d documents, want at most %d", page, library.asked, most)
		}
		if got.NextToken == nil {
			break
		}
		token = *got.NextToken
	}
	if seen != len(library.names) {
		t.Errorf("%d files were listed", seen)
	}
}

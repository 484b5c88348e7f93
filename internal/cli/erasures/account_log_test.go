package erasures

import (
	"fmt"
	"strings"
	"testing"

	"moviola/adapters/blobs"
	"moviola/domain/template"
)

// TestErasedFiles_left: a storage that fails for every folder of an account fills the report with a few of its errors, and with how
// many more there were.
func TestErasedFiles_left(t *testing.T) {
	t.Parallel()
	files, err := blobs.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	var done erasedFiles
	for i := range 8 {
		done.remove(t.Context(), files, fmt.Sprintf("media/account%d/", i))
		done.removeTemplate(t.Context(), files, template.ID(fmt.Sprintf("template%d", i)))
	}
	said := strings.Split(done.left().Error(), "\n")
	if len(said) != shownErrors+1 || said[shownErrors] != "19 further folders could not be cleared" {
		t.Errorf("it says\n%s", strings.Join(said, "\n"))
	}
}

package document_test

import (
	"os"
	"testing"

	"moviola/domain/document"
)

// notPictured are settings that no movie of the gallery shows: where a font comes from, and what is seen only beside what is missing.
var notPictured = map[string]bool{
	"font-url": true, "background-size": true, "background-position": true, "overflow": true, "border-spacing": true, "max-width": true,
	"display": true, "visibility": true,
}

// TestPictures: every setting of texts, pages and the parts of components has a picture that is there.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, c := range document.Chapters() {
		for _, p := range c.Rows {
			if p.Picture == "" {
				switch c.Title {
				case "Settings of texts", "Settings of pages", "Components":
					if !p.Idle && !notPictured[p.Name] {
						t.Errorf("%s: %s has no picture", c.Title, p.Name)
					}
				}
				continue
			}
			for _, extension := range []string{".jpg", ".json"} {
				if _, err := os.Stat("../../docs/gallery/" + p.Picture + extension); err != nil {
					t.Errorf("%s: %s: %v", c.Title, p.Name, err)
				}
			}
		}
	}
}

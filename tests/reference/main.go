// Command reference writes docs/movie.md, the page of all properties of the movie JSON, and docs/looked-at.md, which says by what
// each is known to do what it says. `go generate ./domain/document` runs it.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"moviola/tests/reference/pages"
)

func main() {
	log.SetFlags(0)
	const docs = "../../docs" // from the package whose table it is
	files := map[string]string{"movie.md": pages.Movie(),
		"looked-at.md": pages.LookedAt(func(picture string) string { return second(docs, picture) })}
	for name, page := range files {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(page), 0o644); err != nil {
			log.Fatal("reference: ", err)
		}
	}
}

// second is when the picture of a movie of the gallery was taken.
func second(docs, picture string) string {
	raw, err := os.ReadFile(filepath.Join(docs, "gallery", picture+".json"))
	if err != nil {
		log.Fatal("reference: ", err)
	}
	var movie struct {
		Thumbnail float64 `json:"thumbnail"`
	}
	if err := json.Unmarshal(raw, &movie); err != nil {
		log.Fatal("reference: ", picture, ": ", err)
	}
	return fmt.Sprint(movie.Thumbnail)
}

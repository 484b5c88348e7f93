// Command reference writes docs/movie.md, the page of all properties of the movie JSON. `go generate ./domain/document` runs it.
package main

import (
	"log"
	"os"

	"moviola/domain/document"
)

func main() {
	log.SetFlags(0)
	const path = "../../docs/movie.md" // from the package whose table it is
	if err := os.WriteFile(path, []byte(document.Markdown()), 0o644); err != nil {
		log.Fatal("reference: ", err)
	}
}

package harness

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// examplesEnv names a folder of real movies; by default, tests use a folder beside the repository.
const examplesEnv = "MOVIOLA_EXAMPLES"

// Example is a real movie, as a client submits it.
type Example struct {
	Name string // name of the movie's file
	Body []byte
}

var (
	remote = regexp.MustCompile(`https?://[^/"' )]+`)
	// reference matches the name of a template that the client has saved.
	reference = regexp.MustCompile(`("template": ")[A-Za-z0-9]{20}"`)
)

// Examples returns real movies. Their remote media are replaced by stand-ins, and their template by one of the given client. It
// skips the test when there are no movies.
func Examples(t testing.TB, client *Client, media *StandIns) []Example {
	t.Helper()
	dir := os.Getenv(examplesEnv)
	if dir == "" {
		dir = filepath.Join(Root(t), "..", "shared", "examples")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("there are no examples in %s; set %s to a folder of movies", dir, examplesEnv)
	}
	examples := make([]Example, len(files))
	for i, file := range files {
		movie, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples[i] = Example{filepath.Base(file), ownTemplate(client, remote.ReplaceAll(movie, []byte(media.URL)))}
	}
	return examples
}

// ownTemplate replaces the template that a movie names by an existing one with a headline.
func ownTemplate(client *Client, movie []byte) []byte {
	if !reference.Match(movie) {
		return movie
	}
	id := client.SaveTemplate(`{"name":"Sale","movie":{"resolution":"sd","variables":{"headline":"Sale"},
		"scenes":[{"elements":[{"type":"text","text":"{{headline}}","duration":2}]}]}}`)
	return reference.ReplaceAll(movie, []byte("${1}"+id+`"`))
}

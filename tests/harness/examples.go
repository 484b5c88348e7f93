package harness

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// examplesEnv names a folder of movies from the field; by default one beside the repository is used.
const examplesEnv = "MOVIOLA_EXAMPLES"

// Example is a movie from the field, as a client submits it.
type Example struct {
	Name string // of its file
	Body []byte
}

var (
	remote = regexp.MustCompile(`https?://[^/"' )]+`)
	// reference is how a movie names a template that its sender has saved.
	reference = regexp.MustCompile(`("template": ")[A-Za-z0-9]{20}"`)
)

// Examples returns the movies from the field, with stand-ins for their remote media and a template of the client's for theirs.
// It skips the test when there are none.
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

// ownTemplate gives a movie that names a template one that is there, with a headline.
func ownTemplate(client *Client, movie []byte) []byte {
	if !reference.Match(movie) {
		return movie
	}
	id := client.SaveTemplate(`{"name":"Sale","movie":{"resolution":"sd","variables":{"headline":"Sale"},
		"scenes":[{"elements":[{"type":"text","text":"{{headline}}","duration":2}]}]}}`)
	return reference.ReplaceAll(movie, []byte("${1}"+id+`"`))
}

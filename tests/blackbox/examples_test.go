package blackbox_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"moviola/tests/harness"
)

// examplesEnv names a folder of movies from the field to be rendered too; by default one beside the repository is used.
const examplesEnv = "MOVIOLA_EXAMPLES"

var remote = regexp.MustCompile(`https?://[^/"' )]+`)

// TestExamples renders movies from the field, their remote media replaced by stand-ins.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(examplesEnv)
	if dir == "" {
		dir = filepath.Join(harness.Root(t), "..", "shared", "examples")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("there are no examples in %s; set %s to a folder of movies", dir, examplesEnv)
	}
	media := harness.NewStandIns(t)
	service := harness.NewService(t, "--allow-host", media.Host)
	service.StartAPI()
	client := service.NewAccount("examples", 100_000)
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			movie, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			movie = ownTemplate(client, remote.ReplaceAll(movie, []byte(media.URL)))
			project := client.SubmitBody(movie)
			done := client.WaitFor(project, "done error")
			if done.Status != "done" {
				t.Fatalf("%s: %s", done.Status, done.Message)
			}
			if len(done.Warnings) > 0 {
				t.Logf("warnings: %q", done.Warnings)
			}
		})
	}
}

// reference is how a movie names a template that its sender has saved.
var reference = regexp.MustCompile(`("template": ")[A-Za-z0-9]{20}"`)

// ownTemplate gives a movie that names a template one that is there, with a headline.
func ownTemplate(client *harness.Client, movie []byte) []byte {
	if !reference.Match(movie) {
		return movie
	}
	id := client.SaveTemplate(`{"name":"Sale","movie":{"resolution":"sd","variables":{"headline":"Sale"},
		"scenes":[{"elements":[{"type":"text","text":"{{headline}}","duration":2}]}]}}`)
	return reference.ReplaceAll(movie, []byte("${1}"+id+`"`))
}

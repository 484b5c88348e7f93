package processors_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/projections"
)

// outputMaker makes outputs: a file with the name of the format, or what fails says.
type outputMaker struct {
	mu   sync.Mutex
	dir  string
	jobs []commands.OutputJob
	fail map[string]string // reasons by format
}

func (m *outputMaker) Make(_ context.Context, job commands.OutputJob) (made []movie.Output, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = append(m.jobs, job)
	for _, format := range job.Formats {
		o := movie.Output{Format: format, Status: movie.OutputDone, Duration: 4}
		if why := m.fail[format]; why != "" {
			made = append(made, o.Failed(why))
			continue
		}
		path := filepath.Join(m.dir, format)
		err = errors.Join(err, os.WriteFile(path, []byte("a "+format), 0o600))
		o.Files = []movie.OutputFile{{Name: "movie." + format, Key: path, Size: int64(len("a " + format))}}
		made = append(made, o)
	}
	return made, err
}

const outputsMovie = `{"id":"%","scenes":[{"duration":4}],"exports":[{"format":["gif","mp3"]}]}`

// made renders a movie with outputs, and returns its project and its outcome.
func made(t *testing.T, w *world, pr *process) (domain.ProjectID, movie.RenderFinished) {
	t.Helper()
	project := w.submitBody([]byte(outputsMovie))
	pr.do(render(project, 0))
	return project, w.finished(project)
}

// TestRender_outputs: outputs are made of the finished movie, stored and recorded; an equal movie gets copies. Decision 61.
func TestRender_outputs(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		w.outputMaker = &outputMaker{dir: w.dir}
		pr := w.start("one")
		defer pr.drain(time.Minute)
		first, end := made(t, w, pr)
		stem := "renders/" + string(first) + "/1-movie."
		want := []movie.Output{
			{Format: "gif", Status: movie.OutputDone, Duration: 4, Files: []movie.OutputFile{{Name: "movie.gif", Key: stem + "gif", Size: 5, Hash: sha256Of("a gif")}}},
			{Format: "mp3", Status: movie.OutputDone, Duration: 4, Files: []movie.OutputFile{{Name: "movie.mp3", Key: stem + "mp3", Size: 5, Hash: sha256Of("a mp3")}}},
		}
		if diff := cmp.Diff(want, end.File.Outputs); diff != "" || !end.Success || end.CacheKey == "" {
			t.Fatalf("outcome %+v (-want +got):\n%s", end, diff)
		}
		if w.files.Text(stem+"gif") != "a gif" || !w.outputMaker.jobs[0].Sound || w.outputMaker.jobs[0].Until.IsZero() {
			t.Errorf("job %+v", w.outputMaker.jobs[0])
		}
		w.cache.found = map[string]projections.Movie{string(alice) + "/" + end.CacheKey: {Project: string(first), Plan: end.Plan, File: end.File}}
		second := w.submitBody([]byte(strings.Replace(outputsMovie, `"%"`, `"another"`, 1)))
		pr.do(render(second, 0))
		copied := w.finished(second)
		key := "renders/" + string(second) + "/1-movie.mp3"
		if copied.CachedFrom != first || copied.File.Outputs[1].Files[0].Key != key || w.files.Text(key) != "a mp3" || len(w.outputMaker.jobs) != 1 {
			t.Errorf("the equal movie: %+v", copied)
		}
		// A copy that has no room for an output is not copied again: the next movie gets all from the first one.
		w.files.Fail(func(call, key string) error {
			if call == "put" && strings.HasSuffix(key, ".gif") {
				return storage.RendersFull("1 TB")
			}
			return nil
		})
		full := w.submitBody([]byte(strings.Replace(outputsMovie, `"%"`, `"full"`, 1)))
		pr.do(render(full, 0))
		w.files.Fail(nil)
		if lacks := w.finished(full); lacks.CachedFrom != first || lacks.File.Outputs[0].Status != movie.OutputError || lacks.CacheKey != "" {
			t.Errorf("the copy without room: %+v", lacks)
		}
		third := w.submitBody([]byte(strings.Replace(outputsMovie, `"mp3"`, `"wav"`, 1)))
		pr.do(render(third, 0))
		if other := w.finished(third); other.CachedFrom != "" || other.CacheKey == end.CacheKey {
			t.Errorf("a movie with other outputs is taken from the cache: %+v", other)
		}
	})
}

// TestDeliver_outputs: what is sent in place of the MP4 has its own media type and ending.
func TestDeliver_outputs(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		w.outputMaker = &outputMaker{dir: w.dir}
		pr := w.start("one")
		defer pr.drain(time.Minute)
		w.saveAll()
		project := w.submitBody([]byte(`{"scenes":[{"duration":4}],"exports":[{"format":["gif"],"destinations":[
			{"id":"server"},{"id":"server","format":"gif","file":"__filename__"}]}]}`))
		pr.do(render(project, 0))
		pr.do(deliver(project, 0))
		sent := w.parcels.all()
		if len(sent) != 2 || sent[0].media != "video/mp4" || sent[1].media != "image/gif" || sent[1].content != "a gif" || sent[1].settings["file"] != string(project)+".gif" {
			t.Errorf("sent %+v", sent)
		}
	})
}

// TestRender_outputFails: the movie succeeds, says what is missing, and is not reused.
func TestRender_outputFails(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		w.outputMaker = &outputMaker{dir: w.dir, fail: map[string]string{"gif": "too long"}}
		pr := w.start("one")
		defer pr.drain(time.Minute)
		_, end := made(t, w, pr)
		if !end.Success || end.CacheKey != "" || end.File.Outputs[0].Message != "too long" || end.File.Outputs[1].Status != movie.OutputDone {
			t.Errorf("outcome %+v", end)
		}
		if !strings.Contains(strings.Join(end.Warnings, "|"), "Output gif: too long") {
			t.Errorf("warnings %q", end.Warnings)
		}
	})
}

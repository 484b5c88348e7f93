package watch_test

import (
	"net/http"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/damage"
)

// damagedDocument lets a delivery fail again and again: the encrypted document of its movie is damaged.
func damagedDocument() fault {
	const mark, broken = "moviola sealed document\n{", "moviola sealed document\n["
	return fault{"a document is damaged", []string{"MoviolaWorkStuck"}, func(w *world) {
		movie := w.movie(0, w.receiver.URL)
		destination := object{"type": "webhook", "endpoint": w.receiver.URL, "password": "hush"}
		movie["exports"] = list{object{"destinations": list{destination}}}
		project := w.client.Submit(movie)
		w.client.WaitFor(project, "done")
		harness.Eventually(w.t, "the movie is delivered", func() bool {
			results := w.client.Get(project).Movie.DestinationsResult
			return len(results) == 1 && results[0]["status"] == "ok"
		})
		damage.Replace(w.t, w.service, mark, broken)
		answer := w.client.Do(http.MethodPost, "/movies/redeliver?project="+project, nil)
		if answer.Status != http.StatusOK {
			w.t.Fatalf("redeliver: %d %s", answer.Status, answer.Body)
		}
	}, func(w *world) { damage.Replace(w.t, w.service, broken, mark) }}
}

// newerVersion lets a newer version of the program make a movie beside this one, and then replaces every process by the newer
// one.
func newerVersion(t *testing.T) fault {
	newer := harness.NewerBinary(t)
	return fault{"a newer version has written", []string{"MoviolaStreamsStandStill"}, func(w *world) {
		for name := range w.members {
			w.members[name].process.Kill()
		}
		w.service.Program = newer
		w.start("api")
		w.start("renderer")
		w.start("reader")
		w.service.WaitReady()
		w.client.WaitFor(w.client.Submit(w.movie(0, w.receiver.URL)), "done")
		w.service.Program = ""
		for name := range w.members {
			w.again(name)
		}
	}, func(w *world) {
		w.service.Program = newer
		for name := range w.members {
			w.again(name)
		}
	}}
}

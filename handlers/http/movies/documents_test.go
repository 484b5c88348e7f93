package movies_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"moviola/adapters/vault"
	"moviola/domain/blobkey"
)

// A movie is asked for many times and its document never changes: it is read once, as long as there is room for it.
func TestDocuments_AreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(project, want string) int {
		before := w.opened
		if body := w.call("GET", "/v2/movies?project="+project, "viewer", "").Body.String(); !strings.Contains(body, want) {
			t.Fatalf("%s: %.300s", project, body)
		}
		return w.opened - before
	}
	w.add(done(project, now), `{"id":"a","scenes":[]}`)
	w.add(done(running, now), `{"scenes":[],"comment":"`+strings.Repeat("x", 300<<10)+`"}`)
	for i, want := range []int{1, 0, 0} {
		if got := read(project, `"json":{"id":"a","scenes":[]}`); got != want {
			t.Errorf("request %d read %d documents, want %d", i+1, got, want)
		}
	}
	for range 2 {
		if got := read(running, `"comment":"xxx`); got != 1 {
			t.Errorf("a large document was read %d times", got)
		}
	}
	// A document that is not there now may be there later.
	missing := "Missing000000000"
	w.add(done(missing, now), `{"scenes":[]}`)
	key := blobkey.Document(alice, "Missing000000000")
	content := w.files[key]
	delete(w.files, key)
	read(missing, `"json":null`)
	w.files[key] = content
	read(missing, `"json":{"scenes":[]}`)
}

func TestDocuments_AreLetGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := func(i int) string { return fmt.Sprintf("Many%012d", i) }
	const many = 150 // of 250 KB each: more than is kept
	for i := range many {
		w.add(done(name(i), now.Add(time.Duration(-i)*time.Second)), fmt.Sprintf(`{"id":"%d","scenes":[],"comment":"%s"}`, i, strings.Repeat("x", 250<<10)))
		if i%10 == 0 && i > 0 { // the first stays in use
			w.call("GET", "/v2/movies?project="+name(0), "viewer", "")
		}
		w.call("GET", "/v2/movies?project="+name(i), "viewer", "")
	}
	for i, want := range map[int]int{0: 0, 1: 1, many - 1: 0} {
		before := w.opened
		if body := w.call("GET", "/v2/movies?project="+name(i), "viewer", "").Body.String(); !strings.Contains(body, fmt.Sprintf(`"json":{"id":"%d"`, i)) {
			t.Errorf("%d: %.300s", i, body)
		}
		if got := w.opened - before; got != want {
			t.Errorf("document %d was read %d times, want %d", i, got, want)
		}
	}
}

// A list in the simple format needs a few words of each document, which are kept apart from it, however large it is.
func TestDocuments_EchoesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 3 {
		comment := strings.Repeat("x", i*300<<10)
		w.add(done(fmt.Sprintf("Some%012d", i), now), fmt.Sprintf(`{"id":"%d", "client-data":{"n": %d}, "comment":"%s", "scenes":[]}`, i, i, comment))
	}
	for _, tt := range []struct {
		path string
		want int // documents read
	}{{"?format=simple", 3}, {"?format=simple", 0}, {"", 3}, {"", 2}, {"?format=simple", 0}} {
		before := w.opened
		body := w.call("GET", "/v2/movies"+tt.path, "viewer", "").Body.String()
		for i := range 3 {
			if !strings.Contains(body, fmt.Sprintf(`"id":"%d"`, i)) || !strings.Contains(body, fmt.Sprintf(`"client-data":{"n":%d}`, i)) {
				t.Errorf("%s: %.500s", tt.path, body)
			}
		}
		if shown := strings.Count(body, `"json":{"id":"`); shown != map[bool]int{true: 0, false: 3}[tt.path != ""] {
			t.Errorf("%s: %d documents are shown", tt.path, shown)
		}
		if got := w.opened - before; got != tt.want {
			t.Errorf("%s: %d documents were read, want %d", tt.path, got, tt.want)
		}
	}
}

// A client's own values of any size are read again rather than kept beyond the room for them.
func TestDocuments_LargeEchoesAreNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(done(project, now), `{"id":"`+strings.Repeat("i", 300<<10)+`","scenes":[]}`)
	w.add(done(running, now), `{"client-data":{"a":"`+strings.Repeat("d", 300<<10)+`"},"scenes":[]}`)
	for range 2 {
		before := w.opened
		if body := w.call("GET", "/v2/movies?format=simple", "viewer", "").Body.String(); !strings.Contains(body, `"id":"iii`) {
			t.Fatalf("%.300s", body)
		}
		if got := w.opened - before; got != 2 {
			t.Errorf("%d documents were read, want 2", got)
		}
	}
}

// TestDocuments_TemplateSecrets: nobody sees the variables that a destination of the movie's template uses as secrets, in no form
// of the answer. A document from before these were known is shown as it was. Decision 100.
func TestDocuments_TemplateSecrets(t *testing.T) {
	t.Parallel()
	v, err := vault.New([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	const doc = `{"template":"T","variables":{"title":"Hello","pass":"hush"},"client-data":{"n":1}}`
	key := blobkey.Document(alice, project)
	sealed, err := v.Seal(key, []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for variables, want := range map[string]string{`,"variables":["pass"]`: `"***"`, ``: `"hush"`} {
		data, err := json.Marshal(sealed)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, func(w *world) { w.vault = v })
		w.add(done(project, now), doc)
		w.files[key] = []byte("moviola sealed document\n" + strings.TrimSuffix(string(data), "}") + variables + "}")
		for _, path := range []string{"/v2/movies", "/v2/movies?format=simple", "/v2/movies?project=" + project, "/v2/movies"} {
			for _, role := range []string{"viewer", "admin"} {
				body := w.call("GET", path, role, "").Body.String()
				shown := `"json":{"template":"T","variables":{"title":"Hello","pass":` + want + `},"client-data":{"n":1}}`
				if !strings.Contains(body, `"client-data":{"n":1}`) || strings.Contains(body, shown) == strings.HasSuffix(path, "simple") {
					t.Errorf("%s %s: %.500s", role, path, body)
				}
			}
		}
	}
}

package commands_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
)

// sender is a template whose destination takes its password from a variable.
const sender = `{"variables":{"title":"Hello"},"scenes":[{"duration":2,"elements":[{"type":"text","text":"{{title}}"}]}],
	"exports":[{"destinations":[{"type":"ftp","host":"a.example","username":"u","password":"{{pass}}","file":"{{title}}.mp4"}]}]}`

// wantSecrets checks the stored JSON of a movie: what it is without encryption, which variables are called secret, and, if
// there are any, that "hush" is not in the store.
func (w *world) wantSecrets(files commands.Files, project domain.ProjectID, content string, variables ...string) {
	w.t.Helper()
	key := blobkey.Document(alice, project)
	if got := mustReadFile(w.t, files, key); got != content {
		w.t.Errorf("%s: %s, want %s", project, got, content)
	}
	file, err := files.Open(w.t.Context(), key)
	w.must(err)
	defer file.Close()
	if got := commands.SecretVariables(file); !slices.Equal(got, variables) {
		w.t.Errorf("%s: the secret variables are %q, want %q", project, got, variables)
	}
	if at := mustReadFile(w.t, w.files, key); len(variables) > 0 && strings.Contains(at, "hush") {
		w.t.Errorf("%s lies as %s", project, at)
	}
}

// A movie by template is stored encrypted if a destination of the template uses one of the movie's variables as a secret, and
// the names of these variables stay known. Decision 100.
func TestSubmitMovie_templateSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	files := commands.SealDocuments(w.files, mustVault(t, keyOf('a')))
	submit := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: w.log, Ledgers: w.ledgers, Files: files, NewProject: w.newProject, Now: w.clock,
	})
	template := w.save("", sender)
	for _, tt := range []struct {
		variables string
		secret    []string
	}{
		{`{"title":"hush","pass":"hush"}`, []string{"pass"}},
		{`{"pass":"{{ mine }}","mine":"hush"}`, []string{"mine", "pass"}},
		{`{"title":"hush"}`, nil},
	} {
		body := fmt.Sprintf(`{"template":%q,"variables":%s}`, template, tt.variables)
		done, err := submit.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body)})
		w.must(err)
		w.wantSecrets(files, done.Project, body, tt.secret...)
	}
	// What a document tells itself needs no names.
	own := `{"variables":{"pass":"secret"},` + sender[len(`{"variables":{"title":"Hello"},`):]
	done, err := submit.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(own)})
	w.must(err)
	w.wantSecrets(files, done.Project, own)
	if at := mustReadFile(t, w.files, blobkey.Document(alice, done.Project)); strings.Contains(at, "secret") {
		t.Errorf("it lies as %s", at)
	}
}

// What is posted may not use a secret of the template in an expression, wherever the template is rendered. Decision 104.
func TestSubmitMovie_templateSecretUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	id := w.save("", strings.Replace(sender, `"title":`, `"pass":"hush","title":`, 1))
	body := fmt.Appendf(nil, `{"template":%q,"variables":{"title":"{{pass}}"}}`, id)
	wanted := &domain.Error{Kind: domain.Invalid, Code: "template_secret_used", Message: "The property 'variables' uses the variable " +
		"'pass', which is a secret of the destinations of template " + string(id) +
		": remove it there, or give the variable a value of your own in 'variables'"}
	submit := w.submitHandler()
	_, err := submit.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: body})
	requireRefusal(t, err, wanted)
	_, _, err = submit.Sketch(t.Context(), alice, body)
	requireRefusal(t, err, wanted)
	checked, err := submit.Preview(t.Context(), alice, body)
	w.must(err)
	requireRefusal(t, checked.Refused, wanted)
	_, err = w.requestBatch(w.order(id, "title\nHello\n{{pass}}\n"), "")
	w.must(err)
	requested, _ := w.batchOf().Requested()
	if len(requested.Rows) != 1 || len(requested.Flaws) != 1 || requested.Flaws[0].Code != "template_secret_used" {
		t.Errorf("requested %+v", requested)
	}
}

// The rows of a batch are stored encrypted while its template may use them as secrets, and so are the movies that are made of
// them. Decision 100.
func TestBatch_templateSecrets(t *testing.T) {
	t.Parallel()
	for template, secret := range map[string]bool{sender: true, card: false} {
		w := newWorld(t)
		w.grant(alice, 100)
		files := commands.SealDocuments(w.files, mustVault(t, keyOf('a')))
		submit := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
			Log: w.log, Ledgers: w.ledgers, Files: files, NewProject: w.newProject, Now: w.clock,
		})
		request := commands.NewRequestBatchHandler(commands.RequestBatchConfig{Submit: submit, NewID: func() batch.ID { return batchID }})
		id := w.save("", template)
		order := w.order(id, "title,pass\nHello,hush\n")
		_, err := request.Handle(t.Context(), commands.RequestBatch{Account: alice, Order: order, Hash: "h"})
		w.must(err)
		rows := blobkey.BatchRows(alice, batchID)
		if at := mustReadFile(t, w.files, rows); strings.Contains(at, "hush") == secret {
			t.Errorf("the rows lie as %s", at)
		}
		if got := mustReadFile(t, files, rows); !strings.Contains(got, "hush") {
			t.Errorf("the rows are read as %s", got)
		}
		w.must(commands.NewCompleteBatchHandler(submit).Handle(t.Context(), commands.CompleteBatch{Batch: batchID}))
		content := fmt.Sprintf(`{"template":%q,"variables":{"pass":"hush","title":"Hello"}}`, id)
		if secret {
			w.wantSecrets(files, batch.Project(batchID, 1), content, "pass")
		} else {
			w.wantSecrets(files, batch.Project(batchID, 1), content)
		}
	}
}

// A template that gives variables to another template is stored encrypted, because the other one's destinations may change.
func TestSealDocuments_templateOfTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stored := commandstest.NewFiles(w.clock)
	files := commands.SealDocuments(stored, mustVault(t, keyOf('a')))
	for content, sealed := range map[string]bool{
		`{"template":"template000000000001","variables":{"pass":"hush"}}`: true,
		`{"template":"template000000000001"}`:                             false,
		`{"variables":{"pass":"hush"},"scenes":[]}`:                       false,
	} {
		w.must(files.Put(t.Context(), "templates/t/h.json", strings.NewReader(content)))
		if got := mustReadFile(t, files, "templates/t/h.json"); got != content {
			t.Errorf("read %s, put %s", got, content)
		}
		if at := mustReadFile(t, stored, "templates/t/h.json"); (at == content) == sealed {
			t.Errorf("%s lies as %s", content, at)
		}
	}
}

// A new key changes nothing of what is known to be secret.
func TestResealDocument_templateSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, content := blobkey.Document(alice, project), `{"template":"template000000000001","variables":{"pass":"hush"}}`
	w.must(commands.SealDocuments(w.files, mustVault(t, keyOf('a'))).Put(t.Context(), key, strings.NewReader(content)))
	renewed := mustVault(t, keyOf('b'), keyOf('a'))
	if had, err := commands.ResealDocument(t.Context(), w.files, renewed, key); !had || err != nil {
		t.Fatalf("sealed anew: %v, %v", had, err)
	}
	w.wantSecrets(commands.SealDocuments(w.files, mustVault(t, keyOf('b'))), project, content, "pass")
}

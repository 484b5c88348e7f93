package commands_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

func TestSubmitMovie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	w.wait(1500 * time.Microsecond)
	ctx := eventstore.WithTrace(t.Context(), "request", "cause")
	got, err := w.submitHandler().Handle(ctx, commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
	w.must(err)
	end, err := w.log.Last(t.Context(), movieStream)
	w.must(err)
	at := t0.Add(time.Millisecond)
	if diff := cmp.Diff(commands.Submission{Project: project, At: at, Position: end.Position}, got); diff != "" {
		t.Errorf("submission (-want +got):\n%s", diff)
	}
	hash := sha256.Sum256([]byte(sevenSeconds))
	want := movie.Submitted{
		Account: alice, At: at, DocumentHash: hex.EncodeToString(hash[:]), DocumentSize: int64(len(sevenSeconds)), Held: 7,
		Destinations: 2, Targets: []movie.Target{{Type: "webhook"}, {Type: "webhook"}},
	}
	if diff := cmp.Diff(domain.Event(want), w.last(movieStream)); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld")
	w.wantCredits(0, 7)
	if got := mustRead(t, w.files, blobkey.Document(alice, project)); got != sevenSeconds {
		t.Errorf("document %s", got)
	}
	for _, recorded := range w.all() {
		if want := `"$correlationId":"request","$causationId":"cause","account":"alice"`; recorded.Type != "CreditsGranted" && recorded.Type != "AccountOpened" &&
			!strings.Contains(string(recorded.Metadata), want) {
			t.Errorf("metadata of %s: %s", recorded.Type, recorded.Metadata)
		}
	}
}

func mustRead(t *testing.T, files commands.Files, key string) string {
	t.Helper()
	f, err := files.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSubmitMovie_refused has a row for every refusal that can be told from body and credits: nothing is created, held or
// stored. Spec: Errors, POST /movies; decisions 6, 15, 16, 18 and 29.
func TestSubmitMovie_refused(t *testing.T) {
	t.Parallel()
	unreadable := domain.Errorf(domain.Invalid, "movie_json_invalid", "Error parsing movie JSON or the movie was empty")
	tests := []struct {
		name    string
		body    string
		credits int64
		want    *domain.Error
	}{
		{"empty body", "", 100, domain.Errorf(domain.Invalid, "movie_json_missing", "No movie JSON received")},
		{"no JSON", "{", 100, unreadable},
		{"no scenes", "{}", 100, unreadable},
		{"null", "null", 100, domain.Errorf(domain.Invalid, "movie_json_not_object", "No valid movie JSON received")},
		{"an array", "[]", 100, domain.Errorf(domain.Invalid, "movie_json_not_object", "No valid movie JSON received")},
		{"more than there is", sevenSeconds, 6, errInsufficient},
		{"no credits ever", sevenSeconds, 0, errNeverHadAny},
		{"an unknown template", `{"template":"abcdefghij0123456789"}`, 100, domain.Errorf(domain.NotFound, "template_not_found", "Template not found")},
		{"an unknown project", `{"project":"unknown000000000"}`, 100,
			domain.Errorf(domain.NotFound, "movie_not_found", "Movie ID unknown000000000 not found")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.credits > 0 {
				w.grant(alice, tt.credits)
			}
			_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(tt.body)})
			requireRefusal(t, err, tt.want)
			w.wantCredits(0, 0)
			w.wantFiles()
			w.wantEvents(movieStream)
		})
	}
}

func TestSubmitMovie_awsKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	body := `{"scenes":[{}],"exports":[{"destinations":[{"type":"aws-s3","id":"x","accessKey":"k"}]}]}`
	_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body)})
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Kind != domain.Invalid || refusal.Code != "aws_keys_in_movie" {
		t.Errorf("error %v", err)
	}
	w.wantFiles()
}

// TestSubmitMovie_Admit: an account is refused by its balance, not by its available credits. Decision 16.
func TestSubmitMovie_Admit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admit := w.submitHandler().Admit
	requireRefusal(t, admit(t.Context(), alice, ""), errNeverHadAny)
	w.grant(alice, 7)
	_, err := w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: project, Amount: 7})
	w.must(err)
	w.must(admit(t.Context(), alice, ""))
	_, err = w.ledgers.Charge(t.Context(), ledgers.Charge{Account: alice, Project: project})
	w.must(err)
	requireRefusal(t, admit(t.Context(), alice, ""), errSuspended)
	_, err = w.ledgers.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "more", Amount: 1})
	w.must(err)
	w.must(admit(t.Context(), alice, ""))
}

// TestSubmitMovie_byReference: a body that names an ended movie of the account renders it again. Decision 18.
func TestSubmitMovie_byReference(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	w.grant(mallory, 100)
	body := []byte(`{"project":"` + string(project) + `"}`)
	handler := w.submitHandler()
	_, err := handler.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: body})
	requireRefusal(t, err, domain.Errorf(domain.Invalid, "invalid_movie_status", "Invalid movie status"))
	_, err = w.start("w1", 0)
	w.must(err)
	w.must(w.finish(commands.FinishRender{Attempt: 1, Worker: "w1", Message: "broken"}))
	_, err = handler.Handle(t.Context(), commands.SubmitMovie{Account: mallory, Body: body})
	requireRefusal(t, err, domain.Errorf(domain.NotFound, "movie_not_found", "Movie ID %s not found", project))
	again, err := handler.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: body})
	w.must(err)
	if got := mustRead(t, w.files, blobkey.Document(alice, again.Project)); again.Project == project || got != sevenSeconds {
		t.Errorf("%s has document %s", again.Project, got)
	}
	w.wantCredits(0, 14)
}

// TestSubmitMovie_damagedOriginal: a movie whose stored document has changed is not rendered again, and nothing is charged.
func TestSubmitMovie_damagedOriginal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	_, err := w.start("w1", 0)
	w.must(err)
	w.must(w.finish(commands.FinishRender{Attempt: 1, Worker: "w1", Message: "broken"}))
	other := strings.Replace(sevenSeconds, "7", "8", 1)
	w.must(w.files.Put(t.Context(), blobkey.Document(alice, project), strings.NewReader(other)))
	_, err = w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(`{"project":"` + string(project) + `"}`)})
	requireRefusal(t, err, domain.Errorf(domain.Internal, "movie_json_damaged",
		"The JSON of movie %s is damaged. Nothing was created or charged.", project))
	if !errors.Is(err, commands.ErrDamaged) {
		t.Errorf("got %v", err)
	}
	if keys, err := w.files.List(t.Context(), blobkey.Documents.Of(alice)); err != nil || len(keys) != 1 {
		t.Errorf("documents %v, %v", keys, err)
	}
	w.wantCredits(0, 7)
}

// A template whose stored JSON has changed is not filled into a movie.
func TestFillDocument_damaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sum := sha256.Sum256([]byte(sevenSeconds))
	use := movie.TemplateUse{ID: "Abcdefgh12345678", Body: hex.EncodeToString(sum[:])}
	key := blobkey.Body(template.ID(use.ID), use.Body)
	body := []byte(`{"template":"` + use.ID + `"}`)
	w.must(w.files.Put(t.Context(), key, strings.NewReader(sevenSeconds)))
	if _, err := commands.FillDocument(t.Context(), w.files, body, []movie.TemplateUse{use}); err != nil {
		t.Fatal(err)
	}
	w.must(w.files.Put(t.Context(), key, strings.NewReader(strings.Replace(sevenSeconds, "7", "8", 1))))
	if _, err := commands.FillDocument(t.Context(), w.files, body, []movie.TemplateUse{use}); !errors.Is(err, commands.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestSubmitMovie_severalExports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	body := strings.Replace(sevenSeconds, `"exports":[`, `"exports":[{"destinations":[]},`, 1)
	_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body)})
	w.must(err)
	if got := w.last(movieStream).(movie.Submitted); got.Destinations != 1 || len(got.Targets) != 1 {
		t.Errorf("%d destinations, targets %v", got.Destinations, got.Targets)
	}
}

func TestSubmitMovie_notStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	w.files.Fail(func(string, string) error { return errors.New("disk full") })
	_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
	requireRefusal(t, err, domain.Errorf(domain.Internal, "movie_json_not_stored",
		"The movie could not be saved. Nothing was created or charged. Please try again."))
	w.wantEvents(ledgerStream, "CreditsGranted")
	w.wantEvents(movieStream)
}

// TestSubmitMovie_lateRefusal spends the credits between the first check and the hold: the stored document is removed.
func TestSubmitMovie_lateRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 7)
	w.files.Fail(func(call, _ string) error {
		if call != "put" {
			return nil
		}
		_, err := w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "another000000000", Amount: 1})
		return err
	})
	_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
	requireRefusal(t, err, errInsufficient)
	w.wantFiles()
	w.wantEvents(movieStream)
}

// TestSubmitMovie_lostAnswers loses the answers of the store: every event is stored once, with the id it had at first.
func TestSubmitMovie_lostAnswers(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*memory.Store, int){
		"before the append": (*memory.Store).LoseBefore,
		"after the append":  (*memory.Store).LoseAfter,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.grant(alice, 100)
				lose(w.store, 3)
				_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
				w.must(err)
				w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld")
				w.wantEvents(movieStream, "MovieSubmitted")
				w.wantCredits(0, 7)
				w.ledgers.Close()
			})
		})
	}
}

// TestSubmitMovie_giveUp: a request stops trying to append when its time limit is over, and fails.
func TestSubmitMovie_giveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 100)
		began := time.Now()
		w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
			if time.Since(began) > commands.SubmitLimit {
				t.Error("an append after the limit")
			}
			return eventstore.ErrUnavailable
		}})
		_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
		requireRefusal(t, err, errNotCreated)
		if took := time.Since(began); took != commands.SubmitLimit {
			t.Errorf("gave up after %v", took)
		}
		w.ledgers.Close()
	})
}

var errNotCreated = domain.Errorf(domain.Internal, "movie_not_created",
	"Error creating movie: the service is not able to store it now. Please try again.")

func TestNewProjectID(t *testing.T) {
	t.Parallel()
	seen := make(map[domain.ProjectID]bool)
	for range 1000 {
		id := commands.NewProjectID()
		if len(id) != 16 || !domain.IsBase62(string(id)) || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

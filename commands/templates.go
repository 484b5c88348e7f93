package commands

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
)

// LibraryAccount is the account of the service itself: it has the examples of the library rendered, after all others' movies, and may
// render every template for that.
const LibraryAccount domain.AccountID = "library"

// templates is what the commands on templates share.
type templates struct {
	log   *eventstore.Log
	files Files
	now   eventstore.Clock
}

// load folds a template.
func (s templates) load(ctx context.Context, id template.ID) (*template.Template, error) {
	t := template.New(id)
	if _, err := s.log.CatchUp(ctx, template.Stream(id), eventstore.Appended{Revision: eventstore.NoStream}, t.Apply); err != nil {
		return nil, fmt.Errorf("load template %s: %w", id, err)
	}
	return t, nil
}

// decide loads a template, lets it decide, and appends.
func (s templates) decide(ctx context.Context, account domain.AccountID, t *template.Template, id template.ID, decide func() ([]domain.Event, error)) (eventstore.Appended, error) {
	appended, err := s.log.Decide(ctx, template.Stream(id), t, func() (eventstore.Decision, error) {
		events, err := decide()
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, account, s.now.Stamp()), Events: events}, err
	})
	var refusal *domain.Error
	if err == nil || errors.As(err, &refusal) {
		return appended, err
	}
	return appended, notSaved(id, err)
}

// notSaved is what a client reads when the store did not do its part. Spec: Errors, POST /templates.
func notSaved(id template.ID, err error) error {
	refusal := domain.Errorf(domain.Internal, "template_not_saved", "Error saving template")
	return fmt.Errorf("save template %s: %w: %w", id, refusal, err)
}

// keep stores movie JSON and describes it. Nothing is changed by it: it is found only once an event names its hash.
func (s templates) keep(ctx context.Context, id template.ID, body []byte) (template.Body, error) {
	described, err := describe(body)
	if err != nil {
		return template.Body{}, err
	}
	if err := s.files.Put(ctx, blobkey.Body(id, described.Hash), bytes.NewReader(body)); IsStorageFull(err) {
		return template.Body{}, fmt.Errorf("save template %s: %w", id, err)
	} else if err != nil {
		return template.Body{}, notSaved(id, err)
	}
	return described, nil
}

// describe checks movie JSON and finds its size. Decisions 15 and 22 do not apply: a template may be a part of a movie, and what is wrong
// with it is found when it is rendered.
func describe(body []byte) (template.Body, error) {
	if len(body) > template.MaxBody {
		return template.Body{}, template.TooLarge()
	}
	width, height, ok := document.Canvas(body)
	if !ok {
		return template.Body{}, template.TooLarge()
	}
	hash := sha256.Sum256(body)
	return template.Body{Hash: hex.EncodeToString(hash[:]), Size: int64(len(body)), Width: width, Height: height}, nil
}

// read returns the movie JSON of a template as it was at a hash.
func (s templates) read(ctx context.Context, id template.ID, hash string) ([]byte, error) {
	body, err := readHashed(ctx, s.files, blobkey.Body(id, hash), hash)
	if err != nil {
		return nil, fmt.Errorf("read the movie of template %s: %w", id, err)
	}
	return body, nil
}

// errNoTemplate refuses a movie whose template does not exist, or belongs to another account. Spec: Errors; decision 6.
func errNoTemplate() error {
	return domain.Errorf(domain.NotFound, "template_not_found", "Template not found")
}

// filled is a document with its templates, and what was used.
type filled struct {
	body  []byte
	uses  []movie.TemplateUse
	texts []lint.Text
}

// fill resolves a document's reference to a template, as the templates are now. With an error, there is what was used until then.
func (s templates) fill(ctx context.Context, account domain.AccountID, body []byte) (filled, error) {
	var f filled
	var err error
	owners := map[string]domain.AccountID{"": account}
	f.body, err = document.Fill(body, func(name, by string) ([]byte, error) {
		id, ok := template.ParseID(name)
		if !ok {
			return nil, errNoTemplate()
		}
		t, err := s.load(ctx, id)
		if err != nil {
			return nil, err
		}
		// What a published template rests on is its owner's: whoever renders the one needs the other.
		asker := owners[by]
		if !t.Rendered(asker) && !(asker == LibraryAccount && t.Exists()) {
			return nil, errNoTemplate()
		}
		owners[name] = t.Owner()
		f.uses = append(f.uses, movie.TemplateUse{ID: name, Revision: t.Revision(), Body: t.Body().Hash})
		text, err := s.read(ctx, id, t.Body().Hash)
		f.texts = append(f.texts, lint.Text{Template: name, Raw: lint.Plain(text)})
		return text, err
	})
	return f, err
}

// FillDocument resolves the reference of a submitted document to templates, exactly as they were when it was submitted.
func FillDocument(ctx context.Context, files Files, body []byte, uses []movie.TemplateUse) ([]byte, error) {
	return document.Fill(body, func(id, _ string) ([]byte, error) {
		for _, use := range uses {
			if use.ID == id {
				return readHashed(ctx, files, blobkey.Body(template.ID(id), use.Body), use.Body)
			}
		}
		return nil, fmt.Errorf("template %s was not there when the movie was submitted", id)
	})
}

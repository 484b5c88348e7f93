package commands

import (
	"context"
	"fmt"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
)

// LibraryAccount is the account of the service itself. Examples of the template library are rendered for this account, after the
// movies of all other accounts. For these examples the account may use every template.
const LibraryAccount domain.AccountID = "library"

// Templates reads templates, and fills them into documents.
type Templates struct {
	log   *eventstore.Log
	files Files
}

// NewTemplates returns the templates of a log.
func NewTemplates(log *eventstore.Log, files Files) Templates {
	return Templates{log: log, files: files}
}

// Load folds the stream of a template.
func (s Templates) Load(ctx context.Context, id template.ID) (*template.Template, error) {
	t := template.New(id)
	if _, err := s.log.CatchUp(ctx, template.Stream(id), eventstore.Appended{Revision: eventstore.NoStream}, t.Apply); err != nil {
		return nil, fmt.Errorf("load template %s: %w", id, err)
	}
	return t, nil
}

// Read returns the movie JSON of a template, in the version that has the given hash.
func (s Templates) Read(ctx context.Context, id template.ID, hash string) ([]byte, error) {
	body, err := readHashed(ctx, s.files, blobkey.Body(id, hash), hash)
	if err != nil {
		return nil, fmt.Errorf("read the movie of template %s: %w", id, err)
	}
	return body, nil
}

// errNoTemplate refuses a movie whose template does not exist or belongs to another account. Spec: Errors; decision 6.
func errNoTemplate() error {
	return domain.Errorf(domain.NotFound, "template_not_found", "Template not found")
}

// FilledDocument is a document with its templates filled in, and the templates used.
type FilledDocument struct {
	Body  []byte
	Uses  []movie.TemplateUse
	Texts []lint.Text
}

// Fill fills the templates to which a document refers into the document, in their present versions. When it returns an error, it
// also returns the templates that were filled in before.
func (s Templates) Fill(ctx context.Context, account domain.AccountID, body []byte) (FilledDocument, error) {
	return s.fill(ctx, account, body, true)
}

// FillStored is Fill for a template's own movie, which may use the secrets of templates of the same account. Decision 104.
func (s Templates) FillStored(ctx context.Context, account domain.AccountID, body []byte) (FilledDocument, error) {
	return s.fill(ctx, account, body, false)
}

func (s Templates) fill(ctx context.Context, account domain.AccountID, body []byte, posted bool) (FilledDocument, error) {
	var f FilledDocument
	var err error
	owners := map[string]domain.AccountID{"": account}
	mayRead := func(by, id string) bool { return !posted || by != "" && owners[by] == owners[id] }
	load := func(name, by string) ([]byte, error) {
		id, ok := template.ParseID(name)
		if !ok {
			return nil, errNoTemplate()
		}
		t, err := s.Load(ctx, id)
		if err != nil {
			return nil, err
		}
		// Whether a template may use another template depends on the owner of the first, not on the rendering account: so
		// everybody can render a published template that uses other templates of its owner.
		asker := owners[by]
		if !t.Rendered(asker) && !(asker == LibraryAccount && t.Exists()) {
			return nil, errNoTemplate()
		}
		owners[name] = t.Owner()
		f.Uses = append(f.Uses, movie.TemplateUse{ID: name, Revision: t.Revision(), Body: t.Body().Hash})
		text, err := s.Read(ctx, id, t.Body().Hash)
		f.Texts = append(f.Texts, lint.Text{Template: name, Raw: lint.Plain(text)})
		return text, err
	}
	f.Body, err = document.FillGuarded(body, load, mayRead)
	return f, err
}

// FillDocument fills templates into a submitted document, in the versions that the submission used.
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

package templates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
)

// Publication is the state of a template's publication in the template library.
type Publication struct {
	// Status is PublicationListed, PublicationPending or PublicationWithdrawn.
	Status   string
	Position eventstore.Position // position of the template's last event; zero while Status is PublicationPending
}

// The statuses of publications.
const (
	PublicationListed    = "published"
	PublicationPending   = "pending" // no example of the present body is finished yet
	PublicationWithdrawn = "unpublished"
)

// Submitter accepts movies for rendering.
type Submitter interface {
	Handle(ctx context.Context, cmd commands.SubmitMovie) (commands.Submission, error)
}

// LibraryConfig is what NewLibraryHandler needs. Every field is required.
type LibraryConfig struct {
	Log    *eventstore.Log
	Files  commands.Files
	Submit Submitter
	// OpenAccount makes sure that LibraryAccount exists and has credits.
	OpenAccount func(ctx context.Context) error
	Now         func() time.Time
}

// LibraryHandler handles the operators' commands on the template library, and completes publications. A published template
// has an example: a movie of LibraryAccount made of the template alone.
type LibraryHandler struct {
	templates templates
	cfg       LibraryConfig
}

// NewLibraryHandler returns a handler.
func NewLibraryHandler(cfg LibraryConfig) LibraryHandler {
	return LibraryHandler{newTemplates(cfg.Log, cfg.Files, cfg.Now), cfg}
}

// Publish publishes a template in the template library: at once when it has an example of its present body, otherwise when a new
// example is rendered. Decision 42.
func (h LibraryHandler) Publish(ctx context.Context, id template.ID) (Publication, error) {
	t := template.New(id)
	appended, err := h.templates.decide(ctx, commands.LibraryAccount, t, id, func() ([]domain.Event, error) {
		return t.Republish(h.templates.now.Stamp())
	})
	if err != nil {
		return Publication{}, err
	}
	example, published := t.Example()
	if published && example.Body == t.Body().Hash {
		return Publication{Status: PublicationListed, Position: appended.Position}, nil
	}
	if err := h.cfg.OpenAccount(ctx); err != nil {
		return Publication{}, fmt.Errorf("open the account of the library: %w", err)
	}
	body, err := json.Marshal(map[string]any{"template": id})
	if err != nil {
		return Publication{}, err
	}
	// Because of the idempotency key, repeated calls render the same body only once. After a failed render, a call renders
	// it again only once the idempotency key has expired. An example that was pending at a withdrawal is never shown:
	// another one is rendered then.
	once := "example " + string(id) + " " + t.Body().Hash
	if t.Withdrawn() {
		once += fmt.Sprintf(" %d", t.Changes())
	}
	_, err = h.cfg.Submit.Handle(ctx, commands.SubmitMovie{Account: commands.LibraryAccount, Body: body, IdempotencyKey: once})
	return Publication{Status: PublicationPending}, err
}

// Unpublish removes a template from the template library. An example that is still pending is never shown.
func (h LibraryHandler) Unpublish(ctx context.Context, id template.ID) (Publication, error) {
	t := template.New(id)
	appended, err := h.templates.decide(ctx, commands.LibraryAccount, t, id, func() ([]domain.Event, error) {
		return t.Unpublish(h.templates.now.Stamp())
	})
	return Publication{Status: PublicationWithdrawn, Position: appended.Position}, err
}

// BuiltIn is a template that comes with the program.
type BuiltIn struct {
	ID     template.ID
	Name   string
	Tags   []string
	Prompt string
	Movie  []byte // the movie as JSON
}

// Install makes sure that a built-in template exists in the version that this program has. It also publishes the template, unless
// an operator has unpublished it: then new versions, too, stay unpublished until an operator publishes the template. A template
// that an operator has deleted stays deleted.
func (h LibraryHandler) Install(ctx context.Context, b BuiltIn) error {
	t, err := h.templates.Load(ctx, b.ID)
	if err != nil {
		return err
	}
	body, err := describe(b.Movie)
	if err != nil {
		return fmt.Errorf("install template %s: %w", b.Name, err)
	}
	_, published := t.Example()
	switch {
	case t.Revision() >= 0 && !t.Exists(), t.Body().Hash == body.Hash && published:
		return nil
	case t.Body().Hash != body.Hash:
		if err := h.bring(ctx, b, t.Exists()); err != nil {
			return err
		}
	}
	if t.Withdrawn() {
		return nil
	}
	_, err = h.Publish(ctx, b.ID)
	return err
}

// bring creates a built-in template, or updates it if it exists.
func (h LibraryHandler) bring(ctx context.Context, b BuiltIn, exists bool) error {
	body, err := h.templates.keep(ctx, b.ID, b.Movie)
	if err != nil {
		return err
	}
	t := template.New(b.ID)
	_, err = h.templates.decide(ctx, commands.LibraryAccount, t, b.ID, func() ([]domain.Event, error) {
		if exists {
			change := template.Change{Request: body.Hash, Name: &b.Name, Tags: &b.Tags, Body: &body, Prompt: &b.Prompt}
			return t.Update(commands.LibraryAccount, change, h.templates.now.Stamp())
		}
		return t.Create(commands.LibraryAccount, template.Draft{Name: b.Name, Tags: b.Tags, Body: body, Prompt: b.Prompt},
			h.templates.now.Stamp())
	})
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Kind == domain.Conflict {
		return nil // another process has installed the template
	}
	return err
}

// Exhibit puts a template into the template library when its example, a movie of LibraryAccount, is finished. It copies the
// movie's files, since files of movies expire. ErrNothingToDo: the movie is not an example of the template's present version,
// this version has or had an example already, or the template was taken out of the library after the example was requested.
func (h LibraryHandler) Exhibit(ctx context.Context, project domain.ProjectID, file movie.File) (eventstore.Position, error) {
	m, err := commands.NewMovies(h.cfg.Log, h.templates.now).Load(ctx, project)
	if err != nil {
		return eventstore.Position{}, err
	}
	submitted, ok := m.Submitted()
	if !ok || submitted.Account != commands.LibraryAccount || len(submitted.Templates) == 0 {
		return eventstore.Position{}, commands.ErrNothingToDo
	}
	use := submitted.Templates[0]
	id := template.ID(use.ID)
	t, err := h.templates.Load(ctx, id)
	if err != nil {
		return eventstore.Position{}, err
	}
	if !t.Awaits(use.Body, use.Revision) {
		return eventstore.Position{}, commands.ErrNothingToDo
	}
	stem := blobkey.ExamplesOf(id) + string(project)
	example := template.Example{Project: project, Body: use.Body, Video: stem + ".mp4", Thumbnail: stem + ".jpg"}
	if err := errors.Join(h.copy(ctx, file.Key, example.Video, file.Size, file.Hash),
		h.copy(ctx, file.Thumbnail, example.Thumbnail, 0, "")); err != nil {
		return eventstore.Position{}, fmt.Errorf("keep the example of template %s: %w", id, err)
	}
	t = template.New(id)
	appended, err := h.templates.decide(ctx, commands.LibraryAccount, t, id, func() ([]domain.Event, error) {
		return t.Publish(example, use.Revision, h.templates.now.Stamp())
	})
	return appended.Position, err
}

func (h LibraryHandler) copy(ctx context.Context, from, to string, size int64, hash string) error {
	_, err := commands.CopyFile(ctx, h.cfg.Files, to, from, size, hash)
	return err
}

// TemplateMovies reads the movie JSON of templates.
type TemplateMovies struct{ templates templates }

// NewTemplateMovies returns a reader.
func NewTemplateMovies(cfg TemplateConfig) TemplateMovies {
	return TemplateMovies{newTemplates(cfg.Log, cfg.Files, cfg.Now)}
}

// Movie returns the movie JSON of the template's version with the given hash. stored is the JSON as stored. filled has the
// templates that it uses filled in, if the account may use them; when that is refused, filled equals stored.
func (m TemplateMovies) Movie(
	ctx context.Context, account domain.AccountID, id template.ID, hash string,
) (stored, filled []byte, err error) {
	stored, err = m.templates.Read(ctx, id, hash)
	if err != nil {
		return nil, nil, err
	}
	f, err := m.templates.FillStored(ctx, account, stored)
	filled = f.Body
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return stored, stored, nil
	}
	return stored, filled, err
}

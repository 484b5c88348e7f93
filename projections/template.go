package projections

import (
	"context"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/template"
	"moviola/eventstore"
)

// Template is the read model of one saved template. Its id is the template's id. The movie JSON itself is a stored file, see
// BodyKey.
type Template struct {
	ID        string    `json:"id"`
	Revision  int64     `json:"revision"` // revision of the last event of the template's stream that was folded in
	Account   string    `json:"account"`  // account that owns the template
	State     string    `json:"state"`    // state of the template: alive, deleted, swept
	Name      string    `json:"name"`
	Tags      []string  `json:"tags"`
	BodyHash  string    `json:"body_hash"`
	BodySize  int64     `json:"body_size"` // size of the movie JSON in bytes
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	Prompt    string    `json:"prompt"`
	Published bool      `json:"published"` // the template is in the template library
	Video     string    `json:"video"`     // blob key of the example video; empty: none
	Thumbnail string    `json:"thumbnail"`
	Example   string    `json:"example"` // project of the example movie
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// The states of a template.
const (
	templateAlive   = "alive"
	templateDeleted = "deleted"
	templateSwept   = "swept"
)

// BodyKey is the blob key of the movie JSON.
func (t Template) BodyKey() string { return blobkey.Body(template.ID(t.ID), t.BodyHash) }

// foldTemplate applies one event of the template's stream. Publishing does not change updated_at: the template stays the same.
func foldTemplate(t Template, e Event) Template {
	switch d := e.Data.(type) {
	case template.Created:
		return beginTemplate(e.ID, d.Account, d.Name, d.Tags, d.Body, d.Prompt, d.At)
	case template.Duplicated:
		return beginTemplate(e.ID, d.Account, d.Name, d.Tags, d.Body, d.Prompt, d.At)
	case template.Updated:
		return t.updated(d)
	case template.Published:
		t.Published = true
		t.Video, t.Thumbnail, t.Example = d.Example.Video, d.Example.Thumbnail, string(d.Example.Project)
	case template.Unpublished:
		t.Published = false
	case template.Deleted:
		t.State, t.Published = templateDeleted, false
	case template.Swept:
		t.State = templateSwept
	}
	return t
}

func beginTemplate(
	id string, owner domain.AccountID, name string, tags []string, body template.Body, prompt string, at time.Time,
) Template {
	t := Template{
		ID: id, Account: string(owner), State: templateAlive, Name: name, Tags: tags, Prompt: prompt, CreatedAt: millis(at),
		UpdatedAt: millis(at),
	}
	return t.with(body)
}

func (t Template) with(body template.Body) Template {
	t.BodyHash, t.BodySize, t.Width, t.Height = body.Hash, body.Size, body.Width, body.Height
	return t
}

func (t Template) updated(d template.Updated) Template {
	t.UpdatedAt = millis(d.At)
	if d.Name != nil {
		t.Name = *d.Name
	}
	if d.Tags != nil {
		t.Tags = *d.Tags
	}
	if d.Prompt != nil {
		t.Prompt = *d.Prompt
	}
	if d.Body != nil {
		t = t.with(*d.Body)
	}
	return t
}

// The indexes of templates.
const (
	indexOwned     = "owned"
	indexPublished = "published"
)

var templateModel = streamModel[Template]{
	modelName: "templates", modelShape: 2, oldShape: 1, category: template.StreamCategory, forOwners: true,
	indexes: []Index{
		{Name: indexOwned, Fields: []Field{{Name: "account"}, {Name: "state"}, {Name: "updated_at", Descending: true}}},
		{Name: indexPublished, Fields: []Field{{Name: "published"}, {Name: "updated_at", Descending: true}}},
	},
	revision: func(t *Template) *int64 { return &t.Revision },
	fold:     foldTemplate,
}

// Templates answers queries for saved templates.
type Templates struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns a template, and false when it does not exist or is deleted. The template includes every event that its
// stream has at the time of the call. When the log is unavailable, Get returns the document as stored, or an error.
func (t *Templates) Get(ctx context.Context, id template.ID) (Template, bool, error) {
	doc, known, err := templateModel.load(ctx, t.at, string(id))
	if err == nil {
		doc, known, err = templateModel.catchUp(ctx, t.log, doc, known, string(id))
	}
	if err != nil || !known || doc.State != templateAlive {
		return Template{}, false, err
	}
	return doc, true, nil
}

// TemplateList selects templates of an account. They have to match all filters; empty: no filter.
type TemplateList struct {
	Account domain.AccountID
	Tag     string // one of the template's tags
}

// matches reports whether a template passes the filters.
func (l TemplateList) matches(one Template) bool {
	return l.Tag == "" || slices.Contains(one.Tags, l.Tag)
}

// Owned returns the selected templates, last updated first.
func (t *Templates) Owned(ctx context.Context, list TemplateList) ([]Template, error) {
	owned, err := t.all(ctx, indexOwned, string(list.Account), templateAlive)
	return slices.DeleteFunc(owned, func(one Template) bool { return !list.matches(one) }), err
}

// Deleted returns the deleted templates of an account whose files are not removed yet.
func (t *Templates) Deleted(ctx context.Context, account domain.AccountID) ([]Template, error) {
	return t.all(ctx, indexOwned, string(account), templateDeleted)
}

// Library returns all published templates, and the account's own that have one of the tags, last updated first. Decision 42.
func (t *Templates) Library(ctx context.Context, account domain.AccountID, tags []string) ([]Template, error) {
	library, err := t.all(ctx, indexPublished, true)
	if err != nil || len(tags) == 0 {
		return library, err
	}
	owned, err := t.all(ctx, indexOwned, string(account), templateAlive)
	if err != nil {
		return nil, err
	}
	for _, one := range owned {
		if !one.Published && slices.ContainsFunc(one.Tags, func(tag string) bool { return slices.Contains(tags, tag) }) {
			library = append(library, one)
		}
	}
	slices.SortStableFunc(library, func(a, b Template) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return library, nil
}

// all returns all templates that have the values in equal in the first fields of the index, in the order of the index.
func (t *Templates) all(ctx context.Context, index string, equal ...any) ([]Template, error) {
	q := Query{Index: index, Equal: equal, Limit: MaxPage}
	all := []Template{}
	for {
		some, err := page[Template](ctx, t.at, templateModel.modelName, q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < MaxPage {
			return all, nil
		}
		last := some[len(some)-1]
		q.After = []any{last.UpdatedAt, last.ID}
	}
}

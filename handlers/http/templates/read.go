package templates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/key"
	"moviola/domain/template"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// The refusals of GET /templates. Decision 40.
var (
	errFormat = domain.Errorf(domain.Invalid, "format_invalid", "Invalid format: use make or jsonschema, with the id of a template")
	errScopes = domain.Errorf(domain.Invalid, "scopes_invalid", "Invalid scopes: use movie and prompt, with commas between them")
	errID     = domain.Errorf(domain.Invalid, "template_id_ambiguous", "The parameter id is given twice, with different values")
	errTag    = domain.Errorf(domain.Invalid, "tag_ambiguous", "The parameter tag is given twice, with different values")
)

// The values of the parameter format, for a request for one template.
const (
	formatMake   = "make"
	formatSchema = "jsonschema"
)

// entry is a template in a list.
type entry struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Tags      []string `json:"tags"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
	Width     int      `json:"width"`
	Height    int      `json:"height"`
}

// whole is one template with all properties that its owner may see.
type whole struct {
	entry
	Movie     json.RawMessage `json:"movie,omitempty"`
	Owner     bool            `json:"owner"`
	Prompt    bool            `json:"prompt"`
	AIPrompt  *string         `json:"ai_prompt,omitempty"`
	Variables any             `json:"variables,omitempty"`
}

type list struct {
	Success   bool    `json:"success"`
	Count     int     `json:"count"`
	Templates []entry `json:"templates"`
	Timestamp string  `json:"timestamp"`
}

type single struct {
	Success   bool   `json:"success"`
	Template  whole  `json:"template"`
	Timestamp string `json:"timestamp"`
}

// getTemplates serves GET /templates: all templates of the account, or one.
func (a *API) getTemplates(w http.ResponseWriter, r *http.Request, c access.Call) error {
	c, err := a.cfg.Gate.ActFor(r, c)
	if err != nil {
		return err
	}
	ask, err := parseAsk(c)
	if err != nil {
		return err
	}
	if ask.id != "" {
		return a.getTemplate(w, r, c, ask)
	}
	owned, err := a.cfg.Templates.Owned(r.Context(), ask.list)
	if err != nil {
		return fmt.Errorf("list the templates of account %s: %w", c.Account, err)
	}
	answer := list{Success: true, Count: len(owned), Templates: []entry{}, Timestamp: web.Stamp(a.now())}
	for _, t := range owned {
		answer.Templates = append(answer.Templates, entryOf(t))
	}
	return web.Write(w, http.StatusOK, answer)
}

// ask is the parsed query of GET /templates.
type ask struct {
	list          projections.TemplateList // the requested list of templates; not used when id is set
	id, format    string
	movie, prompt bool
}

func parseAsk(c access.Call) (ask, error) {
	var q ask
	var ok bool
	if q.id, ok = c.One("id"); !ok {
		return q, errID
	}
	q.list.Account = c.Account
	if q.list.Tag, ok = c.One("tag"); !ok {
		return q, errTag
	}
	q.format, ok = c.One("format")
	known := q.format == "" || q.id != "" && (q.format == formatMake || q.format == formatSchema)
	if !ok || !known {
		return q, errFormat
	}
	scopes, ok := c.One("scopes")
	if !ok || scopes != "" && q.id == "" {
		return q, errScopes
	}
	return q, q.parseScopes(scopes)
}

// parseScopes reads which parts of a template are requested; empty: only its movie.
func (q *ask) parseScopes(scopes string) error {
	q.movie = scopes == ""
	for _, scope := range strings.FieldsFunc(scopes, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch scope {
		case "movie":
			q.movie = true
		case "prompt":
			q.prompt = true
		default:
			return errScopes
		}
	}
	return nil
}

// getTemplate answers with one template of the account. A template of another account is not found, even a published one.
// Decision 6.
func (a *API) getTemplate(w http.ResponseWriter, r *http.Request, c access.Call, q ask) error {
	t, err := a.owned(r.Context(), c.Account, q.id)
	if err != nil {
		return err
	}
	shown := whole{entry: entryOf(t), Owner: true, Prompt: t.Prompt != ""}
	if q.prompt {
		shown.AIPrompt = &t.Prompt
	}
	if q.movie || q.format != "" {
		stored, filled, err := a.cfg.Movies.Movie(r.Context(), c.Account, template.ID(t.ID), t.BodyHash)
		if err != nil {
			return fmt.Errorf("read the movie of template %s: %w", t.ID, err)
		}
		stored = document.Sound(stored)
		hidden := document.SecretVariables(filled)
		switch {
		case !c.Role.AtLeast(key.Editor): // a caller who may not edit templates must not see the passwords in them
			stored = document.Redact(stored, hidden...)
		case bytes.Equal(stored, filled): // all of it is the caller's own
			hidden = nil
		}
		if q.movie && q.format != formatSchema {
			shown.Movie = stored
		}
		switch q.format {
		case formatMake:
			shown.Variables = fieldsOf(filled, hidden)
		case formatSchema:
			shown.Variables = schemaOf(t.Name, filled, hidden)
		}
	}
	return web.Write(w, http.StatusOK, single{Success: true, Template: shown, Timestamp: web.Stamp(a.now())})
}

func (a *API) owned(ctx context.Context, account domain.AccountID, text string) (projections.Template, error) {
	id, ok := template.ParseID(text)
	if !ok {
		return projections.Template{}, template.NotFound(template.ID(text))
	}
	t, ok, err := a.cfg.Templates.Get(ctx, id)
	if err != nil {
		return projections.Template{}, fmt.Errorf("find template %s: %w", id, err)
	}
	if !ok || t.Account != string(account) {
		return projections.Template{}, template.NotFound(id)
	}
	return t, nil
}

func entryOf(t projections.Template) entry {
	e := entry{
		ID: t.ID, Name: t.Name, Tags: t.Tags, CreatedAt: web.Stamp(t.CreatedAt), UpdatedAt: web.Stamp(t.UpdatedAt),
		Width: t.Width, Height: t.Height,
	}
	if e.Tags == nil {
		e.Tags = []string{}
	}
	return e
}

// serveExample serves the example video of a published template, or its thumbnail. The address needs no secret: the library is
// public.
func (a *API) serveExample(w http.ResponseWriter, r *http.Request) {
	key, contentType, err := a.exampleOf(r)
	var file commands.File
	if err == nil && key != "" {
		file, err = a.cfg.Files.Open(r.Context(), key)
	}
	switch {
	case err == nil && key == "", errors.Is(err, commands.ErrFileNotFound):
		web.NotFound(w, r)
		return
	case err != nil:
		web.Fail(w, r, a.cfg.Log, fmt.Errorf("open an example: %w", err))
		return
	}
	defer file.Close()
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; media-src 'self'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "public, max-age=86400") // may be cached, because a new example has a new address
	http.ServeContent(w, r, "", file.ModTime(), file)
}

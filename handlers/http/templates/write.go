package templates

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/template"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// The refusals of POST and DELETE /templates. Spec: Errors; decision 41.
var (
	errNoPayload = domain.Errorf(domain.Invalid, "body_missing", "No payload provided")
	errBody      = domain.Errorf(domain.Invalid, "body_invalid", "The request body is not the JSON object that is expected here")
	errTagsType  = domain.Errorf(domain.Invalid, "tags_type", "Tags must be a string or an array")
	errMovieType = domain.Errorf(domain.Invalid, "movie_type", "Payload movie must be a JSON string or JSON object")
	errNameType  = domain.Errorf(domain.Invalid, "name_type", "name must be a text")
	errPrompt    = domain.Errorf(domain.Invalid, "prompt_type", "prompt must be a text")
	errVariables = domain.Errorf(domain.Invalid, "variables_type", "variables must be an object")
	errNoID      = domain.Errorf(domain.Invalid, "template_id_missing", "No template ID provided")
	errAction    = domain.Errorf(domain.Invalid, "action_invalid", "Invalid action: use duplicate, or leave it out")
)

type saved struct {
	Success    bool        `json:"success"`
	TemplateID template.ID `json:"templateId"`
	Name       string      `json:"name,omitempty"` // name of the duplicate, in an answer to action=duplicate
	Timestamp  string      `json:"timestamp"`
}

// payload is a parsed body. A field is nil when it is missing or null in the body.
type payload struct {
	name, prompt *string
	tags         *[]string
	movie        []byte
	variables    map[string]any
}

// postTemplate serves POST /templates: create, update, duplicate.
func (a *API) postTemplate(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := web.ReadBody(w, r, maxBody, template.TooLarge())
	if err != nil {
		return err
	}
	id, idOK := c.One("id")
	action, actionOK := c.One("action")
	switch {
	case !idOK:
		return errID
	case !actionOK, action != "" && action != "duplicate":
		return errAction
	case action != "" && id == "":
		return errNoID
	}
	p, err := readPayload(body)
	if err != nil {
		return err
	}
	if action != "" {
		return a.duplicate(w, r, c, id, p)
	}
	cmd := templates.SaveTemplate{Account: c.Account, Name: p.name, Tags: p.tags, Movie: p.movie, Prompt: p.prompt}
	if id != "" {
		var ok bool
		if cmd.ID, ok = template.ParseID(id); !ok {
			// The answer for a missing template is the same as for a template of another account. Decision 6.
			return domain.Errorf(domain.Forbidden, "template_not_owned", "Template %s is not owned by you", id)
		}
	}
	done, err := a.cfg.Save.Handle(r.Context(), cmd)
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, done.Position)
	return web.Write(w, http.StatusOK, saved{Success: true, TemplateID: done.ID, Timestamp: web.Stamp(a.now())})
}

func (a *API) duplicate(w http.ResponseWriter, r *http.Request, c access.Call, text string, p payload) error {
	id, ok := template.ParseID(text)
	if !ok {
		return template.NotFound(template.ID(text))
	}
	cmd := templates.DuplicateTemplate{Account: c.Account, Source: id, Variables: p.variables}
	if p.name != nil {
		cmd.Name = *p.name
	}
	done, err := a.cfg.Duplicate.Handle(r.Context(), cmd)
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, done.Position)
	return web.Write(w, http.StatusOK, saved{Success: true, TemplateID: done.ID, Name: done.Name, Timestamp: web.Stamp(a.now())})
}

// deleteTemplate serves DELETE /templates.
func (a *API) deleteTemplate(w http.ResponseWriter, r *http.Request, c access.Call) error {
	text, ok := c.One("id")
	switch {
	case !ok:
		return errID
	case text == "":
		return errNoID
	}
	id, ok := template.ParseID(text)
	if !ok {
		return template.NotFound(template.ID(text))
	}
	at, err := a.cfg.Delete.Handle(r.Context(), templates.DeleteTemplate{Account: c.Account, ID: id})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, at)
	return web.Write(w, http.StatusOK, done{Success: true, Timestamp: web.Stamp(a.now())})
}

func readPayload(body []byte) (payload, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return payload{}, errNoPayload
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil || !utf8.Valid(body) {
		return payload{}, errBody
	}
	for name, value := range fields {
		if string(value) == "null" {
			delete(fields, name)
		}
	}
	var p payload
	var err error
	if p.name, err = textOf(fields["name"], errNameType); err != nil {
		return p, err
	}
	if p.prompt, err = textOf(fields["prompt"], errPrompt); err != nil {
		return p, err
	}
	if p.tags, err = tagsOf(fields["tags"]); err != nil {
		return p, err
	}
	if p.movie, err = movieOf(fields["movie"]); err != nil {
		return p, err
	}
	if raw, ok := fields["variables"]; ok {
		if err := document.CheckSize("The object variables", "variables_type", raw); err != nil {
			return p, err
		}
		read := json.NewDecoder(bytes.NewReader(raw))
		read.UseNumber() // numbers in the JSON are kept exactly as written
		if read.Decode(&p.variables) != nil {
			return p, errVariables
		}
	}
	return p, nil
}

func textOf(raw json.RawMessage, refusal error) (*string, error) {
	if raw == nil {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, refusal
	}
	return &text, nil
}

// tagsOf reads tags: an array of texts, or one text with commas. Spec: Template.
func tagsOf(raw json.RawMessage) (*[]string, error) {
	if raw == nil {
		return nil, nil
	}
	var tags []string
	if json.Unmarshal(raw, &tags) == nil {
		return &tags, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, errTagsType
	}
	tags = strings.Split(text, ",")
	return &tags, nil
}

// movieOf reads a movie: an object, or its JSON as a text. The text is validated when the template is saved.
func movieOf(raw json.RawMessage) ([]byte, error) {
	switch {
	case raw == nil:
		return nil, nil
	case raw[0] == '{':
		return raw, nil
	case raw[0] != '"':
		return nil, errMovieType
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, errMovieType
	}
	return []byte(text), nil
}

package lint

import (
	"errors"
	"strings"

	"moviola/domain/document"
	"moviola/domain/jsontext"
)

// notes adds a problem for each of the notes, until the collector needs no more.
func (w *where) notes(c *collector, notes []document.Note) {
	for _, n := range notes {
		if c.enough() {
			return
		}
		w.note(c, n)
	}
}

// note adds a problem for a note that was made while the movie was read or laid out.
func (w *where) note(c *collector, n document.Note) {
	if n.Code == document.PropertyRepeated {
		return // Not reported here: the check of the text finds the mistake too, with its exact position.
	}
	if _, _, embedded := document.EmbeddedFrom(w.made(n.Ref)); embedded && n.Code == document.Deprecated {
		return // Not reported: the note names the component, but the document has an element of the deprecated type template.
	}
	at := w.place(n)
	p := Problem{
		Template: at.template, Pointer: at.pointer, Code: n.Code, Severity: Warning, Message: n.Text, Remedy: n.Remedy,
		warning: n.String(),
	}
	if n.Fatal {
		p.Severity = Error
		p.Refusal = codeOf(n.Err(), "")
	}
	if p.Remedy == "" {
		p.Remedy = w.remedy(n)
	}
	if n.Code == document.PropertyMissing { // a note about a missing property belongs to the object that lacks the property
		if len(c.at[at]) > 0 {
			return // Not reported: the property exists but is wrong, and another note says so.
		}
		p.Pointer = strings.TrimSuffix(p.Pointer, n.Path)
		if i := strings.LastIndexByte(n.Path, '/'); i > 0 {
			p.Pointer += n.Path[:i]
		}
	}
	c.add(p)
}

// remedy returns what to do about a note, by its code.
func (w *where) remedy(n document.Note) string {
	tokens := jsontext.Tokens(n.Path)
	name := ""
	if len(tokens) > 0 {
		name = tokens[len(tokens)-1]
	}
	switch n.Code {
	case document.PropertyMissing:
		return "Add the property '" + name + "'"
	case document.PropertyIdle:
		return "Remove it"
	case document.Deprecated:
		return "Use what the message names instead"
	case document.ExpressionInvalid:
		return "Correct the expression between the braces"
	case document.VariableUndefined:
		return "Define the variable in 'variables', or correct its name"
	case document.TimingInvalid:
		return "Give one of the elements a time that does not depend on the others"
	case document.ValueAdjusted:
		return "Write the value that is used"
	}
	return "Change the value, or remove the property"
}

// refusal adds the reason for refusing the movie, unless a problem has that reason already.
func (w *where) refusal(c *collector) {
	refused, ok := asRefusal(w.in.Refused)
	if !ok {
		return
	}
	for _, p := range c.found {
		if p.Refusal == refused.Code {
			return
		}
	}
	at := place{}
	for _, path := range propertiesOf[refused.Code] {
		if has(w.in.Filled, []string{path}) {
			at = w.top("/" + path)
			break
		}
	}
	c.add(Problem{Template: at.template, Pointer: at.pointer, Code: MovieRefused, Severity: Error, Message: refused.Message,
		Remedy: remedyOf[refused.Code], Refusal: refused.Code})
}

// propertiesOf maps codes of refusals to the properties that may be the cause, the most likely property first.
var propertiesOf = map[string][]string{
	"movie_too_large":    {"width", "height", "resolution"},
	"template_not_found": {"template", "templateId"},
	"movie_not_found":    {"project"}, "invalid_movie_status": {"project"},
	"aws_keys_in_movie": {"exports"}, "azure_keys_in_movie": {"exports"}, "google_keys_in_movie": {"exports"},
}

// remedyOf maps codes of refusals to remedies.
var remedyOf = map[string]string{
	"movie_json_missing":        "Post the JSON of a movie",
	"movie_json_invalid":        "Give the movie 'scenes' or 'elements', each a list, or a 'template'",
	"movie_json_not_object":     "Post a JSON object",
	"movie_json_too_deep":       "Make the JSON flatter",
	"movie_json_too_complex":    "Make the movie smaller, or split it",
	"movie_too_many_scenes":     "Use fewer scenes, or split the movie",
	"movie_too_many_elements":   "Use fewer elements, or split the movie",
	"movie_expansion_too_large": "Repeat less, or split the movie",
	"movie_duration_zero":       "Give a scene or an element a 'duration'",
	"movie_too_long":            "Shorten the movie",
	"movie_too_large":           "Choose a smaller 'resolution', or another plan",
	"movie_duration_exceeded":   "Shorten the movie, or choose another plan",
	"template_not_found":        "Use the id of a template of the account or of the library",
	"movie_not_found":           "Use the id of a finished movie of the account",
	"invalid_movie_status":      "Wait until that movie is finished",
	"aws_keys_in_movie":         "Save the keys in a connection and name its id",
	"azure_keys_in_movie":       "Save the keys in a connection and name its id",
	"google_keys_in_movie":      "Save the keys in a connection and name its id",
	"template_circle":           "Let the template refer to another one",
	"template_chain_too_long":   "Use fewer templates that rest on each other",
}

func errorsAs(err error, target any) bool { return err != nil && errors.As(err, target) }

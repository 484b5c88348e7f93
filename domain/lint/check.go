package lint

import (
	"bytes"
	"strconv"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/jsontext"
)

// Text is one of the JSON texts of which a movie is made: the body (the JSON that was posted) or the JSON of a saved
// template.
type Text struct {
	Template string         // id of the saved template; empty: the text is the body
	Raw      []byte         // the text without a byte order mark
	Tree     map[string]any // decoded JSON, numbers as json.Number; nil: the text is not a JSON object
}

// Input is what Check checks: a movie, and the JSON texts of which it is made.
type Input struct {
	Body Text
	// Templates are the JSON texts of the movie's saved templates, in the order in which they were filled in. If the body
	// (the posted JSON) refers to a template, that template is the first one.
	Templates []Text
	// Filled is the tree from which Movie was read: the body with its templates filled in.
	Filled map[string]any
	Movie  *document.Movie // the movie; nil: the body cannot be read as a movie
	// Refused is the error with which the movie is refused; nil: it is accepted.
	Refused error
	// Notes are remarks about the movie from other packages: from laying it out, or from asking providers.
	Notes   []document.Note
	Outside Outside
}

// Outside holds checks that need more than the movie's JSON. A nil function is skipped.
type Outside struct {
	// Address returns why an address cannot be fetched; empty: no reason is known.
	Address func(address string) string
	// Provider returns why no provider can make a source: a speech, a picture, or transcribed subtitles (a Source of
	// kind document.KindCaptions whose key is the id of a connection). Empty: a provider can.
	Provider func(s document.Source) string
	// Destination returns why nothing can be delivered to an entry of exports; empty: no reason is known.
	Destination func(d document.Destination) string
	// Failed returns the first error because of which one of the functions Address, Provider and Destination could not make
	// its check, such as the error of a store that does not answer. nil: none has failed. After an error the report may lack
	// problems, so it must not be shown.
	Failed func() error
}

// mark is the UTF-8 byte order mark, which may begin a text.
var mark = []byte("\xef\xbb\xbf")

// Plain returns a posted text without its byte order mark.
func Plain(raw []byte) []byte { return bytes.TrimPrefix(raw, mark) }

// Read makes the input of Check from a posted body. If the body is refused, the field Refused has the error. Read fills in no
// templates: the caller does so if the body names any, and sets Templates, Filled and Movie anew.
func Read(raw []byte) Input {
	in := Input{Body: Text{Raw: Plain(raw)}}
	if in.Refused = document.CheckText(in.Body.Raw); in.Refused != nil {
		return in
	}
	in.Movie, in.Body.Tree, in.Refused = document.ParseTree(in.Body.Raw)
	in.Filled = in.Body.Tree
	return in
}

// Check checks a movie with all checks. Its report has at most MaxProblems problems.
func Check(in Input) Report {
	c := newCollector()
	return c.report(c.check(in))
}

// Warnings returns the texts of the warnings that Check finds in an accepted movie, but computes no positions. It stops
// comparing texts with the table of properties at the largest number of warnings of a movie, so that a body full of mistakes
// costs little more than another body.
func Warnings(in Input) []string {
	c := newCollector()
	c.most = maxWarnings
	c.check(in)
	return c.warnings()
}

// check runs all checks, and returns the texts into which the pointers of problems lead.
func (c *collector) check(in Input) []Text {
	texts := []Text{in.Body}
	for _, t := range in.Templates {
		// After an error Tree stays nil, and the template is not checked: a text that is no JSON object was refused before.
		t.Tree, _ = document.Tree(t.Raw)
		texts = append(texts, t)
	}
	in.Templates = texts[1:]
	if in.Body.Tree == nil {
		if fault, faulty := jsontext.FindFault(in.Body.Raw); faulty {
			position := jsontext.Positions(in.Body.Raw, []int{fault.Offset})[fault.Offset]
			c.add(Problem{
				Line: position.Line, Column: position.Column, Code: SyntaxError, Severity: Error,
				Message: fault.Message, Remedy: fault.Remedy, Refusal: codeOf(in.Refused, "movie_json_invalid"),
			})
		}
	}
	w := newWhere(in)
	if in.Movie != nil {
		w.notes(c, in.Movie.Notes())
		w.movie(c)
		w.notes(c, in.Notes)
	}
	seen := map[string]bool{}
	for _, t := range texts {
		if !c.enough() && !seen[t.Template] && t.Tree != nil { // a template that is used several times is checked once
			seen[t.Template] = true
			r := ruler{c: c, text: t, address: in.Outside.Address}
			r.object(document.MovieKind, make(path, 0, usualDepth), t.Tree)
			if !in.clean(t) {
				r.repeated()
			}
		}
	}
	w.refusal(c)
	return texts
}

// clean reports whether a text is known to have no repeated names, because the movie was read from that text.
func (in Input) clean(t Text) bool {
	return in.Movie != nil && len(in.Templates) == 0 && t.Template == in.Body.Template && !in.Movie.Repeats()
}

// codeOf returns the code of an error that is a refusal (a *domain.Error). For any other error it returns the given code,
// `otherwise`.
func codeOf(err error, otherwise string) string {
	if refusal, ok := asRefusal(err); ok {
		return refusal.Code
	}
	return otherwise
}

func asRefusal(err error) (*domain.Error, bool) {
	var refusal *domain.Error
	ok := errorsAs(err, &refusal)
	return refusal, ok
}

// next returns the number after an index, because messages count from 1.
func next(index string) string {
	n, err := strconv.Atoi(index)
	if err != nil {
		return index
	}
	return strconv.Itoa(n + 1)
}

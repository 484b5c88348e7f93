package lint

import (
	"bytes"
	"strconv"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/jsontext"
)

// Text is a JSON text that a movie is made of.
type Text struct {
	Template string         // id of a saved template; empty: the body
	Raw      []byte         // without a byte order mark
	Tree     map[string]any // what it says, numbers as json.Number; nil: it is no JSON object
}

// Input is what Check looks at.
type Input struct {
	Body      Text
	Templates []Text // in the order in which they were filled in; the ones that the body refers to come first
	// Filled is the tree that Movie was read from: that of the body, with its templates filled in.
	Filled map[string]any
	Movie  *document.Movie // nil: the body cannot be read as a movie
	// Refused is why the movie is refused; nil: it is not.
	Refused error
	// Notes are what others found out about the movie: while laying it out, or by asking.
	Notes   []document.Note
	Outside Outside
}

// Outside is what the movie alone does not tell. A function that is nil is not asked.
type Outside struct {
	// Address says why no fetch can serve an address; empty: one may.
	Address func(address string) string
	// Provider says why nobody can make a source: a voice, a picture, or the words of subtitles, which are a Source of kind
	// document.KindCaptions whose key is the id of a connection. Empty: somebody can.
	Provider func(s document.Source) string
	// Destination says why nothing can be delivered to an entry of exports; empty: it may.
	Destination func(d document.Destination) string
}

// mark may stand before a text.
var mark = []byte("\xef\xbb\xbf")

// Plain is a posted text without its byte order mark.
func Plain(raw []byte) []byte { return bytes.TrimPrefix(raw, mark) }

// Read reads a body that needs no templates. What is refused is in Refused.
func Read(raw []byte) Input {
	in := Input{Body: Text{Raw: Plain(raw)}}
	if in.Refused = document.CheckText(in.Body.Raw); in.Refused != nil {
		return in
	}
	in.Movie, in.Body.Tree, in.Refused = document.ParseTree(in.Body.Raw)
	in.Filled = in.Body.Tree
	return in
}

// Check returns what is wrong with a movie.
func Check(in Input) Report {
	c := newCollector()
	return c.report(c.gather(in))
}

// Warnings are those of Check, for a movie that is accepted: what its render and its places cost is spared. It ends as soon as there are as
// many as a movie has, so that a body full of mistakes costs no more than one without.
func Warnings(in Input) []string {
	c := newCollector()
	c.most = maxWarnings
	c.gather(in)
	return c.warnings()
}

// gather looks at everything, and returns the texts that pointers lead into.
func (c *collector) gather(in Input) []Text {
	texts := []Text{in.Body}
	for _, t := range in.Templates {
		t.Tree, _ = document.Tree(t.Raw) // one that is no movie has refused the body
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
		if !c.enough() && !seen[t.Template] && t.Tree != nil { // a template may be shown several times
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

// clean says that reading a text as the movie has found no name twice in it: that need not be looked for again.
func (in Input) clean(t Text) bool {
	return in.Movie != nil && len(in.Templates) == 0 && t.Template == in.Body.Template && !in.Movie.Repeats()
}

// codeOf is the code of a refusal.
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

// next is the number after an index: people count from 1.
func next(index string) string {
	n, err := strconv.Atoi(index)
	if err != nil {
		return index
	}
	return strconv.Itoa(n + 1)
}

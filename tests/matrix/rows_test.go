package matrix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rows are those of all areas. A route may have several.
func rows() []row {
	return slices.Concat(movieRows, keyRows, connectionRows, deliveryRows, mediaRows, creditRows, preloadRows, templateRows, batchRows)
}

// row says how a route is asked about a subject, and what it answers to those who may ask.
type row struct {
	route string // method and path, as the program names it: "GET /v2/movies"
	name  string // tells rows of one route apart
	// subject makes something of a tenant's that the request is about, and returns its id; existing, or deleted before it is returned.
	// Left out: the route is not about anything that could be another's, and only own is looked at.
	subject func(t *testing.T, of *tenant, deleted bool) (id string)
	// request is the query and the body that ask about a subject. A {parameter} of the path stands for the subject too.
	request func(id string) (query, body string)
	unknown string // a well-formed id that nobody has

	own     want // about the caller's own subject
	foreign want // about another's, and about one that does not exist; %s in its text stands for the id
	deleted *want
	changes bool // an accepted request leaves something behind, so that every caller gets a subject of its own
	// refusals replaces the answers to callers that are not let in, by their code, where a route has its own.
	refusals map[string]want
}

// want is an answer: its status, its code ("" when it is a success) and its message, or what a success contains.
type want struct {
	status int
	code   string
	text   string
}

func (r row) String() string { return strings.TrimSpace(r.route + " " + r.name) }

// refusal is the answer to a caller that is not let in, by its code.
func (r row) refusal(code string) want {
	if special, ok := r.refusals[code]; ok {
		return special
	}
	return refusals[code]
}

// about fills an id into the text of an answer.
func (w want) about(id string) want {
	if strings.Contains(w.text, "%s") {
		w.text = fmt.Sprintf(w.text, id)
	}
	return w
}

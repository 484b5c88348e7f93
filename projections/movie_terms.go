package projections

import (
	"time"

	"moviola/domain/movie"
)

// movieTerm says that a movie can be found by a search term. The document never changes. Its id is made of term and project.
// Decision 73.
type movieTerm struct {
	Account   string    `json:"account"`
	Term      string    `json:"term"`
	Project   string    `json:"project"`
	CreatedAt time.Time `json:"created_at"`
}

func termID(term, project string) string { return term + "/" + project }

// termsOf returns the terms by which a movie can be found: those of its submission, and its templates.
func termsOf(e Event) []movieTerm {
	s, ok := e.Data.(movie.Submitted)
	if !ok {
		return nil
	}
	seen := make(map[string]bool)
	var found []movieTerm
	add := func(term string) {
		if !seen[term] {
			seen[term] = true
			found = append(found, movieTerm{Account: string(s.Account), Term: term, Project: e.ID, CreatedAt: millis(s.At)})
		}
	}
	for _, term := range s.Terms {
		add(term)
	}
	for _, use := range s.Templates {
		add(movie.TemplateTerm(s.Account, use.ID))
	}
	return found
}

// termModel has one document for each search term of each movie.
type termModel struct{}

// indexTerm orders the movies of an account that have the same search term: newest first, as in the list of movies.
const indexTerm = "term"

func (termModel) name() string     { return "terms" }
func (termModel) listed() string   { return movie.StreamCategory }
func (termModel) shape() int       { return 2 }
func (termModel) oldestShape() int { return 1 }
func (termModel) declare() []Index {
	return []Index{{Name: indexTerm, Fields: []Field{{Name: "account"}, {Name: "term"}, {Name: "created_at", Descending: true},
		{Name: "project"}}}}
}
func (termModel) decode(body Body) (any, error) { return decodeAs[movieTerm](body) }

func (termModel) touched(e Event) []string {
	if e.Category != movie.StreamCategory {
		return nil
	}
	var ids []string
	for _, t := range termsOf(e) {
		ids = append(ids, termID(t.Term, t.Project))
	}
	return ids
}

// apply creates the document which says that a movie can be found by a search term. An existing document never changes.
func (termModel) apply(id string, doc any, _ bool, e Event) (folded, error) {
	if have, exists := doc.(movieTerm); exists {
		return folded{doc: have}, nil
	}
	for _, t := range termsOf(e) {
		if termID(t.Term, t.Project) == id {
			return folded{doc: t, changed: true}, nil
		}
	}
	return folded{}, nil
}

package projections

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"moviola/domain"
	"moviola/domain/movie"
)

// maxLooked is how many movies are looked at for a page of a filtered list: it may be short, or empty, while others follow.
const maxLooked = 1000

// terms are what the movies of a list are found by, those that fewest movies have first.
func (l MovieList) terms() []string {
	var terms []string
	if l.MovieID != "" {
		terms = append(terms, movie.IDTerm(l.Account, l.MovieID))
	}
	for _, name := range slices.Sorted(maps.Keys(l.ClientData)) {
		terms = append(terms, movie.DataTerm(l.Account, name, l.ClientData[name]))
	}
	if l.Template != "" {
		terms = append(terms, movie.TemplateTerm(l.Account, l.Template))
	}
	return terms
}

// query is a stretch of the list by an index whose first fields have values.
func (l MovieList) query(index string, limit int, equal ...any) Query {
	q := Query{Index: index, Equal: append([]any{string(l.Account)}, equal...), Limit: limit}
	if !l.From.IsZero() {
		q.Range.Min = l.From
	}
	if !l.To.IsZero() {
		q.Range.Max = l.To
	}
	if after := l.MovieCursor; after != nil {
		q.After = []any{after.CreatedAt, string(after.Project)}
	}
	return q
}

// search returns a page of a list with filters. An index leads to the movies that one of them keeps; the others are looked for among these.
// So a page costs the same however many movies the account has, and however far back it is.
func (m *Movies) search(ctx context.Context, list MovieList) (MoviePage, error) {
	var out MoviePage
	limit, step := list.Limit, list.Limit+1
	for looked := 0; looked < maxLooked; {
		step = min(step, maxLooked-looked)
		places, found, err := m.stretch(ctx, list, step)
		if err != nil {
			return MoviePage{}, err
		}
		for _, one := range found {
			if len(out.Movies) == limit {
				last := out.Movies[limit-1].Cursor()
				out.More, out.Next = true, &last
				return out, nil
			}
			out.Movies = append(out.Movies, one)
		}
		if len(places) < step {
			return out, nil
		}
		looked += len(places)
		list.MovieCursor = &places[len(places)-1]
		step = 500
	}
	out.More, out.Next = true, list.MovieCursor
	return out, nil
}

// stretch looks at the next movies of a list, and returns the places of all and those that its filters keep.
func (m *Movies) stretch(ctx context.Context, list MovieList, limit int) ([]MovieCursor, []Movie, error) {
	var all []Movie
	var places []MovieCursor
	var err error
	terms := list.terms()
	switch {
	case len(terms) > 0:
		places, all, err = m.byTerm(ctx, list.query(indexTerm, limit, terms[0]), terms[1:])
	case m.at.current.Load().Models[movieModel.modelName].Shape >= statusShape:
		all, err = page[Movie](ctx, m.at, movieModel.modelName, list.query(indexStatus, limit, list.Status))
	default: // the index is being built
		all, err = page[Movie](ctx, m.at, movieModel.modelName, list.query(indexNewest, limit))
	}
	if err != nil {
		return nil, nil, err
	}
	if len(terms) == 0 {
		for _, one := range all {
			places = append(places, one.Cursor())
		}
	}
	return places, slices.DeleteFunc(all, func(one Movie) bool { return list.Status != "" && one.Status != list.Status }), nil
}

// byTerm returns the places of a query of terms, and those of the movies there that have all the others.
func (m *Movies) byTerm(ctx context.Context, q Query, others []string) ([]MovieCursor, []Movie, error) {
	terms, err := page[movieTerm](ctx, m.at, termModel{}.name(), q)
	if err != nil {
		return nil, nil, err
	}
	places := make([]MovieCursor, len(terms))
	projects := make([]string, len(terms))
	for i, t := range terms {
		places[i], projects[i] = MovieCursor{CreatedAt: t.CreatedAt, Project: domain.ProjectID(t.Project)}, t.Project
	}
	for _, other := range others {
		if projects, err = m.having(ctx, other, projects); err != nil {
			return nil, nil, err
		}
	}
	if len(projects) == 0 {
		return places, nil, nil
	}
	stored, err := m.at.docs.Get(ctx, m.at.collection(movieModel.modelName), projects...)
	if err != nil {
		return nil, nil, fmt.Errorf("read %d movies: %w", len(projects), err)
	}
	var found []Movie
	for _, project := range projects {
		one, ok := stored[project]
		if !ok || one.Gone {
			continue // it is written in a moment, by another process
		}
		read, err := decodeAs[Movie](one.Body)
		if err != nil {
			return nil, nil, fmt.Errorf("decode movie %s: %w", project, err)
		}
		found = append(found, read)
	}
	return places, found, nil
}

// having returns those of some movies that have a term.
func (m *Movies) having(ctx context.Context, term string, projects []string) ([]string, error) {
	if len(projects) == 0 {
		return nil, nil
	}
	ids := make([]string, len(projects))
	for i, project := range projects {
		ids[i] = termID(term, project)
	}
	stored, err := m.at.docs.Get(ctx, m.at.collection(termModel{}.name()), ids...)
	if err != nil {
		return nil, fmt.Errorf("read %d terms: %w", len(ids), err)
	}
	return slices.DeleteFunc(projects, func(project string) bool {
		_, has := stored[termID(term, project)]
		return !has
	}), nil
}

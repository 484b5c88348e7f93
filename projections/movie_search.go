package projections

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"moviola/domain"
	"moviola/domain/movie"
)

// maxLooked is how many movies are read for a page of a filtered list. So a page may be short, or empty, although more movies
// follow.
const maxLooked = 1000

// terms returns the search terms of the list's filters, beginning with the one that the fewest movies are likely to have.
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

// query selects a range of the list by an index whose first fields have the given values.
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

// search returns a page of a list with filters. It reads the movies that match one filter by an index, and checks the other
// filters on these. So a page costs the same however many movies the account has, and however far back the page is.
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

// stretch reads the next movies of a list, at most limit. It returns the cursors of all movies that it has looked at,
// in the order of the list, and the movies among them that match the list's filters.
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
	// The stored movies have no index by status yet: it comes when they are built anew. So movies of every status are
	// read, newest first, and those with another status are removed below.
	default:
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

// byTerm reads the movies that have the search term in the query q. It returns the cursors of all these movies, in the
// order of the query, and those of the movies themselves that also have every search term in others.
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
			continue // the movie's document is missing: another process is about to write it
		}
		read, err := decodeAs[Movie](one.Body)
		if err != nil {
			return nil, nil, fmt.Errorf("decode movie %s: %w", project, err)
		}
		found = append(found, read)
	}
	return places, found, nil
}

// having returns those of the given projects whose movies have a search term.
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

package files

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gorilla/mux"

	"moviola/domain"
	"moviola/domain/result"
	"moviola/projections"
)

// serveOutput answers with a file of an output of a movie. Decision 61.
func (s *Server) serveOutput(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r)
	found, ok, err := s.findOutput(r.Context(), vars["token"], vars["project"], vars["name"])
	s.answer(w, r, found, ok, err)
}

// findOutput finds a file of an output by its name. All files of a movie have the same token.
func (s *Server) findOutput(ctx context.Context, token, stem, name string) (target, bool, error) {
	project, ok := domain.ParseProjectID(stem)
	if !ok {
		return target{}, false, nil
	}
	m, ok, err := s.opened(ctx, project, token)
	if err != nil || !ok {
		return target{}, false, err
	}
	for _, f := range m.File.OutputFiles() {
		if f.Name == name {
			return target{
				account: domain.AccountID(m.Account), key: f.Key, name: string(project) + "-" + name, contentType: result.ContentType(name),
				size: f.Size, hash: f.Hash,
			}, true, nil
		}
	}
	return target{}, false, nil
}

// opened returns the movie to whose stored files a token gives access.
func (s *Server) opened(ctx context.Context, project domain.ProjectID, token string) (projections.Movie, bool, error) {
	m, ok, err := s.cfg.Movies.Get(ctx, project)
	if err != nil {
		return m, false, fmt.Errorf("get movie %s: %w", project, err)
	}
	return m, ok && m.File != nil && !m.Gone && s.cfg.Tokens.Opens(project, m.File, token), nil
}

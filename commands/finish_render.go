package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// FinishRender records the outcome of an attempt. For a success Plan and File are required, and the files that File names must be
// stored already.
type FinishRender struct {
	Project  domain.ProjectID
	Attempt  int
	Worker   string
	Success  bool
	Message  string // why the render failed; not used for a success
	Plan     *movie.Dimensions
	File     *movie.File
	Warnings []string
	// CacheKey is the key by which an equal movie can reuse the file. CachedFrom is the movie whose file was copied; empty:
	// this movie was rendered. Decision 20.
	CacheKey   string
	CachedFrom domain.ProjectID
	// Code is the error code of a failed render. Family says who is responsible for the failure: domain.Kind.Family.
	Code, Family string
	Spent        *movie.Spent // how the attempt used its time; nil: it was not measured
}

// FinishRenderHandler handles FinishRender.
type FinishRenderHandler struct {
	movies Movies
	files  Files
}

// NewFinishRenderHandler returns a handler.
func NewFinishRenderHandler(log *eventstore.Log, files Files, now func() time.Time) FinishRenderHandler {
	return FinishRenderHandler{movies: NewMovies(log, now), files: files}
}

// Handle records the outcome. It is idempotent. ErrNothingToDo: the claim is lost, or the movie is closed. Handle removes the
// files of the attempt when the log will not name them: when the claim is lost, or when the owner has deleted the movie's file.
func (h FinishRenderHandler) Handle(ctx context.Context, cmd FinishRender) (eventstore.Position, error) {
	d, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.FinishRender(movie.Claim{Number: cmd.Attempt, Worker: cmd.Worker}, movie.Result{
			Success:    cmd.Success,
			Message:    cmd.Message,
			Plan:       cmd.Plan,
			File:       cmd.File,
			Warnings:   cmd.Warnings,
			CacheKey:   cmd.CacheKey,
			CachedFrom: cmd.CachedFrom,
			Code:       cmd.Code, Family: cmd.Family, Spent: cmd.Spent,
		}, at)
	})
	if err != nil && !errors.Is(err, ErrNothingToDo) {
		return eventstore.Position{}, err // the outcome, which names the files, may have been stored: the files must stay
	}
	if cmd.File != nil && !d.KeepsFile(cmd.File.Key) {
		if err := deleteAll(ctx, h.files, cmd.File.Keys()...); err != nil {
			return eventstore.Position{}, fmt.Errorf("discard the files of attempt %d at movie %s: %w", cmd.Attempt, cmd.Project, err)
		}
	}
	return d.Position, err
}

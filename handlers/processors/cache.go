package processors

import (
	"context"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/projections"
)

// errCached ends a render that need not be: the same movie is there already, and this one has its own copy of the file now.
var errCached = errors.New("the movie is in the cache")

// found is a movie of the cache, and the copy of its file.
type found struct {
	source projections.Movie
	file   *movie.File
}

// fetched looks for the same movie among those that the account has had rendered. Decision 20. One that cannot be copied is
// rendered.
func (r *render) fetched(ctx context.Context, raw []byte, sources map[string]string) error {
	doc, err := document.Parse(raw)
	if err != nil || !doc.Cache {
		return err
	}
	if r.key, err = movie.CacheKey(raw, sources); err != nil {
		return err
	}
	source, ok, err := r.config.Cache.Cached(ctx, r.claim.Account, r.key)
	if err != nil {
		return passing{fmt.Errorf("look into the cache: %w", err)}
	}
	if !ok || source.Plan == nil || source.File == nil {
		return nil
	}
	file := *source.File
	err = r.fill(ctx, &file, *source.File, r.copyFile)
	if errors.Is(err, commands.ErrFileNotFound) {
		return nil // it was deleted since
	}
	if err != nil {
		return err
	}
	r.found = &found{source: source, file: &file}
	return errCached
}

// copyFile gives this attempt its own copy of a stored file.
func (r *render) copyFile(ctx context.Context, key, from string) error {
	f, err := r.config.Files.Open(ctx, from)
	if errors.Is(err, commands.ErrFileNotFound) {
		return err
	}
	if err == nil {
		err = errors.Join(r.config.Files.Put(ctx, key, f), f.Close())
	}
	if err != nil {
		return passing{fmt.Errorf("copy %s: %w", from, err)}
	}
	return nil
}

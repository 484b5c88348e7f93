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
	err = r.fill(ctx, &file, *source.File, func(ctx context.Context, key, from string) (string, error) {
		if from == source.File.Key {
			return r.copyFile(ctx, key, from, source.File.Size, source.File.Hash)
		}
		return r.copyFile(ctx, key, from, 0, "")
	})
	if errors.Is(err, commands.ErrFileNotFound) {
		return nil // it was deleted since
	}
	if errors.Is(err, commands.ErrFileDamaged) {
		r.log.WithError(err).WithField("project", source.Project).Error("cached movie is damaged; the movie is rendered again")
		return nil
	}
	if err != nil {
		return err
	}
	r.found = &found{source: source, file: &file}
	return errCached
}

// copyFile gives this attempt its own copy of a stored file, which has to be of the size, in bytes, and the hash; 0 and empty:
// they are not known. It returns the hash of the copy.
func (r *render) copyFile(ctx context.Context, key, from string, size int64, hash string) (string, error) {
	copied, err := commands.CopyFile(ctx, r.config.Files, key, from, size, hash)
	if err != nil && !errors.Is(err, commands.ErrFileNotFound) && !errors.Is(err, commands.ErrFileDamaged) {
		err = passing{err}
	}
	return copied, err
}

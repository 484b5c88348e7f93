package processors

import (
	"context"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/handlers/background/claims"
	"moviola/projections"
)

// found is an equal movie that was found by its cache key, and the copy of its file.
type found struct {
	source projections.Movie
	file   *movie.File
}

// fetched looks for an equal movie that was rendered for the account before, unless the document says cache: false.
// Decision 20. When it has copied the files of one, it returns commands.ErrCached. When there is none that can be used, for
// example because a file of it is missing or damaged, it returns nil, and the movie is rendered.
func (r *render) fetched(ctx context.Context, raw []byte, contents map[string]string) error {
	doc, err := document.Parse(raw)
	if err != nil || !doc.Cache {
		return err
	}
	if r.key, err = movie.CacheKey(raw, contents, movie.FormatsToMake(r.claim.Outputs)); err != nil {
		return err
	}
	source, ok, err := r.config.Cache.Cached(ctx, r.claim.Account, r.key)
	if err != nil {
		return claims.Transient(fmt.Errorf("look into the cache: %w", err))
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
	if err == nil {
		file.Outputs, err = r.copyOutputs(ctx, source.File)
	}
	if errors.Is(err, commands.ErrFileNotFound) {
		return nil // the file of the equal movie was deleted meanwhile: the movie is rendered
	}
	if errors.Is(err, commands.ErrFileDamaged) {
		r.log.WithError(err).WithField("project", source.Project).Error("cached movie is damaged; the movie is rendered again")
		return nil
	}
	if err != nil {
		return err
	}
	r.found = &found{source: source, file: &file}
	return commands.ErrCached
}

// copyFile copies a stored file to a key of this attempt. size, in bytes, and hash are checked, unless they are unknown: 0 and
// empty. It returns the hash of the copy.
func (r *render) copyFile(ctx context.Context, key, from string, size int64, hash string) (string, error) {
	copied, err := commands.CopyFile(ctx, r.config.Files, key, from, size, hash)
	if err != nil && !errors.Is(err, commands.ErrFileNotFound) && !errors.Is(err, commands.ErrFileDamaged) {
		err = claims.Transient(err)
	}
	return copied, err
}

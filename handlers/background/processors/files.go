package processors

import (
	"context"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sync/errgroup"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/handlers/background/claims"
)

// store stores the movie's file, its thumbnail and its captions under keys of this attempt, with retries until a try
// succeeds or ctx ends. When the account has no room for the files, it returns a *domain.Error with that reason. Design
// §8: the files are stored before RenderFinished names them.
func (r *render) store(ctx context.Context, rendered commands.Rendered) (*movie.File, error) {
	file := rendered.File
	sources := movie.File{Key: rendered.Movie, Thumbnail: rendered.Thumbnail, Subtitles: rendered.Subtitles}
	return &file, r.staged(ctx, stageStore, func() error { return r.fill(ctx, &file, sources, r.put) })
}

// fill gives the movie's file, its thumbnail and its captions keys of this attempt, as far as sources has them, and sets
// these keys in file. For each of these it calls move, which copies or moves source to key and returns the hash of the
// bytes. The calls run in parallel, since each waits for the disk. The hash of the movie's file is set in file too.
func (r *render) fill(
	ctx context.Context, file *movie.File, sources movie.File, move func(ctx context.Context, key, source string) (string, error),
) error {
	stem := blobkey.RendersOf(r.project) + strconv.Itoa(r.claim.Attempt)
	// file may describe the file of another movie, so its values are cleared. The keys and the hash are set below. The
	// token stays empty: the secret part of the file's address is then derived from the project.
	file.Key, file.Thumbnail, file.Subtitles, file.Token, file.Hash = "", "", "", "", ""
	moves, ctx := errgroup.WithContext(storage.StoredFor(ctx, r.claim.Account))
	for _, part := range []struct {
		key       *string
		source    string
		extension string
	}{
		{&file.Key, sources.Key, result.MovieExtension},
		{&file.Thumbnail, sources.Thumbnail, result.ThumbnailExtension},
		{&file.Subtitles, sources.Subtitles, result.SubtitlesExtension},
	} {
		if part.source == "" {
			continue
		}
		key := stem + part.extension
		*part.key = key
		r.stored = append(r.stored, key)
		moves.Go(func() error {
			hash, err := move(ctx, key, part.source)
			if part.key == &file.Key {
				file.Hash = hash
			}
			return err
		})
	}
	return moves.Wait()
}

func (r *render) put(ctx context.Context, key, path string) (hash string, err error) {
	var refusal *domain.Error
	err = claims.UntilDone(ctx, func(ctx context.Context) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		hash, err = commands.PutHashed(ctx, r.config.Files, key, f)
		if err = errors.Join(err, f.Close()); errors.As(err, &refusal) {
			return nil
		}
		return err
	}, r.complain("rendered file not stored; trying again"))
	if refusal != nil {
		return "", refusal
	}
	return hash, err
}

// discard removes the files that this attempt has stored, because no outcome names them. When discard fails, the daily chore
// removes these files.
func (r *render) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), r.limits.Release)
	defer cancel()
	for _, key := range r.stored {
		if err := r.config.Files.Delete(ctx, key); err != nil {
			r.complain("file of a lost render not removed; the daily clean-up removes it")(err)
		}
	}
}

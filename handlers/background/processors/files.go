package processors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sync/errgroup"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/claims"
)

// maxDocumentBytes is the maximum read of a stored document. Spec: Limits, movie JSON size.
const maxDocumentBytes = 4 << 20

// errDocument says that a stored document differs from the submitted one.
var errDocument = errors.New("the stored document does not have the recorded hash")

// document reads the JSON of a movie, checks it against the hash in the movie's first event, and fills in the templates that it
// uses, as they were at the submission.
func (p *Processors) document(
	ctx context.Context, account domain.AccountID, project domain.ProjectID, hash string,
) ([]byte, error) {
	key := blobkey.Document(account, project)
	f, err := p.config.Files.Open(ctx, key)
	switch {
	case errors.Is(err, commands.ErrKeyRetired): // the encryption key no longer exists
		return nil, fmt.Errorf("read %s: %w: %w", key, errDocument, err)
	case errors.Is(err, commands.ErrFileNotFound), errors.Is(err, commands.ErrDamaged): // the operator may have a backup
		return nil, err
	case err != nil:
		return nil, claims.Transient(err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxDocumentBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, claims.Transient(fmt.Errorf("read %s: %w", key, err))
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("read %s: %w", key, errDocument)
	}
	if !document.NeedsTemplates(content) {
		return content, nil
	}
	return p.filled(ctx, project, content)
}

// filled returns a document with the templates that the movie's first event names.
func (p *Processors) filled(ctx context.Context, project domain.ProjectID, content []byte) ([]byte, error) {
	m := movie.New(project)
	if _, err := p.config.Log.Fold(ctx, movie.Stream(project), m.Apply); err != nil {
		return nil, claims.Transient(fmt.Errorf("load movie %s: %w", project, err))
	}
	submitted, there := m.Submitted()
	if !there { // the movie was submitted, so a read without that event is unreliable
		return nil, claims.Transient(fmt.Errorf("load movie %s: %w", project, eventstore.ErrUnavailable))
	}
	filled, err := commands.FillDocument(ctx, p.config.Files, content, submitted.Templates)
	var refusal *domain.Error
	if err != nil && !errors.As(err, &refusal) && !errors.Is(err, commands.ErrFileNotFound) && !errors.Is(err, commands.ErrDamaged) {
		return nil, claims.Transient(fmt.Errorf("fill in movie %s: %w", project, err))
	}
	return filled, err
}

// store stores the finished files under keys of this attempt, with retries until that succeeds. When the account has no room for
// them, it returns the *domain.Error that says so. Design §8: before RenderFinished names them.
func (r *render) store(ctx context.Context, rendered commands.Rendered) (*movie.File, error) {
	file := rendered.File
	sources := movie.File{Key: rendered.Movie, Thumbnail: rendered.Thumbnail, Subtitles: rendered.Subtitles}
	return &file, r.staged(ctx, stageStore, func() error { return r.fill(ctx, &file, sources, r.put) })
}

// fill sets keys of this attempt in file, and calls move for each of its parts to bring the source to that key. The parts are
// moved in parallel, since each waits for the disk. move returns the hash of the bytes.
func (r *render) fill(
	ctx context.Context, file *movie.File, sources movie.File, move func(ctx context.Context, key, source string) (string, error),
) error {
	stem := blobkey.RendersOf(r.project) + strconv.Itoa(r.claim.Attempt)
	file.Key, file.Thumbnail, file.Subtitles, file.Token, file.Hash = "", "", "", "", "" // an empty token means a derived one
	moves, ctx := errgroup.WithContext(commands.StoredFor(ctx, r.claim.Account))
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

// discard removes the files that this attempt has stored, because no outcome names them. When that fails, the daily chore removes
// them.
func (r *render) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), r.limits.Release)
	defer cancel()
	for _, key := range r.stored {
		if err := r.config.Files.Delete(ctx, key); err != nil {
			r.complain("file of a lost render not removed; the daily clean-up removes it")(err)
		}
	}
}

// Package submitted reads the JSON of a movie as it was submitted, for work that begins after the
// request of the submission.
package submitted

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/claims"
)

// maxBytes is the maximum size, in bytes, of a stored document that is read. It is above the limit for submitted movies.
// Spec: Limits, movie JSON size.
const maxBytes = 4 << 20

// ErrChanged says that a stored document differs from the submitted one, or can no longer be decrypted.
var ErrChanged = errors.New("the stored document does not have the recorded hash")

// Reader reads the stored documents of movies.
type Reader struct {
	Files commands.Files
	Log   *eventstore.Log
}

// Read reads the JSON of a movie, checks it against the hash in the movie's first event, and fills in the templates that the JSON
// refers to, as they were at the submission.
func (d Reader) Read(ctx context.Context, account domain.AccountID, project domain.ProjectID, hash string) ([]byte, error) {
	key := blobkey.Document(account, project)
	f, err := d.Files.Open(ctx, key)
	switch {
	case errors.Is(err, commands.ErrKeyRetired): // The key that encrypted the document no longer exists, so a retry does not help.
		return nil, fmt.Errorf("read %s: %w: %w", key, ErrChanged, err)
	// A retry may help, because the operator may restore the document from a backup.
	case errors.Is(err, commands.ErrFileNotFound), errors.Is(err, commands.ErrDamaged):
		return nil, err
	case err != nil:
		return nil, claims.Transient(err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, claims.Transient(fmt.Errorf("read %s: %w", key, err))
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("read %s: %w", key, ErrChanged)
	}
	if !document.NeedsTemplates(content) {
		return content, nil
	}
	return d.filled(ctx, project, content)
}

// filled replaces the references to templates in a document by the templates' contents, at the revisions that the movie's first
// event names.
func (d Reader) filled(ctx context.Context, project domain.ProjectID, content []byte) ([]byte, error) {
	m := movie.New(project)
	if _, err := d.Log.Fold(ctx, movie.Stream(project), m.Apply); err != nil {
		return nil, claims.Transient(fmt.Errorf("load movie %s: %w", project, err))
	}
	submitted, there := m.Submitted()
	if !there { // the movie exists, so a read without its first event comes from a node that lags
		return nil, claims.Transient(fmt.Errorf("load movie %s: %w", project, eventstore.ErrUnavailable))
	}
	filled, err := commands.FillDocument(ctx, d.Files, content, submitted.Templates)
	var refusal *domain.Error
	if err != nil && !errors.As(err, &refusal) && !errors.Is(err, commands.ErrFileNotFound) && !errors.Is(err, commands.ErrDamaged) {
		return nil, claims.Transient(fmt.Errorf("fill in movie %s: %w", project, err))
	}
	return filled, err
}

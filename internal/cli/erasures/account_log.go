package erasures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"moviola/adapters/blobs"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
)

// told is what the log tells about an account.
type told struct {
	clear     map[string]int // number of events with personal data in clear, by type
	movies    map[domain.ProjectID]bool
	templates map[template.ID]bool
}

// read reads all events of an account.
func read(ctx context.Context, store eventstore.Store, codec *eventstore.Codec, id domain.AccountID) (told, error) {
	all := told{clear: map[string]int{}, movies: map[domain.ProjectID]bool{}, templates: map[template.ID]bool{}}
	for r, err := range store.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			return all, err
		}
		var meta eventstore.Metadata
		if json.Unmarshal(r.Metadata, &meta) != nil || meta.Account != id {
			continue
		}
		switch category, name := eventstore.SplitStream(r.Stream); category {
		case movie.StreamCategory:
			all.movies[domain.ProjectID(name)] = true
		case template.StreamCategory:
			all.templates[template.ID(name)] = true
		}
		tells, err := codec.TellsPersonal(r)
		if err != nil {
			return all, fmt.Errorf("event %d of %s: %w", r.Revision, r.Stream, err)
		}
		if tells {
			all.clear[r.Type]++
		}
	}
	return all, nil
}

// folders returns the prefixes of the keys of all files of an account.
func (t told) folders(id domain.AccountID) []string {
	var all []string
	for _, prefix := range blobkey.AccountPrefixes() {
		all = append(all, prefix+string(id)+"/")
	}
	for project := range t.movies {
		all = append(all, blobkey.RendersOf(project))
	}
	for id := range t.templates {
		all = append(all, blobkey.BodiesOf(id), blobkey.ExamplesOf(id))
	}
	return all
}

// removeVersions removes the files of an account from a bucket, with their former versions: closing the account has removed the
// files only. It returns a text for the report. Files in a folder have no versions.
func (e *erasing) removeVersions(ctx context.Context, id domain.AccountID, tells told) (text string, err error) {
	if _, isFolder := blobs.FolderOf(e.cfg.Blobs); isFolder {
		return "", nil
	}
	bucket, err := blobs.OpenWithKey(ctx, e.cfg.Blobs, e.cfg.BlobsKey, blobkey.DocumentPrefixes()...)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, bucket.Close()) }()
	removed, errs := 0, []error(nil)
	for _, prefix := range tells.folders(id) {
		n, err := bucket.RemoveVersions(ctx, prefix)
		removed += n
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil && len(errs) < shownErrors {
			errs = append(errs, err)
		}
	}
	text = fmt.Sprintf("%d versions of its files were removed from the bucket\n", removed)
	if bucket.KeepsVersions() {
		text = fmt.Sprintf("%d files were removed from the bucket; former versions, if it keeps any, are not looked for\n", removed)
	}
	return text, errors.Join(errs...)
}

// shownErrors is the number of errors of a bucket that are shown.
const shownErrors = 5

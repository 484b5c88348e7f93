package erasures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"moviola/adapters/blobs"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
)

// told is what the log tells about an account.
type told struct {
	clear     map[string]int // number of events with unencrypted personal data, by event type
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

// folders returns the prefixes of the blob keys of all files of an account, except the files of its templates.
func (t told) folders(id domain.AccountID) []string {
	var all []string
	for _, prefix := range blobkey.AccountPrefixes() {
		all = append(all, prefix+string(id)+"/")
	}
	for project := range t.movies {
		all = append(all, blobkey.RendersOf(project))
	}
	return all
}

// erasedFiles is the result of removing the files of one account.
type erasedFiles struct {
	removed int      // number of versions of files that were removed
	needed  []string // blob keys of template files that were left: movies of other accounts may need them
	errs    []error  // the first shownErrors errors of the storage
	unshown int      // number of errors of the storage that are not in errs
}

// failed notes an error of the storage.
func (d *erasedFiles) failed(err error) {
	if len(d.errs) == shownErrors {
		d.unshown++
		return
	}
	d.errs = append(d.errs, err)
}

// removeFiles removes what is left of the files of an account: closing the account has removed the files, but not their former
// versions in a bucket, nor what was stored in the same moment. It returns a text for the report. The error tells what is left.
func (e *erasing) removeFiles(ctx context.Context, id domain.AccountID, tells told) (text string, err error) {
	where := e.cfg.Blobs
	if where == "" {
		where = filepath.Join(e.cfg.Data, "files")
	}
	files, err := blobs.OpenWithKey(ctx, where, e.cfg.BlobsKey, blobkey.DocumentPrefixes()...)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	var done erasedFiles
	for _, prefix := range tells.folders(id) {
		done.remove(ctx, files, prefix)
	}
	for id := range tells.templates {
		done.removeTemplate(ctx, files, id)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if files.InBucket() {
		text = fmt.Sprintf("%d versions of its files were removed from the bucket\n", done.removed)
		if files.KeepsVersions() {
			text = "former versions of its files, if the bucket keeps any, are not looked for\n"
		}
	}
	return text, done.left()
}

// left is an error that says what could not be removed; nil: everything was removed.
func (d *erasedFiles) left() error {
	all := slices.Clone(d.errs)
	if d.unshown > 0 {
		all = append(all, fmt.Errorf("%d further folders could not be cleared", d.unshown))
	}
	if n := len(d.needed); n > 0 {
		all = append(all, fmt.Errorf("%d of templates are still stored, %s among them: they are removed later, when no "+
			"movie of another account needs them", n, d.needed[0]))
	}
	return errors.Join(all...)
}

// remove removes all files below a prefix, with their versions.
func (d *erasedFiles) remove(ctx context.Context, files *blobs.Bucket, prefix string) {
	n, err := files.RemoveVersions(ctx, prefix)
	d.removed += n
	if err != nil {
		d.failed(err)
	}
}

// removeTemplate handles two groups of files of a template: its bodies and the files of its examples. If files of a group
// are still stored, it keeps them and adds their keys to d.needed, because a movie of another account may need them. If no
// file of a group is stored any more, it removes the former versions of the group's files, which a bucket may have kept.
func (d *erasedFiles) removeTemplate(ctx context.Context, files *blobs.Bucket, id template.ID) {
	for _, prefix := range []string{blobkey.BodiesOf(id), blobkey.ExamplesOf(id)} {
		keys, err := files.List(ctx, prefix)
		switch {
		case err != nil:
			d.failed(err)
		case len(keys) > 0:
			d.needed = append(d.needed, keys...)
		default:
			d.remove(ctx, files, prefix)
		}
	}
}

// shownErrors is the number of errors of a storage that the report shows. Further errors are only counted.
const shownErrors = 5

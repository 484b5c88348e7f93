package projections

import (
	"context"
	"errors"
	"fmt"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
)

// Library answers queries for media libraries. Lists may lag behind changes of other processes.
type Library struct {
	at  *catalogue
	log *eventstore.Log
}

// File returns the file at a path, and false when there is none. A registration that has expired is returned too; the
// caller checks for that. File folds the events of the path's stream that the document lacks. When the log is
// unavailable, it returns an existing document as it is.
func (l *Library) File(ctx context.Context, account domain.AccountID, path media.Path) (MediaFile, bool, error) {
	id := media.StreamID(account, path)
	found, err := l.at.docs.Get(ctx, l.at.collection(mediaModel{}.name()), id)
	if err != nil {
		return MediaFile{}, false, fmt.Errorf("read media file %s: %w", id, err)
	}
	file, next := MediaFile{}, eventstore.Revision(0)
	if stored, ok := found[id]; ok {
		if file, err = decodeAs[MediaFile](stored.Body); err != nil {
			return MediaFile{}, false, fmt.Errorf("decode media file %s: %w", id, err)
		}
		next = eventstore.Revision(file.Revision) + 1
	}
	reading, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	seen := file
	for recorded, err := range l.log.Store().ReadStream(reading, media.StreamCategory+"-"+id, eventstore.Forwards, next) {
		var e Event
		if err == nil {
			e, err = decodeEvent(l.log.Codec(), recorded)
		}
		switch {
		case err == nil:
			file = foldMediaFile(file, e)
		case seen.ID != "" && ctx.Err() == nil && (errors.Is(err, eventstore.ErrUnavailable) || reading.Err() != nil):
			return seen, seen.Status != "", nil
		default:
			return MediaFile{}, false, fmt.Errorf("bring media file %s up to date: %w", id, err)
		}
	}
	return file, file.Status != "", nil
}

// Folder returns a folder, and false when it does not exist. The root always exists.
func (l *Library) Folder(ctx context.Context, account domain.AccountID, folder string) (MediaFolder, bool, error) {
	if err := l.at.lagging(folderModel{}.name()); err != nil {
		return MediaFolder{}, false, err
	}
	id := folderID(string(account), folder)
	found, err := l.at.docs.Get(ctx, l.at.collection(folderModel{}.name()), id)
	if err != nil {
		return MediaFolder{}, false, fmt.Errorf("read media folder %s: %w", id, err)
	}
	stored, ok := found[id]
	if !ok || stored.Gone {
		return newFolder(id, string(account)), folder == "", nil
	}
	doc, err := decodeAs[MediaFolder](stored.Body)
	if err != nil {
		return MediaFolder{}, false, fmt.Errorf("decode media folder %s: %w", id, err)
	}
	return doc, true, nil
}

// Files returns up to limit files directly in a folder, by name: those whose names follow the parameter after; empty: from the
// first on. kind selects one kind; empty: all. Expired registrations are included. limit is 1 to MaxPage.
func (l *Library) Files(
	ctx context.Context, account domain.AccountID, folder string, kind media.Kind, after string, limit int,
) ([]MediaFile, error) {
	q := Query{Index: indexMediaNames, Equal: []any{string(account), folder}, Limit: limit}
	if kind != "" {
		q.Index, q.Equal = indexMediaTypes, []any{string(account), folder, string(kind)}
	}
	if after != "" {
		q.After = []any{after}
	}
	return page[MediaFile](ctx, l.at, mediaModel{}.name(), q)
}

// Registered returns the registrations directly in a folder that wait for their upload, expired ones included: at most MaxPage.
func (l *Library) Registered(ctx context.Context, account domain.AccountID, folder string) ([]MediaFile, error) {
	return page[MediaFile](ctx, l.at, mediaModel{}.name(), Query{
		Index: indexMediaStatus, Equal: []any{string(account), folder, MediaPending}, Limit: MaxPage,
	})
}

// Folders returns up to limit folders directly in a folder, by name: those whose paths in lists follow the parameter after;
// empty: from the first on. limit is 1 to MaxPage.
func (l *Library) Folders(ctx context.Context, account domain.AccountID, folder, after string, limit int) ([]MediaFolder, error) {
	q := Query{Index: indexFolderChildren, Equal: []any{string(account), folderPath(folder)}, Limit: limit}
	if after != "" {
		q.After = []any{after}
	}
	return page[MediaFolder](ctx, l.at, folderModel{}.name(), q)
}

// Tree returns up to limit of all folders of an account, by path: those whose paths in lists follow the parameter after; empty:
// from the first on. limit is 1 to MaxPage.
func (l *Library) Tree(ctx context.Context, account domain.AccountID, after string, limit int) ([]MediaFolder, error) {
	q := Query{Index: indexFolderPaths, Equal: []any{string(account)}, Limit: limit}
	if after != "" {
		q.After = []any{after}
	}
	return page[MediaFolder](ctx, l.at, folderModel{}.name(), q)
}

// All returns up to limit files of an account in all folders, by folder and name: those that follow the parameter after; nil:
// from the first on. limit is 1 to MaxPage.
func (l *Library) All(ctx context.Context, account domain.AccountID, after *MediaFile, limit int) ([]MediaFile, error) {
	q := Query{Index: indexMediaNames, Equal: []any{string(account)}, Limit: limit}
	if after != nil {
		q.After = []any{after.Folder, after.Name, after.ID}
	}
	return page[MediaFile](ctx, l.at, mediaModel{}.name(), q)
}

// Names reports whether any file of any library is stored under a blob key.
func (l *Library) Names(ctx context.Context, blob string) (bool, error) {
	for _, u := range l.at.standing.all() {
		if category, _ := eventstore.SplitStream(u.Stream); category == media.StreamCategory {
			// It is not known whether a file is stored under the blob key: the event that cannot be read may name that
			// key.
			return false, &UnreadError{u}
		}
	}
	found, err := page[MediaFile](ctx, l.at, mediaModel{}.name(), Query{Index: indexMediaBlobs, Equal: []any{blob}, Limit: 1})
	return len(found) > 0, err
}

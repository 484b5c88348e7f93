package chores

import (
	"context"
	"time"

	"moviola/domain/blobkey"
)

// uploadAge is the age from which stored bytes are removed that no file of a library names. An upload appends its event within
// a minute of the last byte, or removes the bytes.
const uploadAge = time.Hour

// MediaNames reports whether any file of any media library is stored under a key. It may lag behind the log.
type MediaNames interface {
	Names(ctx context.Context, key string) (bool, error)
}

// Media is the chore of removing bytes older than uploadAge that no file of a media library names, for example those of
// interrupted uploads and deletions. caughtUp waits until the library includes every event that the log has now.
func Media(files Files, library MediaNames, caughtUp func(ctx context.Context) error) Chore {
	return Chore{Name: "stray media files", Do: func(ctx context.Context, now time.Time) error {
		until := now.Add(-uploadAge)
		var found strays
		err := files.Walk(ctx, blobkey.Media.Prefix(), func(key string, written time.Time) error {
			if !written.Before(until) {
				return nil
			}
			named, err := library.Names(ctx, key)
			found.add(key, named)
			return err
		})
		if err != nil || len(found.keys) == 0 {
			return err
		}
		// The check is repeated on an up-to-date library: a file that was being moved during the first check is then found at its new
		// path.
		if err := caughtUp(ctx); err != nil {
			return err
		}
		var stray []string
		for _, key := range found.keys {
			named, err := library.Names(ctx, key)
			if err != nil {
				return err
			}
			if !named {
				stray = append(stray, key)
			}
		}
		found.found -= len(found.keys) - len(stray)
		found.keys = stray
		return found.remove(ctx, files)
	}}
}

// Old is the chore of removing files below a prefix that are older than an age: at most mostStrays in a round.
func Old(name, prefix string, age time.Duration, files Files) Chore {
	return Chore{Name: name, Do: func(ctx context.Context, now time.Time) error {
		var old []string
		err := files.Walk(ctx, prefix, func(key string, written time.Time) error {
			if written.Before(now.Add(-age)) && len(old) < mostStrays {
				old = append(old, key)
			}
			return nil
		})
		for _, key := range old {
			if err == nil {
				err = files.Delete(ctx, key)
			}
		}
		return err
	}}
}

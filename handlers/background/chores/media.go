package chores

import (
	"context"
	"time"

	"moviola/domain/blobkey"
)

// uploadAge is how old stored bytes must be that no file of a library names. Bytes are named within a minute of their last one:
// an upload appends as soon as they are stored, or removes them.
const uploadAge = time.Hour

// Library says whether any file of any media library is stored under a key. It may be behind the log by a moment.
type Library interface {
	Names(ctx context.Context, key string) (bool, error)
}

// Media is the chore of removing bytes that no file of a media library names: those of uploads and deletions that were cut off.
// caughtUp waits until the library has seen what the log has now.
func Media(files Files, library Library, caughtUp func(ctx context.Context) error) Chore {
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
		// A file that is just being moved may have been on its way from one path to the other: it is looked for again.
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
		found.keys = stray
		return found.remove(ctx, files)
	}}
}

// Old is the chore of removing what lies below a prefix and is older than an age, whatever it is.
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

package chores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/projections"
)

const (
	// documentAge is how old a document without movie must be. A request appends for a minute at most. Design §4.
	documentAge = 24 * time.Hour
	// renderAge is how old a rendered file must be that its movie's record does not name: a lost attempt may still be about
	// to remove its own, and one whose removal crossed with another's writing is found now. Design §8.
	renderAge = time.Hour
)

// Files are the stored files.
type Files interface {
	// Walk hands every key below a prefix, and when it was written, to visit, whose error ends the walk.
	Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
	Delete(ctx context.Context, key string) error
}

// Movies says what is recorded of a movie: false when there is none. It is not behind the log for one that is not closed.
type Movies interface {
	Get(ctx context.Context, project domain.ProjectID) (projections.Movie, bool, error)
}

// Documents is the chore of removing the documents of submissions that came to nothing. What has been found to have a movie once
// is not looked at again by this process.
func Documents(files Files, movies Movies) Chore {
	var done time.Time
	return Chore{Name: "documents without movie", Do: func(ctx context.Context, now time.Time) error {
		until := now.Add(-documentAge)
		var found strays
		err := files.Walk(ctx, blobkey.Documents.Prefix(), func(key string, written time.Time) error {
			owner, ok := blobkey.Parse(key)
			if !ok || !written.Before(until) {
				return nil
			}
			if written.Before(done) {
				found.named++
				return nil
			}
			_, known, err := movies.Get(ctx, owner.Project)
			found.add(key, known)
			return err
		})
		if err == nil {
			err = found.remove(ctx, files)
		}
		if err == nil && len(found.keys) < mostStrays {
			done = until
		}
		return err
	}}
}

// Renders is the chore of removing rendered files that no record names: those of attempts that were lost, and of movies that were
// deleted.
func Renders(files Files, movies Movies) Chore {
	return Chore{Name: "stray renders", Do: func(ctx context.Context, now time.Time) error {
		until := now.Add(-renderAge)
		var found strays
		err := files.Walk(ctx, blobkey.Renders.Prefix(), func(key string, written time.Time) error {
			owner, ok := blobkey.Parse(key)
			if !ok || !written.Before(until) {
				return nil
			}
			m, known, err := movies.Get(ctx, owner.Project)
			found.add(key, known && (!m.Closed || names(m, key)))
			return err
		})
		if err != nil {
			return err
		}
		return found.remove(ctx, files)
	}}
}

// names says whether the record of a closed movie names a stored file.
func names(m projections.Movie, key string) bool {
	return !m.Gone && m.File != nil && (m.File.Key == key || m.File.Thumbnail == key || m.File.Subtitles == key)
}

const (
	// fewStrays is how many files may be removed whatever else there is.
	fewStrays = 100
	// mostStrays bounds what one round removes; the next one goes on.
	mostStrays = 10_000
)

// errTooMany says that nearly nothing of what is stored is known: more likely the log is not the one that belongs to the files.
var errTooMany = errors.New("most files belong to no movie; is this the event store that belongs to them? Nothing was removed")

// strays are the files that nothing names, and the number of the others.
type strays struct {
	keys  []string
	named int
}

func (s *strays) add(key string, named bool) {
	switch {
	case named:
		s.named++
	case len(s.keys) < mostStrays:
		s.keys = append(s.keys, key)
	}
}

// remove removes the strays, unless there are so many that something else must be wrong.
func (s *strays) remove(ctx context.Context, files Files) error {
	if len(s.keys) > fewStrays && len(s.keys) > s.named {
		return fmt.Errorf("%d strays, %d files of movies: %w", len(s.keys), s.named, errTooMany)
	}
	for _, key := range s.keys {
		if err := files.Delete(ctx, key); err != nil {
			return fmt.Errorf("remove %s: %w", key, err)
		}
	}
	return nil
}

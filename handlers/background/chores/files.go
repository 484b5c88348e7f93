package chores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/projections"
)

const (
	// documentAge is the age from which a document without a movie is removed. A request that has stored a document tries
	// to append the event of the movie for a much shorter time. Design §4.
	documentAge = 24 * time.Hour
	// renderAge is the age from which a rendered file is removed that its movie's record does not name. A younger file may
	// belong to a lost attempt, which is about to remove the file itself. A file that is stored while the files of its movie
	// are being removed may survive that removal; the chore removes it at that age too. Design §8.
	renderAge = time.Hour
)

// Files are the stored files.
type Files interface {
	// Walk calls visit with every key below a prefix, and the time when the key's file was written.
	// An error of visit ends the walk.
	Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
	Delete(ctx context.Context, key string) error
}

// Movies returns the record of a movie, and false when there is none or the submission was abandoned. The record of a
// movie that is not closed includes all events of the movie that the log has at the time of the call.
type Movies interface {
	Get(ctx context.Context, project domain.ProjectID) (projections.Movie, bool, error)
}

// Documents is the chore of removing documents whose submission never became a movie. After a successful round, later
// rounds of the same process check only younger documents.
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

// Renders is the chore of removing rendered files that no record names: files of lost attempts and
// of deleted movies.
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

// names reports whether the record of a closed movie names the stored file with a key.
func names(m projections.Movie, key string) bool {
	return !m.Gone && m.File != nil && slices.Contains(m.File.Keys(), key)
}

const (
	// fewStrays is a number of strays (stored files that no record names). Up to this number, the strays that were found
	// are all removed. More are removed only if at least as many other files were found.
	fewStrays = 100
	// mostStrays is the maximum number of files that a chore removes in one round; the next round removes more.
	mostStrays = 10_000
)

// errTooMany says that most stored files belong to no movie in the log, so the log is probably that
// of another installation.
var errTooMany = errors.New("most files belong to no movie; is this the event store that belongs to them? Nothing was removed")

// strays holds the keys of stored files that no record names, at most mostStrays of them.
type strays struct {
	keys  []string
	found int // number of stored files that no record names
	named int // number of the other files, which stay
}

func (s *strays) add(key string, named bool) {
	if named {
		s.named++
		return
	}
	if s.found++; len(s.keys) < mostStrays {
		s.keys = append(s.keys, key)
	}
}

// remove deletes the files with the keys in s.keys, which no record names. If s.found is more than fewStrays and also more
// than s.named, it deletes none and returns errTooMany: the log is then probably that of another installation.
func (s *strays) remove(ctx context.Context, files Files) error {
	if s.found > fewStrays && s.found > s.named {
		return fmt.Errorf("%d strays, %d files of movies: %w", s.found, s.named, errTooMany)
	}
	for _, key := range s.keys {
		if err := files.Delete(ctx, key); err != nil {
			return fmt.Errorf("remove %s: %w", key, err)
		}
	}
	return nil
}

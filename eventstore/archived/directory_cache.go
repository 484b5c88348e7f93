package archived

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"moviola/eventstore"
)

// keptDirectories is how many directories of archive files are cached in memory, each with its list of places.
const keptDirectories = 8

// directoryCache reads archive files and caches their directories. It is safe for concurrent use.
type directoryCache struct {
	files Files

	mu   sync.Mutex
	kept map[string]*known // cached directories, by the key of the archive file
	uses int64             // how often cached directories were used so far
}

// known is the cached directory of an archive file.
type known struct {
	dir    directory
	places map[string]place // places of the file's streams, by the name of the stream; nil: not read yet
	used   int64            // directoryCache.uses as it was when this directory was last used
}

func newDirectoryCache(files Files) *directoryCache {
	return &directoryCache{files: files, kept: map[string]*known{}}
}

// read reads a range of bytes of an archive file, and verifies the checksum of the range.
func (s *directoryCache) read(ctx context.Context, key string, at span) (content []byte, err error) {
	defer func() {
		if err != nil {
			err = unreadable(key, err)
		}
	}()
	if at.Size <= 0 || at.Size > mostDecoded {
		return nil, fmt.Errorf("a stretch of %d bytes", at.Size)
	}
	file, err := s.files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(at.At, io.SeekStart); err != nil {
		return nil, err
	}
	content = make([]byte, at.Size)
	if _, err := io.ReadFull(file, content); err != nil {
		return nil, err
	}
	if hashOf(content) != at.Hash {
		return nil, ErrDamaged
	}
	return content, nil
}

// unreadable returns the error of a file that cannot be read. The end of the caller's context is no fault of the file.
func unreadable(key string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("archive file %s: %w", key, err)
	}
	return fmt.Errorf("%w: archive file %s: %w", eventstore.ErrIncomplete, key, err)
}

// ErrDamaged says that the content of an archive file has changed since it was written.
var ErrDamaged = errors.New("it is damaged: restore it from a backup")

// directory returns the directory of an archive file: its list of blocks.
func (s *directoryCache) directory(ctx context.Context, entry Entry) (directory, error) {
	k, err := s.find(ctx, entry, false)
	if err != nil {
		return directory{}, err
	}
	return k.dir, nil
}

// find returns the cached directory of an archive file, and reads it first if necessary. When withPlaces is true, it includes
// the places of the file's streams.
func (s *directoryCache) find(ctx context.Context, entry Entry, withPlaces bool) (*known, error) {
	s.mu.Lock()
	k := s.kept[entry.Key]
	if k != nil {
		s.uses++
		k.used = s.uses
	}
	s.mu.Unlock()
	if k != nil && (k.places != nil || !withPlaces) {
		return k, nil
	}
	content, err := s.read(ctx, entry.Key, entry.Directory)
	if err != nil {
		return nil, err
	}
	k = &known{}
	if err := json.Unmarshal(content, &k.dir); err != nil {
		return nil, unreadable(entry.Key, err)
	}
	if k.dir.Format != format {
		return nil, unreadable(entry.Key,
			fmt.Errorf("it has format %d, this program knows %d: start the newer version", k.dir.Format, format))
	}
	if withPlaces {
		if content, err = s.read(ctx, entry.Key, k.dir.Places); err != nil {
			return nil, err
		}
		if k.places, err = decodePlaces(content); err != nil {
			return nil, unreadable(entry.Key, err)
		}
	}
	s.keep(entry.Key, k)
	return k, nil
}

// keep caches a directory. When the cache is full, it drops the least recently used one.
func (s *directoryCache) keep(key string, k *known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses++
	k.used = s.uses
	s.kept[key] = k
	for len(s.kept) > keptDirectories {
		oldest := key
		for other, candidate := range s.kept {
			if candidate.used < s.kept[oldest].used {
				oldest = other
			}
		}
		delete(s.kept, oldest)
	}
}

// block reads a block of an archive file, and returns its events.
func (s *directoryCache) block(ctx context.Context, key string, b block) ([]eventstore.Recorded, error) {
	content, err := s.read(ctx, key, b.span)
	if err != nil {
		return nil, err
	}
	events, err := decodeBlock(content, b)
	if err != nil {
		return nil, unreadable(key, err)
	}
	return events, nil
}

// stream returns the events of one stream that are in an archive file.
func (s *directoryCache) stream(ctx context.Context, entry Entry, stream string) ([]eventstore.Recorded, error) {
	k, err := s.find(ctx, entry, true)
	if err != nil {
		return nil, err
	}
	var events []eventstore.Recorded
	for _, number := range k.places[stream].Blocks {
		all, err := s.block(ctx, entry.Key, k.dir.Blocks[number])
		if err != nil {
			return nil, err
		}
		for _, event := range all {
			if event.Stream == stream {
				events = append(events, event)
			}
		}
	}
	return events, nil
}

// places returns the places of all streams in an archive file.
func (s *directoryCache) places(ctx context.Context, entry Entry) (map[string]place, error) {
	k, err := s.find(ctx, entry, true)
	if err != nil {
		return nil, err
	}
	return k.places, nil
}

// Package commands holds the use cases that change movies and batches of movies: usually one file each, with a command, a
// plain struct named in the imperative, and its handler. Most handlers take the same steps: load the aggregate, decide, do
// the external effect that must come first, append at the loaded revision. Use cases of other aggregates are in the
// packages below this one.
package commands

import (
	"context"
	"errors"
	"io"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

// ErrFileNotFound is the error of Files for a key without a file.
var ErrFileNotFound = errors.New("file not found")

// Files stores whole files under slash-separated keys, for example movie documents, rendered movies and thumbnails. Writes
// are atomic, and the bytes are stored durably when Put returns. All methods are safe for concurrent use.
type Files interface {
	// Put stores the bytes of r under key, and replaces an existing file.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns the file under key, or ErrFileNotFound.
	Open(ctx context.Context, key string) (File, error)
	// Delete deletes the file under key. A missing file is no error.
	Delete(ctx context.Context, key string) error
	// List returns the keys that begin with prefix, in order.
	List(ctx context.Context, prefix string) ([]string, error)
}

// File is an open stored file.
type File interface {
	io.ReadSeekCloser
	Size() int64
	ModTime() time.Time
}

// RenderJob is one attempt at rendering one movie.
type RenderJob struct {
	Account  domain.AccountID
	Project  domain.ProjectID
	Attempt  int
	Document []byte // the movie JSON
	// Now is the time that clocks in the movie's pages show, the same in every attempt. Zero: the
	// present time.
	Now time.Time
	// FetchedSince is when the movie's sources were first requested. Sources of elements with "cache": false are used from
	// the cache only if they were downloaded since then. Zero: they are not used from the cache. Other sources may be used
	// from the cache in any case.
	FetchedSince time.Time
	// Fetched is called at most once, when every source is on the local disk and before the movie is drawn or encoded;
	// items of its property preload are made already. contents has, by name, hashes of what movies with the same document must
	// have in common to be equal: the content of each source, by the source's key, and the renderer's own. Fetched is not called
	// when the movie cannot be equal to another one. When it returns an error, Render ends and returns the same error; before
	// that, with ErrCached, it stores what Keep is for. nil: not called.
	Fetched func(ctx context.Context, contents map[string]string) error
	// Planned is called at most once, when the exact length and size are known (plan) and before the movie is encoded.
	// warnings are those that the render has until then, such as properties that it does not follow as given. When Planned
	// returns an error, Render ends and returns the same error. nil: not called.
	Planned func(ctx context.Context, plan movie.Dimensions, warnings []string) error
	// Preloaded stores a finished item of the movie's property preload. It returns the address of the stored item, the
	// address web of a copy that browsers can play (empty: there is no copy), and a warning for the movie (empty: none).
	// When the field Preloaded is nil, items are not stored, and the address of an item is its property src.
	Preloaded func(ctx context.Context, job PrepareJob, p Prepared) (address, web, warning string, err error)
	// Matte asks for the movie's matte too, if the movie has a transparent background.
	Matte bool
	// Keep stores in the media library an asset that was made for an element. name is the id or number of the element, and
	// before is how many assets of the movie were to be stored under that name before this one. nil: nothing is stored.
	Keep func(ctx context.Context, name string, before int, p Prepared) error
	// Progress is called with the rendered percentage, above 0 to 100, ascending, at most a few times a second. It must not
	// block. nil: not called.
	Progress func(percent float64)
	// Measured is called with the duration of each stage of the render, and Frames with the numbers of frames that were encoded and
	// that were taken from a cache. Both are called by several goroutines. nil: not called.
	Measured func(stage string, took time.Duration)
	Frames   func(encoded, cached int64)
	// Share is closed when another account waits for the slot. Then Render ends with ErrGiveWay at a point where no
	// finished work is lost: after it has begun at least one window of this attempt, or usually when it has to wait for its
	// sources or pages. nil: the render never gives way.
	Share <-chan struct{}
}

// Rendered is a finished movie on the renderer's local disk. The caller moves the files away and then calls Close.
type Rendered struct {
	Plan      movie.Dimensions
	File      movie.File // what was measured in the finished file; Key, Thumbnail and Token are empty
	Movie     string     // path of the MP4
	Matte     string     // path of the movie's matte; empty: the movie is opaque, or no matte was asked for
	Thumbnail string     // path of the thumbnail, a JPEG; empty: none was made
	Subtitles string     // path of the captions as an ASS file; empty: the movie has none
	Still     int64      // number of the frame that the thumbnail shows
	Warnings  []string   // problems in spite of which the render has succeeded
	Close     func()     // removes the working files
}

// OutputJob is the making of a finished movie's outputs beside the MP4.
type OutputJob struct {
	Movie   string // path of the MP4; the outputs are made in the same folder
	Matte   string // path of an MP4 that is white where the movie is opaque, black elsewhere; empty: all is opaque
	Plan    movie.Dimensions
	Sound   bool     // the MP4 has sound
	Still   int64    // number of the frame that stills show
	Formats []string // names of the outputs to make
	// Until is when outputs that are not finished are given up.
	Until time.Time
}

// Package commands holds the use cases that change something: one file each, a plain struct in the imperative and its
// handler. Every handler takes the same steps: load the aggregate, decide, do the outside effect that must come first, append at
// the loaded revision.
package commands

import (
	"context"
	"errors"
	"io"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

// ErrFileNotFound is what a Files returns for a key that holds nothing.
var ErrFileNotFound = errors.New("file not found")

// Files keeps whole files under slash-separated keys: movie documents, rendered movies, thumbnails.
// A file is seen whole or not at all, and is on disk when Put returns. All methods are safe for concurrent use.
type Files interface {
	// Put stores what r yields under key, replacing what was there.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns the file under key, or ErrFileNotFound.
	Open(ctx context.Context, key string) (File, error)
	// Delete removes the file under key. A key that holds nothing is no error.
	Delete(ctx context.Context, key string) error
	// List yields the keys that begin with prefix, in order.
	List(ctx context.Context, prefix string) ([]string, error)
}

// File is an open stored file.
type File interface {
	io.ReadSeekCloser
	Size() int64
	ModTime() time.Time
}

// RenderJob is one attempt at one movie.
type RenderJob struct {
	Account  domain.AccountID
	Project  domain.ProjectID
	Attempt  int
	Document []byte // the movie JSON
	// Now is what pages in the movie read from their clocks: the same in every attempt. Zero: the present.
	Now time.Time
	// FetchedSince is when the movie's sources were first asked for: what was downloaded since then need not be asked for anew.
	// Zero: it has to.
	FetchedSince time.Time
	// Fetched is called once, when every source is on the local disk and before anything is drawn or encoded, with the hex
	// SHA-256 of each source's content by its address. Its error ends the render and is returned by Render unchanged. nil: nobody
	// asks.
	Fetched func(ctx context.Context, sources map[string]string) error
	// Planned is called once, when the exact length is known and before anything is encoded, with what is not done as it is
	// written. Its error ends the render and is returned by Render unchanged.
	Planned func(ctx context.Context, plan movie.Plan, warnings []string) error
	// Preloaded stores an item of the movie's property preload and returns its addresses, the second one that of its form for
	// browsers, or empty, and a warning. nil: an item is known by its src.
	Preloaded func(ctx context.Context, job PrepareJob, p Prepared) (address, web, warning string, err error)
	// Keep puts what was made for an element into the media library, under the element's id or number. nil: nothing is kept.
	Keep func(ctx context.Context, name string, p Prepared) error
	// Progress is told the share that is done, 0 to 100, growing, a few times a second at most. It must not block.
	Progress func(percent float64)
	// Measured is told how long a stage of the render took, and Frames how many frames were encoded and how many came from the
	// cache. Both are called by several goroutines. nil: nobody asks.
	Measured func(stage string, took time.Duration)
	Frames   func(encoded, cached int64)
	// Share is closed when another account waits for the slot. Render then ends with ErrGiveWay where nothing that was finished
	// is lost, as soon as it has got further than the attempt before. nil: nobody asks.
	Share <-chan struct{}
}

// Rendered is a finished movie on the renderer's local disk. The caller moves the files away and then calls Close.
type Rendered struct {
	Plan      movie.Plan
	File      movie.File // without Key, Thumbnail and Token: the facts probed from the finished file
	Movie     string     // path of the MP4
	Thumbnail string     // path of the JPEG, empty when none was made
	Subtitles string     // path of the captions as ASS, empty when the movie has none
	Warnings  []string   // problems that the render survived
	Close     func()     // removes the working files
}

// Renderer makes a movie. An error of type *domain.Error is the movie's own fault (its text is shown to the client and the render
// is not tried again); any other error may pass, and the render is tried again.
type Renderer interface {
	Render(ctx context.Context, job RenderJob) (Rendered, error)
	// Finished is how many windows of a movie earlier attempts on this host have made; 0 where that is not known.
	Finished(project domain.ProjectID) int
}

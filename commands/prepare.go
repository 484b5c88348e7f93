package commands

import (
	"time"

	"moviola/domain"
	"moviola/domain/preload"
)

// PrepareJob is one attempt at preparing one preload item.
type PrepareJob struct {
	Account domain.AccountID
	// Batch is the id of the preload batch to which the item belongs. For an item of a movie's property preload, Batch is
	// the id of the movie.
	Batch   string
	Index   int // index of the item in its preload batch or in the property preload, from 0
	Attempt int
	Item    preload.Wanted
	// FetchedSince is when the item's sources were first requested. A source with "cache": false is used from the cache
	// only if it was downloaded since then. Zero: it is not used from the cache.
	FetchedSince time.Time
	// Now is the time that clocks in the item's pages show: the time at which the batch, or the movie, was requested.
	Now time.Time
}

// Prepared is a prepared asset. The caller moves its files away and then calls Close.
type Prepared struct {
	Path        string // path of the asset
	Extension   string // file name extension of the asset with its dot, such as .png
	ContentType string
	Size        int64   // size in bytes
	Duration    float64 // length in seconds; 0: neither video nor sound
	Width       int     // width in pixels; 0: the asset cannot be seen
	Height      int
	// Web is the path of a copy in a format that browsers can play; empty when they can play the asset itself. Spec: Preload item
	// result, webURL.
	Web          string
	WebExtension string
	WebType      string
	// Generated is true when this attempt has made the asset from a description, a text, a component or a page. It is
	// false when the asset was downloaded, or taken from a cache.
	Generated bool
	Warnings  []string // problems in spite of which the preparation has succeeded
	Close     func()   // removes the working files
}

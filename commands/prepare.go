package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/preload"
)

// Preparer makes one item of a preload ready: it downloads, has spoken, has generated or draws it.
type Preparer interface {
	// Prepare returns the asset on the local disk. A *domain.Error is the item's own fault, and its text is meant for the client;
	// any other error may pass. It is safe for concurrent use.
	Prepare(ctx context.Context, job PrepareJob) (Prepared, error)
}

// PrepareJob is one attempt at one item.
type PrepareJob struct {
	Account domain.AccountID
	// Batch names the batch, or the movie whose property preload it is; Index is the item's place in it, from 0.
	Batch   string
	Index   int
	Attempt int
	Item    preload.Wanted
	// FetchedSince is that of a RenderJob.
	FetchedSince time.Time
	// Now is that of a RenderJob: when the batch was requested, or its movie's.
	Now time.Time
}

// Prepared is an asset that is ready. The caller moves its files away and then calls Close.
type Prepared struct {
	Path        string // of the asset
	Extension   string // with its point: .png
	ContentType string
	Size        int64   // bytes
	Duration    float64 // seconds; 0: it does not move
	Width       int     // pixels; 0: there is nothing to see
	Height      int
	// Web is the path of a form of it that browsers can play; empty when they can play the asset itself. Spec: Preload item
	// result, webURL.
	Web          string
	WebExtension string
	WebType      string
	Generated    bool     // it was made of a description, by the program or by a provider
	Warnings     []string // problems that it survived
	Close        func()   // removes the working files
}

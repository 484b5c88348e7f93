package preload

import (
	"fmt"
	"time"

	"moviola/domain"
)

// Item is one requested asset of a batch. The properties from which it is made are in the stored document of the batch.
type Item struct {
	ID   string `json:"id" personal:"yes"`
	Type Type   `json:"type"`
	Save bool   `json:"save,omitempty"` // the asset is stored in the media library
	// Held are the credits held for making the item; 0: the item costs nothing. Decision 38.
	Held int64 `json:"held,omitempty"`
	// Sources reports whether the item may name files. They are fetched before the item is prepared. Decision 54.
	Sources bool `json:"sources,omitempty"`
}

// Requested is the first event of a batch: its document is stored, and its credits are held.
type Requested struct {
	Account      domain.AccountID `json:"account"`
	Items        []Item           `json:"items"`
	DocumentHash string           `json:"document_hash" personal:"no"` // hex SHA-256 of the stored document
	At           time.Time        `json:"at"`
}

// ItemFetchStarted is a worker's claim on fetching the files that an item names. The item stays pending. Decision 54.
type ItemFetchStarted struct {
	Index   int       `json:"index"`   // index of the item in its batch, from 0
	Attempt int       `json:"attempt"` // number of the fetching attempt for this item: 1, 2, ...
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	// Alone and Death mean the same as in ItemStarted: whether the worker's process does no other render, fetching or preload
	// item during this attempt, and how the process of the previous attempt died.
	Alone bool         `json:"alone,omitempty"`
	Death domain.Death `json:"death,omitempty"`
}

// ItemFetchReleased releases a claim on fetching.
type ItemFetchReleased struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	Memory  bool      `json:"memory,omitempty"` // the kernel killed one of the attempt's programs because memory ran out
}

// ItemFetched records that all files that an item names are available. The item can then be prepared.
type ItemFetched struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"` // number of the attempt; 0: all files were available already, so no attempt was needed
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
}

// ItemStarted is a worker's claim on one item.
type ItemStarted struct {
	Index   int       `json:"index"`   // index of the item in its batch, from 0
	Attempt int       `json:"attempt"` // number of the attempt at this item: 1, 2, ...
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	// Alone reports whether the worker's process does no other render or preload item during this attempt.
	Alone bool `json:"alone,omitempty"`
	// Death is the cause of the death of the previous attempt's process, as far as there is evidence; empty when that
	// attempt ended in any other way.
	Death domain.Death `json:"death,omitempty"`
}

// ItemReleased releases a claim without a result.
type ItemReleased struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	// Memory reports whether the attempt was given up because the kernel killed one of its programs when memory ran out.
	// The next attempt must then be the only work in its process.
	Memory bool `json:"memory,omitempty"`
}

// ItemFinished is the result of one item.
type ItemFinished struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker" personal:"no"`
	Result  Result    `json:"result"`
	At      time.Time `json:"at"`
}

// Result describes a prepared asset, or the error because of which there is no asset.
type Result struct {
	Error string `json:"error,omitempty" personal:"yes"` // why there is no asset; empty: the asset is ready
	// Key is the blob key of the asset, which is stored for a limited time; empty when the asset is in the media library, at
	// Folder and Name.
	Key    string `json:"key,omitempty" personal:"no"`
	Folder string `json:"folder,omitempty" personal:"yes"`
	Name   string `json:"name,omitempty" personal:"yes"`
	// Web is the blob key of a copy of the asset in a format that browsers play; empty: browsers can play the asset itself.
	Web string `json:"web,omitempty" personal:"no"`
	// WebName is the name of the copy that browsers play, in Folder of the media library. It is set only when the asset is in the
	// media library; Web is empty then.
	WebName   string     `json:"web_name,omitempty" personal:"yes"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // when the asset expires; nil: the asset is kept in the media library
	Warning   Warning    `json:"warning,omitempty"`
	Duration  float64    `json:"duration,omitempty"` // length of the asset in seconds
	Width     int        `json:"width,omitempty"`    // width of the asset in pixels
	Height    int        `json:"height,omitempty"`
	Size      int64      `json:"size,omitempty"` // size of the asset in bytes
	// Generated reports whether the asset was made for this request, from a prompt, a text, a component or a page. Only such
	// an asset costs credits. Decision 38.
	Generated bool  `json:"generated,omitempty"`
	Credits   int64 `json:"credits,omitempty"` // credits that generating the asset cost
}

// Warning is why an asset was not saved in the media library as requested.
type Warning string

// The warnings about assets that were not saved in the media library. Spec: Preload item result.
const (
	QuotaBlocked  Warning = "quota_blocked"
	PersistFailed Warning = "persist_failed"
)

// Finished closes the batch: every item is ready or has failed. When it is the first event of a stream, the batch was never
// requested: credits were held for the batch, but Requested was not appended in time.
type Finished struct {
	At time.Time `json:"at"`
}

// EventType is the persisted name.
func (Requested) EventType() string         { return "PreloadRequested" }
func (ItemFetchStarted) EventType() string  { return "PreloadItemFetchStarted" }
func (ItemFetchReleased) EventType() string { return "PreloadItemFetchReleased" }
func (ItemFetched) EventType() string       { return "PreloadItemFetched" }
func (ItemStarted) EventType() string       { return "PreloadItemStarted" }
func (ItemReleased) EventType() string      { return "PreloadItemReleased" }
func (ItemFinished) EventType() string      { return "PreloadItemFinished" }
func (Finished) EventType() string          { return "PreloadFinished" }

// EventKey distinguishes the event from others of its type in the same stream. The keys of claims include the worker.
func (Requested) EventKey() string { return "" }
func (e ItemFetchStarted) EventKey() string {
	return fmt.Sprintf("%d/%d/%s", e.Index, e.Attempt, e.Worker)
}
func (e ItemFetchReleased) EventKey() string { return fmt.Sprintf("%d/%d", e.Index, e.Attempt) }
func (e ItemFetched) EventKey() string       { return fmt.Sprint(e.Index) }
func (e ItemStarted) EventKey() string       { return fmt.Sprintf("%d/%d/%s", e.Index, e.Attempt, e.Worker) }
func (e ItemReleased) EventKey() string      { return fmt.Sprintf("%d/%d", e.Index, e.Attempt) }
func (e ItemFinished) EventKey() string {
	return fmt.Sprintf("%d/%d/%s", e.Index, e.Attempt, e.Worker)
}
func (Finished) EventKey() string { return "" }

// StreamCategory is the part of the names of the streams of batches before the first dash.
const StreamCategory = "preload"

// Stream names the stream of a batch.
func Stream(id ID) string { return StreamCategory + "-" + string(id) }

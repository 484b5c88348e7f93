package preload

import (
	"fmt"
	"time"

	"moviola/domain"
)

// Item is one asset of a batch, as it was asked for. What it is made from stands in the stored document of the batch.
type Item struct {
	ID   string `json:"id"`
	Type Type   `json:"type"`
	Save bool   `json:"save,omitempty"` // keep it in the media library
	// Held are the credits held for making it: 0 when it costs nothing. Decision 38.
	Held int64 `json:"held,omitempty"`
	// Sources says that it may name files: they are fetched before it is prepared. Decision 54.
	Sources bool `json:"sources,omitempty"`
}

// Requested is the first event of a batch: its document is stored, its credits are held.
type Requested struct {
	Account      domain.AccountID `json:"account"`
	Items        []Item           `json:"items"`
	DocumentHash string           `json:"document_hash"` // hex SHA-256 of the stored document
	At           time.Time        `json:"at"`
}

// ItemFetchStarted is a worker's claim on the fetching of the files that an item names. The item stays pending. Decision 54.
type ItemFetchStarted struct {
	Index   int       `json:"index"`   // of the item in its batch, from 0
	Attempt int       `json:"attempt"` // 1, 2, ... of fetching for this item
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	// Alone and Death are those of ItemStarted.
	Alone bool         `json:"alone,omitempty"`
	Death domain.Death `json:"death,omitempty"`
}

// ItemFetchReleased hands a claim on the fetching back.
type ItemFetchReleased struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	Memory  bool      `json:"memory,omitempty"` // that of ItemReleased
}

// ItemFetched says that the files which an item names are at hand: it can be prepared.
type ItemFetched struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"` // 0: all were at hand, and nobody had to fetch any
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
}

// ItemStarted is a worker's claim on one item.
type ItemStarted struct {
	Index   int       `json:"index"`   // of the item in its batch, from 0
	Attempt int       `json:"attempt"` // 1, 2, ... of this item
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	// Alone says that no other render or preload item is in work in the process as long as the attempt is.
	Alone bool `json:"alone,omitempty"`
	// Death is how the process of the attempt before, when it ended in nothing else, is known to have failed.
	Death domain.Death `json:"death,omitempty"`
}

// ItemReleased hands a claim back without a result.
type ItemReleased struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	// Memory says that the attempt was given up because the kernel ended one of its programs for want of memory: the next one has to be
	// alone.
	Memory bool `json:"memory,omitempty"`
}

// ItemFinished is what became of one item.
type ItemFinished struct {
	Index   int       `json:"index"`
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	Result  Result    `json:"result"`
	At      time.Time `json:"at"`
}

// Result describes a prepared asset, or says why there is none.
type Result struct {
	Error string `json:"error,omitempty"` // empty: the asset is ready
	// Key is where the asset is stored for a while; empty when it is in the media library, at Folder and Name.
	Key    string `json:"key,omitempty"`
	Folder string `json:"folder,omitempty"`
	Name   string `json:"name,omitempty"`
	// Web is where a form of it is stored that browsers can play; empty when they can play the asset itself.
	Web string `json:"web,omitempty"`
	// WebName is its name in Folder, when the asset is kept there: then it is stored nowhere else.
	WebName   string     `json:"web_name,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // nil: it is kept in the media library
	Warning   Warning    `json:"warning,omitempty"`
	Duration  float64    `json:"duration,omitempty"` // seconds
	Width     int        `json:"width,omitempty"`    // pixels
	Height    int        `json:"height,omitempty"`
	Size      int64      `json:"size,omitempty"` // bytes
	// Generated says that it was made by a provider, just now: only then is it paid for. Decision 38.
	Generated bool  `json:"generated,omitempty"`
	Credits   int64 `json:"credits,omitempty"` // what that cost
}

// Warning says why an asset that was to be kept is not.
type Warning string

// The warnings. Spec: Preload item result.
const (
	QuotaBlocked  Warning = "quota_blocked"
	PersistFailed Warning = "persist_failed"
)

// Finished closes the batch: every item is ready or has failed. As the first event it says that the batch was never requested: credits
// were held for it, and its request ended before it could be recorded.
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

// EventKey tells the event from others of its type in the same stream. Claims name their worker.
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

// StreamCategory is what the names of the streams of batches begin with, up to the first dash.
const StreamCategory = "preload"

// Stream names the stream of a batch.
func Stream(id ID) string { return StreamCategory + "-" + string(id) }

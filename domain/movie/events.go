package movie

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Submitted is the first event of a movie that was accepted: its document is stored, its credits are held.
type Submitted struct {
	Account      domain.AccountID `json:"account"`
	At           time.Time        `json:"at"`
	DocumentHash string           `json:"document_hash"` // hex SHA-256 of the stored document
	DocumentSize int64            `json:"document_size"` // bytes
	Held         int64            `json:"held"`          // credits held for it at submission
	Draft        bool             `json:"draft,omitempty"`
	Counted      bool             `json:"counted,omitempty"` // on a counted plan: it costs no credits (decision 36)
	// Destinations counts the export destinations; 0 means that there is nothing to deliver.
	Destinations int `json:"destinations,omitempty"`
	// Targets names the destinations, in their order, for results that no worker can give.
	Targets []Target `json:"targets,omitempty"`
	// Templates are the saved templates that the movie is made of: every attempt renders exactly these.
	Templates []TemplateUse `json:"templates,omitempty"`
	// Sources says that the document may name files: they are fetched before the movie is rendered. Decision 54.
	Sources bool `json:"sources,omitempty"`
	// Warnings are what its JSON says in vain, found when it was submitted.
	Warnings []string `json:"warnings,omitempty"`
	// Batch and Row say which row of a batch it is made of. Decision 63.
	Batch domain.BatchID `json:"batch,omitempty"`
	Row   int            `json:"row,omitempty"`
	// Terms are what it is found by: see Terms. Movies of earlier versions have none. Decision 73.
	Terms []string `json:"terms,omitempty"`
}

// TemplateUse is a template as it was when a movie was submitted.
type TemplateUse struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"` // of the template's stream
	Body     string `json:"body"`     // hash of its movie JSON, under which that is stored
}

// Target names a destination without its address.
type Target struct {
	Type string `json:"type,omitempty"`
	ID   string `json:"id,omitempty"` // of a saved connection
}

// SubmissionAbandoned closes a submission whose Submitted never came, so that it cannot come any more.
type SubmissionAbandoned struct {
	Account domain.AccountID `json:"account"`
	At      time.Time        `json:"at"`
}

// SourcesFetchStarted is a worker's claim on the fetching of the movie's sources. It holds no slot of a render, and the movie stays pending.
// Decision 54.
type SourcesFetchStarted struct {
	Attempt int       `json:"attempt"` // 1, 2, ... of the fetching
	Worker  string    `json:"worker"`  // unique to one run of one process
	At      time.Time `json:"at"`
	// Alone says that no other render, preload item or fetching is in work in the process as long as the attempt is.
	Alone bool `json:"alone,omitempty"`
	// Death is how the process of the attempt before, when it ended in nothing else, is known to have failed.
	Death domain.Death `json:"death,omitempty"`
}

// SourcesFetchReleased hands the claim on the fetching back without an outcome. It does not count as an attempt that crashed.
type SourcesFetchReleased struct {
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	// Memory says that the kernel ended one of the attempt's programs for want of memory: the next one has to be alone.
	Memory bool `json:"memory,omitempty"`
}

// SourcesFetched says that the files which the document names are where every renderer finds them: the movie can be rendered.
type SourcesFetched struct {
	Attempt int       `json:"attempt"` // 0: all were at hand, and nobody had to fetch any
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
}

// RenderStarted is a worker's claim on the movie.
type RenderStarted struct {
	Attempt int       `json:"attempt"` // 1, 2, ...
	Worker  string    `json:"worker"`  // unique to one run of one process
	At      time.Time `json:"at"`
	// Alone says that no other render or preload item is in work in the process as long as the attempt is.
	Alone bool `json:"alone,omitempty"`
	// Death is how the process of the attempt before, when it ended in nothing else, is known to have failed.
	Death domain.Death `json:"death,omitempty"`
	// Windows is how many windows of the movie the attempts before have made, as far as the worker knows.
	Windows int `json:"windows,omitempty"`
}

// RenderReleased hands the claim back without an outcome: its worker is shutting down. It does not count as an attempt
// that crashed.
type RenderReleased struct {
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	// Memory says that the attempt was given up because the kernel ended one of its programs for want of memory: the next one has to be
	// alone.
	Memory bool `json:"memory,omitempty"`
	// Shared says that the movie gave its slot to another account that was waiting. It goes on in its next slot, even when its own time is over.
	Shared bool `json:"shared,omitempty"`
}

// RenderFinished is the outcome of an attempt. It closes the movie, a timed-out one too. Worker is who says so: the attempt's own
// worker, or the one that closes an attempt which is dead. A success after the file was deleted describes a file without Key,
// Thumbnail and Token: it was discarded (decision 19).
type RenderFinished struct {
	Attempt  int       `json:"attempt"`
	Worker   string    `json:"worker"`
	At       time.Time `json:"at"`
	Success  bool      `json:"success"`
	Message  string    `json:"message,omitempty"` // why it failed
	Plan     *Plan     `json:"plan,omitempty"`    // when it was laid out
	File     *File     `json:"file,omitempty"`    // on success
	Credits  int64     `json:"credits"`           // what the render costs: 0 unless it succeeded in time
	Warnings []string  `json:"warnings,omitempty"`
	// CacheKey is what the movie can be found by when the account submits the same again; empty: it can not (decision 20).
	CacheKey string `json:"cache_key,omitempty"`
	// CachedFrom is the movie whose file this one's is a copy of; empty: it was rendered.
	CachedFrom domain.ProjectID `json:"cached_from,omitempty"`
	// Code is the code of what it failed with, and Family whose it is (domain.Kind.Family): see FailureOf.
	Code   string `json:"code,omitempty"`
	Family string `json:"family,omitempty"`
	// Spent tells where the attempt's time went; nil: nobody measured it.
	Spent *Spent `json:"spent,omitempty"`
}

// Spent is what an attempt at a movie took.
type Spent struct {
	TookMS int64 `json:"took_ms"` // from the claim to the outcome
	// StagesMS are milliseconds by stage, of windows that are made side by side added up.
	StagesMS map[string]int64 `json:"stages_ms,omitempty"`
	// Encoded are frames that were made, Cached those found in windows of earlier renders.
	Encoded int64 `json:"encoded,omitempty"`
	Cached  int64 `json:"cached,omitempty"`
}

// Plan is what the timeline says of the finished movie.
type Plan struct {
	Width  int   `json:"width"`
	Height int   `json:"height"`
	Frames int64 `json:"frames"`
	// FPSNum/FPSDen are the frames per second as an exact fraction: 25/1, 30000/1001.
	FPSNum int64 `json:"fps_num"`
	FPSDen int64 `json:"fps_den"`
}

// File describes the rendered file, as probed. Null colour fields are empty strings.
type File struct {
	Key       string `json:"key"`           // blob key of the MP4
	Thumbnail string `json:"thumbnail_key"` // blob key of the JPEG, empty when none was made
	// Subtitles is the blob key of the captions as ASS, empty when the movie has none.
	Subtitles      string  `json:"subtitles_key,omitempty"`
	Token          string  `json:"token,omitempty"` // in the file's address: 32 hex digits; empty: it is derived (result.Tokens). Earlier versions stored a random one
	Size           int64   `json:"size"`            // bytes
	Hash           string  `json:"hash,omitempty"`  // hex SHA-256 of the MP4; empty: an earlier version stored it
	Codec          string  `json:"codec"`           // as ffprobe names it: h264
	CodecType      string  `json:"codec_type"`      // video
	PixelFormat    string  `json:"pix_fmt"`         // yuv420p
	VideoStreams   int     `json:"video_streams"`   //
	AudioStreams   int     `json:"audio_streams"`   //
	FrameRate      float64 `json:"frame_rate"`      //
	ColorTransfer  string  `json:"color_transfer"`  // bt709
	ColorPrimaries string  `json:"color_primaries"` // bt709
	ColorSpace     string  `json:"color_space"`     // bt709
	// Loudness is that of the movie's sound; nil of silence, and of movies that were made before it was measured.
	Loudness *Loudness `json:"loudness,omitempty"`
}

// Loudness is how loud a movie's sound is, as EBU R 128 measures the decoded file, rounded to one decimal.
type Loudness struct {
	Integrated *float64 `json:"integrated"` // LUFS; nil when no 400 ms of it are loud enough to count (-70 LUFS)
	TruePeak   float64  `json:"true_peak"`  // dBTP
}

// RenderTimedOut marks a movie whose first RenderStarted is longer ago than the render timeout. The render may go on.
type RenderTimedOut struct {
	At time.Time `json:"at"`
}

// Cancelled closes a movie at its owner's request.
type Cancelled struct {
	At time.Time `json:"at"`
}

// DeleteReason says why a rendered file went.
type DeleteReason string

// The reasons of FileDeleted.
const (
	ByUser  DeleteReason = "user"
	Expired DeleteReason = "expired"
	Purged  DeleteReason = "purged"
)

// FileDeleted records that the rendered file, its thumbnail and its subtitles are gone.
type FileDeleted struct {
	Reason DeleteReason `json:"reason"`
	At     time.Time    `json:"at"`
}

// DeliveryStarted is a worker's claim on the movie's destinations.
type DeliveryStarted struct {
	Run    int       `json:"run"` // 1, 2, ...
	Worker string    `json:"worker"`
	At     time.Time `json:"at"`
	// Death is the evidence of how the process of the previous run failed; empty when that run ended in any other way.
	Death domain.Death `json:"death,omitempty"`
}

// DeliveryAttempted is one try at one destination.
type DeliveryAttempted struct {
	Run   int `json:"run"`
	Index int `json:"index"` // position in destinations
	Try   int `json:"try"`   // 1, 2, 3
	// Final says that no further try at this destination follows in this run.
	Final      bool           `json:"final"`
	Type       string         `json:"type"`
	ID         string         `json:"id,omitempty"` // of a saved connection
	Status     DeliveryStatus `json:"status"`
	HTTPStatus int            `json:"http_status,omitempty"`
	Message    string         `json:"message,omitempty"` // shows scheme and host of addresses only
	DurationMS int64          `json:"duration_ms"`
	At         time.Time      `json:"at"` // when the try ended
}

// DeliveryStatus is the result of a try. Decision 33.
type DeliveryStatus string

// The results of a delivery.
const (
	DeliveryOK      DeliveryStatus = "ok"
	DeliveryError   DeliveryStatus = "error"
	DeliverySkipped DeliveryStatus = "skipped"
)

// DeliveryReleased hands the claim on the destinations back: its worker is shutting down.
type DeliveryReleased struct {
	Run    int       `json:"run"`
	Worker string    `json:"worker"`
	At     time.Time `json:"at"`
}

// DeliveryFinished says that every destination has its final result.
type DeliveryFinished struct {
	Run int       `json:"run"`
	At  time.Time `json:"at"`
}

// RedeliveryRequested asks for another delivery of a movie whose delivery has finished.
type RedeliveryRequested struct {
	Request int `json:"request"` // 1, 2, ...
	// Index is the position of the one destination that is served again; nil: all of them.
	Index *int      `json:"index,omitempty"`
	At    time.Time `json:"at"`
}

// EventType is the persisted name.
func (Submitted) EventType() string            { return "MovieSubmitted" }
func (SubmissionAbandoned) EventType() string  { return "SubmissionAbandoned" }
func (SourcesFetchStarted) EventType() string  { return "SourcesFetchStarted" }
func (SourcesFetchReleased) EventType() string { return "SourcesFetchReleased" }
func (SourcesFetched) EventType() string       { return "SourcesFetched" }
func (RenderStarted) EventType() string        { return "RenderStarted" }
func (RenderReleased) EventType() string       { return "RenderReleased" }
func (RenderFinished) EventType() string       { return "RenderFinished" }
func (RenderTimedOut) EventType() string       { return "RenderTimedOut" }
func (Cancelled) EventType() string            { return "MovieCancelled" }
func (FileDeleted) EventType() string          { return "FileDeleted" }
func (DeliveryStarted) EventType() string      { return "DeliveryStarted" }
func (DeliveryAttempted) EventType() string    { return "DeliveryAttempted" }
func (DeliveryReleased) EventType() string     { return "DeliveryReleased" }
func (DeliveryFinished) EventType() string     { return "DeliveryFinished" }
func (RedeliveryRequested) EventType() string  { return "RedeliveryRequested" }

// EventKey tells the event from others of its type on the same movie.
func (Submitted) EventKey() string              { return "" }
func (SubmissionAbandoned) EventKey() string    { return "" }
func (e SourcesFetchStarted) EventKey() string  { return strconv.Itoa(e.Attempt) + "/" + e.Worker }
func (e SourcesFetchReleased) EventKey() string { return strconv.Itoa(e.Attempt) }
func (SourcesFetched) EventKey() string         { return "" }
func (e RenderStarted) EventKey() string        { return strconv.Itoa(e.Attempt) + "/" + e.Worker }
func (e RenderReleased) EventKey() string       { return strconv.Itoa(e.Attempt) }
func (e RenderFinished) EventKey() string       { return strconv.Itoa(e.Attempt) + "/" + e.Worker }
func (RenderTimedOut) EventKey() string         { return "" }
func (Cancelled) EventKey() string              { return "" }
func (e FileDeleted) EventKey() string          { return string(e.Reason) }
func (e DeliveryStarted) EventKey() string      { return strconv.Itoa(e.Run) + "/" + e.Worker }
func (e DeliveryAttempted) EventKey() string {
	return strconv.Itoa(e.Run) + "/" + strconv.Itoa(e.Index) + "/" + strconv.Itoa(e.Try)
}
func (e DeliveryReleased) EventKey() string    { return strconv.Itoa(e.Run) }
func (e DeliveryFinished) EventKey() string    { return strconv.Itoa(e.Run) }
func (e RedeliveryRequested) EventKey() string { return strconv.Itoa(e.Request) }

// StreamCategory is what the names of movie streams begin with, up to the first dash.
const StreamCategory = "movie"

// Stream names the stream of one movie.
func Stream(project domain.ProjectID) string { return StreamCategory + "-" + string(project) }

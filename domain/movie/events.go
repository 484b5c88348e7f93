package movie

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Submitted is the first event of a movie that was accepted: its document is stored, and its credits are held.
type Submitted struct {
	Account      domain.AccountID `json:"account"`
	At           time.Time        `json:"at"`
	DocumentHash string           `json:"document_hash" personal:"no"` // hex SHA-256 of the stored document
	DocumentSize int64            `json:"document_size"`               // size of the stored document in bytes
	Held         int64            `json:"held"`                        // credits held for the movie at submission
	// MaxCredits is the maximum price that the client accepts; 0: any price. Decision 75.
	MaxCredits int64 `json:"max_credits,omitempty"`
	Draft      bool  `json:"draft,omitempty"`
	Counted    bool  `json:"counted,omitempty"` // the account is on a counted plan: the movie costs no credits (decision 36)
	// Destinations is the number of export destinations; 0: the movie is not delivered.
	Destinations int `json:"destinations,omitempty"`
	// Targets are the types and ids of the destinations, in order. Results that are recorded without a worker take type and
	// id from here.
	Targets []Target `json:"targets,omitempty"`
	// Templates are the saved templates of which the movie is made, with their versions. Every attempt renders these
	// versions.
	Templates []TemplateUse `json:"templates,omitempty"`
	// Sources reports whether the document may name files. Such files are fetched before the render. Decision 54.
	Sources bool `json:"sources,omitempty"`
	// Warnings tell which properties of the movie's JSON are not followed as written, found when it was submitted.
	Warnings []string `json:"warnings,omitempty" personal:"yes"`
	// Batch and Row name the batch and the row from which the movie is made. Decision 63.
	Batch domain.BatchID `json:"batch,omitempty"`
	Row   int            `json:"row,omitempty"`
	// Outputs are the outputs that the movie asks for beside the MP4: outputs to be made, and outputs that the account's plan
	// or the document rules out. Decision 61.
	Outputs []Output `json:"outputs,omitempty"`
	// Terms are the hashes by which a search finds the movie: see the function Terms. Movies of earlier versions have none.
	// Decision 73.
	Terms []string `json:"terms,omitempty" personal:"yes"`
}

// TemplateUse is the version of a template that a movie uses, fixed when the movie was submitted.
type TemplateUse struct {
	ID       string `json:"id" personal:"no"`
	Revision int64  `json:"revision"`           // revision of the template's stream
	Body     string `json:"body" personal:"no"` // hash of the template's movie JSON, by which the stored JSON is found
}

// Target is the type and id of a destination, without its address.
type Target struct {
	Type string `json:"type,omitempty" personal:"no"`
	ID   string `json:"id,omitempty" personal:"no"` // id of a saved connection
}

// SubmissionAbandoned closes a submission that was never completed. No Submitted event can follow it.
type SubmissionAbandoned struct {
	Account domain.AccountID `json:"account"`
	At      time.Time        `json:"at"`
}

// SourcesFetchStarted is a worker's claim on fetching the movie's sources. It takes no render slot, and the movie stays pending.
// Decision 54.
type SourcesFetchStarted struct {
	Attempt int       `json:"attempt"`              // number of the fetching attempt: 1, 2, ...
	Worker  string    `json:"worker" personal:"no"` // name of the worker, unique to one start of one process
	At      time.Time `json:"at"`
	// Alone reports whether the worker's process does no other render, preload item or fetching during this attempt.
	Alone bool `json:"alone,omitempty"`
	// Death is the cause of the death of the previous attempt's process, as far as there is evidence; empty when that
	// attempt ended in any other way.
	Death domain.Death `json:"death,omitempty"`
}

// SourcesFetchReleased releases a claim on fetching without an outcome. The attempt does not count as a crash.
type SourcesFetchReleased struct {
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	// Memory reports whether the kernel killed one of the attempt's programs because memory ran out. The next attempt must
	// then be the only work in its process.
	Memory bool `json:"memory,omitempty"`
}

// SourcesFetched records that every file that the document names is stored where all renderers can read it: the movie can
// be rendered.
type SourcesFetched struct {
	Attempt int       `json:"attempt"` // number of the attempt; 0: all files were available already, so no attempt was needed
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
}

// RenderStarted is a worker's claim on rendering the movie.
type RenderStarted struct {
	Attempt int       `json:"attempt"`              // number of the attempt: 1, 2, ...
	Worker  string    `json:"worker" personal:"no"` // name of the worker, unique to one start of one process
	At      time.Time `json:"at"`
	// Alone reports whether the worker's process does no other render or preload item during this attempt.
	Alone bool `json:"alone,omitempty"`
	// Death is the cause of the death of the previous attempt's process, as far as there is evidence; empty when that
	// attempt ended in any other way.
	Death domain.Death `json:"death,omitempty"`
	// Windows is the number of windows of the movie that earlier attempts have finished, as far as the worker knows.
	Windows int `json:"windows,omitempty"`
	// Encoder and EncoderVersion name the encoder of the windows of this attempt. Empty: the event is from an earlier version
	// of the service, which has x264 only. When a hardware encoder fails, x264 encodes the movie. Decision 87.
	Encoder        string `json:"encoder,omitempty" personal:"no"`
	EncoderVersion string `json:"encoder_version,omitempty" personal:"no"`
}

// RenderReleased releases a claim without an outcome, for instance because the worker shuts down. The attempt does not
// count as a crash.
type RenderReleased struct {
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	// Memory reports whether the attempt was given up because the kernel killed one of its programs when memory ran out.
	// The next attempt must then be the only work in its process.
	Memory bool `json:"memory,omitempty"`
	// Shared reports whether the movie gave its slot to another account that was waiting. The movie continues in its next
	// slot, even when its own time limit has passed.
	Shared bool `json:"shared,omitempty"`
}

// RenderFinished is the outcome of an attempt. It closes the movie, also after a time-out. Worker is the attempt's own
// worker, or the worker that closes the attempt of a dead worker. When the owner has deleted the file before a success, the
// File of the event has no Key, Thumbnail, Subtitles and Token, and its Outputs have no Files: the files were discarded
// (decision 19).
type RenderFinished struct {
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker" personal:"no"`
	At      time.Time `json:"at"`
	Success bool      `json:"success"`
	Message string    `json:"message,omitempty" personal:"yes"` // why the render failed; empty: it succeeded
	// size, rate and length of the movie; nil: the attempt ended before the movie was laid out
	Plan     *Dimensions `json:"plan,omitempty"`
	File     *File       `json:"file,omitempty"` // the rendered file; set on success only
	Credits  int64       `json:"credits"`        // price in credits; 0: a failure, or a success that is free (FinishRender)
	Warnings []string    `json:"warnings,omitempty" personal:"yes"`
	// CacheKey is the key by which an equal submission of the same account finds this movie's file; empty: the file cannot be
	// reused (decision 20).
	CacheKey string `json:"cache_key,omitempty" personal:"no"`
	// CachedFrom is the movie whose file was copied for this one; empty: this movie was rendered.
	CachedFrom domain.ProjectID `json:"cached_from,omitempty"`
	// Code is the error code of a failure; Family says who is responsible for it (domain.Kind.Family). See FailureOf.
	Code   string `json:"code,omitempty" personal:"no"`
	Family string `json:"family,omitempty" personal:"no"`
	// Spent is how the attempt used its time; nil: the time was not measured.
	Spent *Spent `json:"spent,omitempty"`
}

// Spent is the time and the number of frames that an attempt at a movie took.
type Spent struct {
	TookMS int64 `json:"took_ms"` // time from the claim to the outcome
	// StagesMS are milliseconds by stage. Times of windows that were made at the same time are added up.
	StagesMS map[string]int64 `json:"stages_ms,omitempty" personal:"no"`
	// Encoded is the number of frames that were encoded, Cached the number of frames in windows that were reused from earlier
	// renders.
	Encoded int64 `json:"encoded,omitempty"`
	Cached  int64 `json:"cached,omitempty"`
}

// Dimensions is the size, rate and length of the finished movie, as the timeline has planned them.
type Dimensions struct {
	Width  int   `json:"width"`
	Height int   `json:"height"`
	Frames int64 `json:"frames"`
	// FPSNum/FPSDen are the frames per second as an exact fraction: 25/1, 30000/1001.
	FPSNum int64 `json:"fps_num"`
	FPSDen int64 `json:"fps_den"`
}

// File describes the rendered file, as ffprobe reports it. Colour fields that ffprobe does not report are empty strings.
type File struct {
	Key       string `json:"key" personal:"no"`           // blob key of the MP4
	Thumbnail string `json:"thumbnail_key" personal:"no"` // blob key of the JPEG; empty: no thumbnail was made
	// Subtitles is the blob key of the captions as ASS, empty when the movie has none.
	Subtitles string `json:"subtitles_key,omitempty" personal:"no"`
	// secret part of the file's address: 32 hex digits; empty: the part is derived (result.Tokens). Earlier versions stored
	// a random part
	Token          string  `json:"token,omitempty" personal:"no"`
	Size           int64   `json:"size"`                          // size of the MP4 in bytes
	Hash           string  `json:"hash,omitempty" personal:"no"`  // hex SHA-256 of the MP4; empty: stored by an earlier version
	Codec          string  `json:"codec" personal:"no"`           // video codec, such as h264
	CodecType      string  `json:"codec_type" personal:"no"`      // type of the stream: always video
	PixelFormat    string  `json:"pix_fmt" personal:"no"`         // pixel format, such as yuv420p
	VideoStreams   int     `json:"video_streams"`                 //
	AudioStreams   int     `json:"audio_streams"`                 //
	FrameRate      float64 `json:"frame_rate"`                    //
	ColorTransfer  string  `json:"color_transfer" personal:"no"`  // transfer characteristics, such as bt709
	ColorPrimaries string  `json:"color_primaries" personal:"no"` // colour primaries, such as bt709
	ColorSpace     string  `json:"color_space" personal:"no"`     // colour space, such as bt709
	// Outputs are the outputs that were made of the movie beside the MP4, and those that could not be made. Decision 61.
	Outputs []Output `json:"outputs,omitempty"`
	// Loudness is the loudness of the movie's sound; nil for silence, and for movies that were made before it was measured.
	Loudness *Loudness `json:"loudness,omitempty"`
}

// Loudness is the loudness of a movie's sound, measured in the decoded file by EBU R 128 and rounded to one decimal.
type Loudness struct {
	Integrated *float64 `json:"integrated"` // loudness in LUFS; nil when every 400 ms block is below the gate of -70 LUFS
	TruePeak   float64  `json:"true_peak"`  // true peak in dBTP
}

// RenderTimedOut marks a movie whose first RenderStarted is longer ago than the render timeout. Its render may still continue.
type RenderTimedOut struct {
	At time.Time `json:"at"`
}

// Cancelled closes a movie at its owner's request.
type Cancelled struct {
	At time.Time `json:"at"`
}

// DeleteReason is why a rendered file was deleted.
type DeleteReason string

// The reasons of FileDeleted.
const (
	ByUser  DeleteReason = "user"
	Expired DeleteReason = "expired"
	Purged  DeleteReason = "purged"
)

// FileDeleted records that the rendered file, its thumbnail, its subtitles and its outputs were deleted.
type FileDeleted struct {
	Reason DeleteReason `json:"reason"`
	At     time.Time    `json:"at"`
}

// DeliveryStarted is a worker's claim on the movie's destinations.
type DeliveryStarted struct {
	Run    int       `json:"run"` // number of the run: 1, 2, ...
	Worker string    `json:"worker" personal:"no"`
	At     time.Time `json:"at"`
	// Death is the cause of the death of the previous run's process, as far as there is evidence; empty when that run ended
	// in any other way.
	Death domain.Death `json:"death,omitempty"`
}

// DeliveryAttempted is one try at one destination.
type DeliveryAttempted struct {
	Run   int `json:"run"`
	Index int `json:"index"` // index of the destination
	// Try is the number of the try: 1, 2 or 3. It may be higher in an event that gives the destination up: runs that died
	// while they served the destination then count as tries.
	Try int `json:"try"`
	// Final reports whether no further try at this destination follows in this run.
	Final      bool           `json:"final"`
	Type       string         `json:"type" personal:"no"`
	ID         string         `json:"id,omitempty" personal:"no"` // id of a saved connection
	Status     DeliveryStatus `json:"status"`
	HTTPStatus int            `json:"http_status,omitempty"`
	// message to the owner; names only scheme and host of addresses
	Message    string    `json:"message,omitempty" personal:"yes"`
	DurationMS int64     `json:"duration_ms"`
	At         time.Time `json:"at"` // when the try ended
	// Spent is the time since the previous event of the run, as far as it counts towards the time limit for all destinations.
	Spent *int64 `json:"spent_ms,omitempty"` // in milliseconds; nil in events of earlier versions: all of that time
}

// SpentOf returns a time for the field Spent of an event.
func SpentOf(spent time.Duration) *int64 {
	ms := spent.Milliseconds()
	return &ms
}

// DeliveryStatus is the result of a try. Decision 33.
type DeliveryStatus string

// The results of a try.
const (
	DeliveryOK      DeliveryStatus = "ok"
	DeliveryError   DeliveryStatus = "error"
	DeliverySkipped DeliveryStatus = "skipped"
)

// DeliveryReleased releases the claim on the destinations, because its worker is shutting down.
type DeliveryReleased struct {
	Run    int       `json:"run"`
	Worker string    `json:"worker" personal:"no"`
	At     time.Time `json:"at"`
	Spent  *int64    `json:"spent_ms,omitempty"` // as DeliveryAttempted.Spent
}

// DeliveryFinished records that every destination has its final result.
type DeliveryFinished struct {
	Run int       `json:"run"`
	At  time.Time `json:"at"`
}

// RedeliveryRequested asks for another delivery of a movie whose delivery has finished.
type RedeliveryRequested struct {
	Request int `json:"request"` // number of the request: 1, 2, ...
	// Index is the index of the one destination that is served again; nil: all destinations.
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

// EventKey distinguishes the event from others of its type on the same movie.
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
func (e DeliveryReleased) EventKey() string { return strconv.Itoa(e.Run) }
func (e DeliveryFinished) EventKey() string { return strconv.Itoa(e.Run) }

// EventKey distinguishes requests for different destinations, which may come at the same time.
func (e RedeliveryRequested) EventKey() string {
	if e.Index == nil {
		return strconv.Itoa(e.Request)
	}
	return strconv.Itoa(e.Request) + "/" + strconv.Itoa(*e.Index)
}

// StreamCategory is the part of the names of movie streams before the first dash.
const StreamCategory = "movie"

// Stream names the stream of one movie.
func Stream(project domain.ProjectID) string { return StreamCategory + "-" + string(project) }

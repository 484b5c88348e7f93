// Code generated from the description of the HTTP interface; DO NOT EDIT.

package client

import "time"

// Batch: The answer of GET /v2/batches/{batch_id}.
type Batch struct {
	Batch     BatchBatch `json:"batch"`
	HasNext   bool       `json:"has_next"`
	NextToken *string    `json:"next_token"`
	Results   []BatchRow `json:"results"`
	Success   bool       `json:"success"`
	Timestamp time.Time  `json:"timestamp"`
}

// BatchBatch: A part of Batch.
type BatchBatch struct {
	CancelledAt *time.Time `json:"cancelled_at"`
	// Rows by status.
	Counts    map[string]any `json:"counts"`
	CreatedAt time.Time      `json:"created_at"`
	// Held for all movies when the batch was accepted.
	Credits int64  `json:"credits"`
	ID      string `json:"id"`
	// Rows of which none is made.
	Invalid int64 `json:"invalid"`
	// Rows of which a movie is made.
	Movies int64 `json:"movies"`
	// All of them.
	Rows int64 `json:"rows"`
	// requested: its credits are not held yet; accepted: its movies are being submitted; submitted: each row has its movie.
	// One of: requested, accepted, submitted, cancelled.
	State string `json:"state"`
	// done: every movie has ended, some perhaps with an error. One of: pending, running, done, cancelled.
	Status   string `json:"status"`
	Template string `json:"template"`
}

// BatchFlaw: A part of PricedBatch.
type BatchFlaw struct {
	// What is wrong: a code of an error or of a problem of a movie, or row_not_object, row_too_large, csv_field_count,
	// csv_quotes, csv_not_utf8.
	Code string `json:"code"`
	// The variable at fault, where that is known.
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`
	// Counted from 1, the first line of a CSV not included.
	Row int64 `json:"row"`
}

// BatchHead: A part of Batches.
type BatchHead struct {
	CancelledAt *time.Time `json:"cancelled_at"`
	CreatedAt   time.Time  `json:"created_at"`
	// Held for all movies when the batch was accepted.
	Credits int64  `json:"credits"`
	ID      string `json:"id"`
	// Rows of which none is made.
	Invalid int64 `json:"invalid"`
	// Rows of which a movie is made.
	Movies int64 `json:"movies"`
	// All of them.
	Rows int64 `json:"rows"`
	// requested: its credits are not held yet; accepted: its movies are being submitted; submitted: each row has its movie.
	// One of: requested, accepted, submitted, cancelled.
	State    string `json:"state"`
	Template string `json:"template"`
}

// BatchRow: A part of Batch.
type BatchRow struct {
	Code     string  `json:"code,omitempty"`
	Column   string  `json:"column,omitempty"`
	Credits  int64   `json:"credits"`
	Duration float64 `json:"duration,omitempty"`
	Message  string  `json:"message,omitempty"`
	Project  string  `json:"project,omitempty"`
	Row      int64   `json:"row"`
	// That of its movie. waiting: it is not submitted yet; invalid: none is made; cancelled: none was submitted before the
	// batch was cancelled. One of: waiting, pending, running, done, error, timeout, invalid, cancelled.
	Status string  `json:"status"`
	URL    *string `json:"url"`
}

// Batches: The answer of GET /v2/batches.
type Batches struct {
	Batches   []BatchHead `json:"batches"`
	Count     int64       `json:"count"`
	HasNext   bool        `json:"has_next"`
	Limit     int64       `json:"limit"`
	NextToken *string     `json:"next_token"`
	Success   bool        `json:"success"`
	Timestamp time.Time   `json:"timestamp"`
}

// Cancelled: The answer of POST /v2/movies/cancel.
type Cancelled struct {
	CancelledAt time.Time `json:"cancelled_at"`
	// 16 characters of [A-Za-z0-9].
	Project   string    `json:"project"`
	Status    string    `json:"status"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// CancelledBatch: The answer of POST /v2/batches/cancel.
type CancelledBatch struct {
	Batch     string    `json:"batch"`
	State     string    `json:"state"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// Credits: The answer of GET /v2/credits.
type Credits struct {
	Account string `json:"account"`
	// balance − held
	Available int64 `json:"available"`
	// granted − charged
	Balance int64 `json:"balance"`
	// Ever.
	Charged int64 `json:"charged"`
	// Ever.
	Granted int64 `json:"granted"`
	// Set aside for what is not made yet.
	Held int64 `json:"held"`
	// Null on plans that need credits.
	Period *CreditsPeriod `json:"period"`
	Plan   string         `json:"plan"`
	// suspended: all credits have been spent, and nothing may be submitted until some are added. One of: active, suspended,
	// closed.
	State string `json:"state"`
	// Nothing may be stored in the media library until credits are added.
	StorageBlocked bool      `json:"storage_blocked"`
	Success        bool      `json:"success"`
	Timestamp      time.Time `json:"timestamp"`
}

// CreditsPeriod: A part of Credits.
type CreditsPeriod struct {
	Drafts      int64 `json:"drafts"`
	DraftsQuota int64 `json:"drafts_quota"`
	// In UTC, such as 2026-11.
	Month       string `json:"month"`
	Movies      int64  `json:"movies"`
	MoviesQuota int64  `json:"movies_quota"`
}

// Deleted: The answer of DELETE /v2/movies.
type Deleted struct {
	// Of the first deletion.
	DeletedAt time.Time `json:"deleted_at"`
	// 16 characters of [A-Za-z0-9].
	Project   string    `json:"project"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// DestinationResult: A part of Status.
type DestinationResult struct {
	At       time.Time `json:"at"`
	Attempts int64     `json:"attempts"`
	// Of the last try.
	DurationMs int64 `json:"duration_ms"`
	// 0: no answer.
	HttpStatus int64 `json:"http_status"`
	// Of a saved connection; empty when none.
	ID string `json:"id"`
	// Position among the destinations.
	Index int64 `json:"index"`
	// Addresses are shown as scheme and host only.
	Message string `json:"message"`
	// One of: ok, error, skipped.
	Status string `json:"status"`
	Type   string `json:"type"`
}

// ElementTime: A part of Timeline.
type ElementTime struct {
	// From 1.
	Element int64   `json:"element"`
	End     float64 `json:"end"`
	// No source can move it.
	Exact bool   `json:"exact"`
	ID    string `json:"id"`
	// Seconds from the movie's start.
	Start float64 `json:"start"`
	Type  string  `json:"type"`
}

// Event: One thing that happened. What its type does not speak of is left out.
type Event struct {
	At      time.Time `json:"at"`
	Attempt int64     `json:"attempt,omitempty"`
	// The movie whose file was copied, because it is the same.
	CachedFrom string        `json:"cached_from,omitempty"`
	Credits    int64         `json:"credits,omitempty"`
	Delivery   EventDelivery `json:"delivery,omitempty"`
	Message    string        `json:"message,omitempty"`
	// From 0.
	Number int64 `json:"number"`
	// Why a file was deleted. One of: user, expired, purged.
	Reason string `json:"reason,omitempty"`
	// Id of the request that it goes back to.
	Request string     `json:"request,omitempty"`
	Spent   EventSpent `json:"spent,omitempty"`
	// Of the movie, after it. One of: pending, running, done, error, timeout.
	Status  string `json:"status"`
	Success bool   `json:"success,omitempty"`
	// One of: MovieSubmitted, SourcesFetchStarted, SourcesFetchReleased, SourcesFetched, RenderStarted, RenderReleased,
	// RenderFinished, RenderTimedOut, MovieCancelled, FileDeleted, DeliveryStarted, DeliveryAttempted, DeliveryReleased,
	// DeliveryFinished, RedeliveryRequested.
	Type   string `json:"type"`
	Worker string `json:"worker,omitempty"`
}

// EventDelivery: A part of Event.
type EventDelivery struct {
	DurationMs int64  `json:"duration_ms,omitempty"`
	Final      bool   `json:"final,omitempty"`
	HttpStatus int64  `json:"http_status,omitempty"`
	ID         string `json:"id,omitempty"`
	// Of the destination; left out: all.
	Index int64 `json:"index,omitempty"`
	Run   int64 `json:"run,omitempty"`
	// One of: ok, error, skipped.
	Status string `json:"status,omitempty"`
	Try    int64  `json:"try,omitempty"`
	Type   string `json:"type,omitempty"`
}

// EventSpent: What the time of a render was spent on.
type EventSpent struct {
	// Frames that were taken from windows of earlier renders.
	FramesCached  int64 `json:"frames_cached"`
	FramesEncoded int64 `json:"frames_encoded"`
	// By name. What was done at the same time is added up.
	Stages []EventStage `json:"stages"`
	// From the claim to the outcome.
	TookMs int64 `json:"took_ms"`
}

// EventStage: A part of EventSpent.
type EventStage struct {
	Ms int64 `json:"ms"`
	// Such as sources, layout, wait (for the machine), window (drawing and encoding), sound, join.
	Stage string `json:"stage"`
}

// History: The answer of GET /v2/movies/events.
type History struct {
	Count int64 `json:"count"`
	// Oldest first.
	Events []Event `json:"events"`
	// 16 characters of [A-Za-z0-9].
	Project   string    `json:"project"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// LibraryEntry: A part of TemplateLibrary.
type LibraryEntry struct {
	// Width by height, to two decimals.
	AspectRatio float64   `json:"aspect_ratio"`
	CreatedAt   time.Time `json:"created_at"`
	// Authors and licences of the photographs that it shows, where the licences ask for them: name them beside a movie that
	// shows the photographs. Absent: there is nothing to name.
	Credit string   `json:"credit,omitempty"`
	Height int64    `json:"height"`
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Prompt bool     `json:"prompt"`
	Tags   []string `json:"tags"`
	// A picture of it as JPEG.
	ThumbnailURL *string   `json:"thumbnail_url"`
	UpdatedAt    time.Time `json:"updated_at"`
	// An example as MP4; null for one's own template that is not published.
	VideoURL *string `json:"video_url"`
	Width    int64   `json:"width"`
}

// List: A page may hold fewer movies than limit while has_next is true: keep on with next_token.
type List struct {
	// Movies on this page.
	Count   int64     `json:"count"`
	From    time.Time `json:"from"`
	HasNext bool      `json:"has_next"`
	// A next_token was given.
	HasPrev bool  `json:"has_prev"`
	Limit   int64 `json:"limit"`
	// Newest first.
	Movies         []Status  `json:"movies"`
	NextToken      *string   `json:"next_token"`
	RemainingQuota Quota     `json:"remaining_quota"`
	Success        bool      `json:"success"`
	Timestamp      time.Time `json:"timestamp"`
	To             time.Time `json:"to"`
}

// LiveEvent: The body of a live event, which a saved webhook gets that lists it in `events`. It has no `success`.
type LiveEvent struct {
	// Of batch.finished.
	Batch string `json:"batch,omitempty"`
	// Of batch.finished.
	Cancelled bool `json:"cancelled,omitempty"`
	// Of the events of a render.
	ClientData map[string]any `json:"client-data,omitempty"`
	// One of: render.started, render.progress, batch.finished.
	Event string `json:"event"`
	// Of the events of a render; omitted when the movie has none.
	ID string `json:"id,omitempty"`
	// Of batch.finished: rows of which none could be made.
	Invalid int64 `json:"invalid,omitempty"`
	// Of batch.finished: rows of which a movie was to be made.
	Movies int64 `json:"movies,omitempty"`
	// Of render.progress, in percent.
	Progress float64 `json:"progress,omitempty"`
	// Of the events of a render: 16 characters of [A-Za-z0-9].
	Project string `json:"project,omitempty"`
	// Of batch.finished.
	Template  string    `json:"template,omitempty"`
	Timestamp time.Time `json:"timestamp"`
}

// MediaDone: The answer of DELETE /v2/media, DELETE /v2/media/file, PUT /v2/media/file, DELETE /v2/media/folder, POST
// /v2/media/folder, PUT /v2/media/upload/{ticket}.
type MediaDone struct {
	// Of a moved file: its new address.
	FileUrl string `json:"fileUrl,omitempty"`
	// Of a new folder: its name as it is kept.
	Folder string `json:"folder,omitempty"`
	// That the folder exists already.
	Message   string    `json:"message,omitempty"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// MediaFile: A part of MediaFileAnswer.
type MediaFile struct {
	ContentType string    `json:"contentType"`
	CreatedAt   time.Time `json:"created_at"`
	// The same as url.
	FileUrl string `json:"fileUrl"`
	// Empty: the root.
	Folder string `json:"folder"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	// One of: pending, uploaded.
	Status    string `json:"status"`
	Temporary bool   `json:"temporary"`
	// One of: image, video, audio, other.
	Type       string     `json:"type"`
	UploadedAt *time.Time `json:"uploaded_at"`
	URL        string     `json:"url"`
}

// MediaFileAnswer: The answer of GET /v2/media/file.
type MediaFileAnswer struct {
	File      MediaFile `json:"file"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// MediaList: The answer of GET /v2/media, GET /v2/media/folder.
type MediaList struct {
	Files []MediaFile `json:"files"`
	// Names of the folders directly in it, the first thousand.
	Folders   []string     `json:"folders"`
	HasNext   bool         `json:"has_next"`
	NextToken *string      `json:"next_token"`
	Page      int64        `json:"page"`
	PageSize  int64        `json:"page_size"`
	Path      string       `json:"path"`
	Storage   MediaStorage `json:"storage,omitempty"`
	Success   bool         `json:"success"`
	Timestamp time.Time    `json:"timestamp"`
	// Files that fit type and q.
	Total      int64 `json:"total"`
	TotalFiles int64 `json:"total_files"`
	// Bytes of the uploaded files directly in the folder.
	TotalSize int64 `json:"total_size"`
}

// MediaRegistered: The answer of POST /v2/media/file.
type MediaRegistered struct {
	// Seconds.
	ExpiresIn int64 `json:"expiresIn"`
	// Where the file will be. It answers 404 until then.
	FileUrl   string    `json:"fileUrl"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
	UploadUrl string    `json:"uploadUrl"`
}

// MediaStorage: A part of MediaList.
type MediaStorage struct {
	// True while the balance is zero: nothing can be uploaded.
	Blocked   bool       `json:"blocked"`
	BlockedAt *time.Time `json:"blocked_at"`
	// There is no fee.
	CreditsPerWeek any   `json:"credits_per_week"`
	FreeAllowance  int64 `json:"free_allowance"`
	UsedBytes      int64 `json:"used_bytes"`
}

// Moment: The data of one event of the stream.
type Moment struct {
	Message  string `json:"message"`
	Progress int64  `json:"progress"`
	// 16 characters of [A-Za-z0-9].
	Project string `json:"project"`
	// One of: pending, running, done, error, timeout.
	Status  string `json:"status"`
	Success bool   `json:"success"`
}

// Output: Something that a movie has beside its MP4.
type Output struct {
	// Seconds; null for a still.
	Duration *float64 `json:"duration"`
	// As format names it; mp4-hevc and mp4-av1 come from codec.
	Format string `json:"format"`
	Height *int64 `json:"height"`
	// Why it was not made.
	Message string `json:"message"`
	// Bytes of all its files.
	Size *int64 `json:"size"`
	// One of: pending, done, error.
	Status string `json:"status"`
	// Null before it is made, when it was not made, and once the movie's files have expired or were deleted.
	URL   *string `json:"url"`
	Width *int64  `json:"width"`
}

// PricedBatch: The answer of POST /v2/batches/validate.
type PricedBatch struct {
	// What all of them would hold, by their known lengths.
	Credits int64       `json:"credits"`
	Errors  []BatchFlaw `json:"errors"`
	// Rows of which a movie would be made.
	Movies    int64     `json:"movies"`
	Rows      int64     `json:"rows"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// Problem: Something in the JSON that is wrong, or is not done as it is written.
type Problem struct {
	// Stable. In `problems` what it is, as docs/validate.md lists; in `errors` the code of the refusal or render error.
	Code string `json:"code"`
	// From 1, in characters: of the name for what is wrong with a name, else of the value.
	Column int64 `json:"column"`
	// From 1; 0 when there is no text to count in.
	Line    int64  `json:"line"`
	Message string `json:"message"`
	// JSON pointer (RFC 6901) into the posted body, or into `template`. Of a property that is missing, that of the object
	// that lacks it.
	Pointer string `json:"pointer"`
	// What to change.
	Remedy string `json:"remedy"`
	// One of: error, warning, info.
	Severity string `json:"severity"`
	// Id of the saved template, or of the movie that is rendered again, that `pointer` leads into; absent: the body.
	Template string `json:"template,omitempty"`
}

// Quota: What the account may still spend. Only the counters of its plan are there.
type Quota struct {
	// Drafts left this month, on counted plans.
	Drafts int64 `json:"drafts,omitempty"`
	// Movies left this month, on counted plans.
	Movies int64 `json:"movies,omitempty"`
	// Seconds, on credit plans: one credit each.
	Time int64 `json:"time,omitempty"`
}

// SavedTemplate: The answer of POST /v2/templates.
type SavedTemplate struct {
	// Of a copy.
	Name       string    `json:"name,omitempty"`
	Success    bool      `json:"success"`
	TemplateId string    `json:"templateId"`
	Timestamp  time.Time `json:"timestamp"`
}

// SceneTime: A part of Timeline.
type SceneTime struct {
	Elements []ElementTime `json:"elements"`
	End      float64       `json:"end"`
	// No source can move it.
	Exact bool   `json:"exact"`
	ID    string `json:"id"`
	// From 1.
	Scene int64 `json:"scene"`
	// Seconds from the movie's start.
	Start float64 `json:"start"`
}

// Single: The answer of GET /v2/movies.
type Single struct {
	Movie          Status    `json:"movie"`
	RemainingQuota Quota     `json:"remaining_quota"`
	Success        bool      `json:"success"`
	Timestamp      time.Time `json:"timestamp"`
}

// SingleTemplate: The answer of GET /v2/templates.
type SingleTemplate struct {
	Success   bool      `json:"success"`
	Template  Template  `json:"template"`
	Timestamp time.Time `json:"timestamp"`
}

// StartedBatch: The answer of POST /v2/batches.
type StartedBatch struct {
	Batch     string      `json:"batch"`
	Credits   int64       `json:"credits"`
	Errors    []BatchFlaw `json:"errors"`
	Movies    int64       `json:"movies"`
	Rows      int64       `json:"rows"`
	Success   bool        `json:"success"`
	Timestamp time.Time   `json:"timestamp"`
}

// Status: A movie as it stands.
type Status struct {
	// The subtitles.
	Ass *string `json:"ass"`
	// As in the movie; {} when none.
	ClientData      map[string]any `json:"client-data"`
	ConsumedCredits int64          `json:"consumed_credits"`
	CreatedAt       time.Time      `json:"created_at"`
	// Only when the file was deleted through DELETE /movies.
	DeletedAt *time.Time `json:"deleted_at,omitempty"`
	// One entry per destination that has ended, in order; null when nothing was delivered. An e-mail has status error where
	// the account's plan has no e-mail, or its recipients of the day are used up.
	DestinationsResult []DestinationResult `json:"destinations_result"`
	Draft              bool                `json:"draft"`
	// Seconds: planned frames ÷ fps.
	Duration *float64   `json:"duration"`
	EndedAt  *time.Time `json:"ended_at"`
	Height   *int64     `json:"height"`
	// The client's own id.
	ID *string `json:"id"`
	// What was posted. Left out of lists with format=simple; null when it has been removed.
	Json map[string]any `json:"json,omitempty"`
	// How loud the sound is, as EBU R 128 measures the finished file; null for silence and before the movie is done.
	Loudness *StatusLoudness `json:"loudness"`
	// Why, with status error or timeout; otherwise empty.
	Message string `json:"message"`
	// What the movie has, or will have, beside its MP4; omitted when it asks for nothing else.
	Outputs []Output `json:"outputs,omitempty"`
	// Percent rendered.
	Progress int64 `json:"progress"`
	// 16 characters of [A-Za-z0-9].
	Project string `json:"project"`
	// Seconds from the first start to the end.
	RenderingTime *float64 `json:"rendering_time"`
	// Bytes.
	Size      *int64     `json:"size"`
	StartedAt *time.Time `json:"started_at"`
	// One of: pending, running, done, error, timeout.
	Status string `json:"status"`
	// False with status error and timeout.
	Success bool `json:"success"`
	// A JPEG.
	Thumbnail *string `json:"thumbnail"`
	// The MP4; null before it is made and once it has expired or was deleted.
	URL      *string  `json:"url"`
	Warnings []string `json:"warnings"`
	Width    *int64   `json:"width"`
}

// StatusLoudness: A part of Status.
type StatusLoudness struct {
	// LUFS; null when no part is loud enough to count.
	Integrated *float64 `json:"integrated"`
	// dBTP; at most -1.0.
	TruePeak float64 `json:"true_peak"`
}

// Stills: The answer of POST /v2/movies/still.
type Stills struct {
	// Seconds, as far as the sources at hand tell.
	Duration float64 `json:"duration"`
	// Nothing is missing: the movie will be as long as this says.
	Exact  bool  `json:"exact"`
	Frames int64 `json:"frames"`
	Height int64 `json:"height"`
	// What has a placeholder in its place, a sentence each.
	Missing   []string      `json:"missing"`
	Stills    []StillsStill `json:"stills"`
	Success   bool          `json:"success"`
	Timestamp string        `json:"timestamp"`
	Warnings  []string      `json:"warnings"`
	// Pixels of the movie.
	Width int64 `json:"width"`
}

// StillsStill: A part of Stills.
type StillsStill struct {
	// One of: image/png, image/jpeg.
	ContentType string `json:"content_type"`
	Data        string `json:"data"`
	// Of the movie, from 0.
	Frame  int64 `json:"frame"`
	Height int64 `json:"height"`
	// Seconds: when the frame begins.
	Time float64 `json:"time"`
	// Pixels of the picture.
	Width int64 `json:"width"`
}

// Submitted: The answer of POST /v2/movies.
type Submitted struct {
	// 16 characters of [A-Za-z0-9].
	Project   string    `json:"project"`
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// Template: A part of SingleTemplate.
type Template struct {
	// With scopes=prompt.
	AiPrompt  string    `json:"ai_prompt,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	Height    int64     `json:"height"`
	// 20 characters.
	ID string `json:"id"`
	// The movie as it was saved. Passwords in it are shown to role editor and above.
	Movie map[string]any `json:"movie,omitempty"`
	Name  string         `json:"name"`
	// The template belongs to the account: always true.
	Owner bool `json:"owner"`
	// It has an AI prompt.
	Prompt    bool      `json:"prompt"`
	Tags      []string  `json:"tags"`
	UpdatedAt time.Time `json:"updated_at"`
	// With format=make a list of field definitions, with format=jsonschema a JSON Schema.
	Variables any `json:"variables,omitempty"`
	// Pixels of the movie, as far as the template itself says.
	Width int64 `json:"width"`
}

// TemplateDone: The answer of DELETE /v2/templates.
type TemplateDone struct {
	Success   bool      `json:"success"`
	Timestamp time.Time `json:"timestamp"`
}

// TemplateEntry: A part of Templates.
type TemplateEntry struct {
	CreatedAt time.Time `json:"created_at"`
	Height    int64     `json:"height"`
	// 20 characters.
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Tags      []string  `json:"tags"`
	UpdatedAt time.Time `json:"updated_at"`
	// Pixels of the movie, as far as the template itself says.
	Width int64 `json:"width"`
}

// TemplateLibrary: The answer of GET /v2/templates/library.
type TemplateLibrary struct {
	Count     int64          `json:"count"`
	Success   bool           `json:"success"`
	Templates []LibraryEntry `json:"templates"`
	Timestamp time.Time      `json:"timestamp"`
}

// Templates: The answer of GET /v2/templates.
type Templates struct {
	// The number of templates.
	Count     int64           `json:"count"`
	Success   bool            `json:"success"`
	Templates []TemplateEntry `json:"templates"`
	Timestamp time.Time       `json:"timestamp"`
}

// Timeline: A part of Validation.
type Timeline struct {
	// Of the movie itself.
	Elements []ElementTime `json:"elements"`
	Scenes   []SceneTime   `json:"scenes"`
}

// Validation: What would become of a movie, as far as its JSON tells. Where it cannot be read, the facts are null.
type Validation struct {
	// An estimate unless exact.
	Credits *int64 `json:"credits"`
	Draft   *bool  `json:"draft"`
	// Seconds; an estimate unless exact.
	Duration *float64 `json:"duration"`
	// The problems with which the movie is refused, its render ends or nothing is delivered. Their `code` is that of the
	// refusal or of the render's error; the code of what it is stands in `problems`.
	Errors []Problem `json:"errors"`
	// False: duration and credits depend on what the movie's sources and preloads turn out to be.
	Exact  *bool    `json:"exact"`
	FPS    *float64 `json:"fps"`
	Height *int64   `json:"height"`
	// Everything that was found, in the order of the text.
	Problems []Problem `json:"problems"`
	// How many there are, also those beyond 200.
	ProblemsTotal int64     `json:"problems_total"`
	Success       bool      `json:"success"`
	Timeline      *Timeline `json:"timeline"`
	Timestamp     time.Time `json:"timestamp"`
	// What was not looked at, in sentences.
	Unchecked []string `json:"unchecked"`
	// It would be accepted, and nothing in it is known to fail.
	Valid bool `json:"valid"`
	// What is not done as it is written, in sentences, as `warnings` of the movie.
	Warnings []string `json:"warnings"`
	Width    *int64   `json:"width"`
}

// WebhookPayload: The body of a webhook.
type WebhookPayload struct {
	AudioStreams   int64          `json:"audio_streams,omitempty"`
	ClientData     map[string]any `json:"client-data"`
	Codec          string         `json:"codec,omitempty"`
	CodecType      string         `json:"codec_type,omitempty"`
	ColorPrimaries *string        `json:"color_primaries,omitempty"`
	ColorSpace     *string        `json:"color_space,omitempty"`
	ColorTransfer  *string        `json:"color_transfer,omitempty"`
	// Seconds.
	Duration float64 `json:"duration,omitempty"`
	// Only when success is false.
	Error string `json:"error,omitempty"`
	// Of a live event only, whose body is a LiveEvent: it has no success. One of: render.started, render.progress,
	// batch.finished.
	Event     string  `json:"event,omitempty"`
	FrameRate float64 `json:"frame_rate,omitempty"`
	Height    float64 `json:"height,omitempty"`
	// Omitted when the movie has none.
	ID string `json:"id,omitempty"`
	// What the movie has beside its MP4; omitted when it asked for nothing else.
	Outputs []Output `json:"outputs,omitempty"`
	PixFmt  string   `json:"pix_fmt,omitempty"`
	// 16 characters of [A-Za-z0-9].
	Project string `json:"project"`
	// Bytes.
	Size float64 `json:"size,omitempty"`
	// True when a video was produced.
	Success bool `json:"success"`
	// Only in test requests.
	Test bool `json:"test,omitempty"`
	// Omitted when none was produced.
	Thumbnail    string  `json:"thumbnail,omitempty"`
	URL          *string `json:"url,omitempty"`
	VideoStreams int64   `json:"video_streams,omitempty"`
	Width        float64 `json:"width,omitempty"`
}

package projections

import (
	"maps"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

// The statuses of a movie. The last status marks an abandoned submission; no query returns a movie with that status.
const (
	StatusPending   = string(movie.Pending)
	StatusRunning   = string(movie.Running)
	StatusDone      = string(movie.Done)
	StatusError     = string(movie.Failed)
	StatusTimeout   = string(movie.Timeout)
	statusAbandoned = "abandoned"
)

// Movie is the read model of one movie. Answers of GET /movies and the addresses of files are served from it; webhooks are made
// from the movie's stream. Its id is the project.
type Movie struct {
	Project      string `json:"project"`
	Account      string `json:"account"`
	Revision     int64  `json:"revision"` // revision of the last event of the movie's stream that was folded in
	Status       string `json:"status"`   // pending, running, done, error, timeout
	Closed       bool   `json:"closed"`   // only deletions and deliveries can follow
	Message      string `json:"message"`  // the reason when the status is error or timeout
	Draft        bool   `json:"draft"`
	Counted      bool   `json:"counted"` // on a counted plan: the movie costs no credits
	DocumentHash string `json:"document_hash"`
	DocumentSize int64  `json:"document_size"`
	Destinations int    `json:"destinations"`
	Batch        string `json:"batch"` // batch of which the movie is a row; empty: none
	Row          int    `json:"row"`

	CreatedAt time.Time  `json:"created_at"`
	StartedAt *time.Time `json:"started_at"` // start of the first attempt
	EndedAt   *time.Time `json:"ended_at"`   // end of the render; while a timed-out render still runs, the time of the timeout
	DeletedAt *time.Time `json:"deleted_at"` // when its owner deleted it
	Gone      bool       `json:"gone"`       // the file no longer exists, for whatever reason

	Attempt  int               `json:"attempt"` // number of the current attempt
	Worker   string            `json:"worker"`
	Credits  int64             `json:"credits"`
	Plan     *movie.Dimensions `json:"plan"`
	File     *movie.File       `json:"file"`
	Warnings []string          `json:"warnings"`
	// Outputs are the files that the movie has besides its MP4, or will have. Decision 61.
	Outputs []movie.Output `json:"outputs"`
	// CacheKey finds the movie's file for an equal movie, while the file exists; empty: the file must not be reused. Decision 20.
	CacheKey   string `json:"cache_key"`
	CachedFrom string `json:"cached_from"` // project whose file was copied; empty: the movie was rendered

	// Templates are the ids of the saved templates that the movie is made of.
	Templates []string `json:"templates"`
	// FailureCode and FailureFamily tell why the movie has no video; empty: it has one, or was not given up yet. A movie
	// that has timed out may still get a video: then they become empty.
	FailureCode   string `json:"failure_code"`
	FailureFamily string `json:"failure_family"`
	// Spent tells how the attempt whose outcome closed the movie used its time; nil: the movie is open, or the time was not
	// measured.
	Spent *MovieSpent `json:"spent"`

	// for each destination, the result of its newest run that has ended; by Index
	Deliveries []DeliveryResult `json:"deliveries"`
}

// DeliveryResult is the result of a delivery to one destination: that of the last try in the newest run that has ended
// for this destination.
type DeliveryResult struct {
	Index      int       `json:"index"`
	Type       string    `json:"type"`
	ID         string    `json:"id"`
	Status     string    `json:"status"`
	HTTPStatus int       `json:"http_status"`
	Attempts   int       `json:"attempts"`
	Message    string    `json:"message"`
	DurationMS int64     `json:"duration_ms"` // duration of the last try, in ms
	At         time.Time `json:"at"`
}

// MovieSpent tells how an attempt used its time.
type MovieSpent struct {
	TookMS        int64       `json:"took_ms"` // time from the claim to the outcome
	Stages        []StageTime `json:"stages"`  // durations of the stages, by name
	FramesEncoded int64       `json:"frames_encoded"`
	FramesCached  int64       `json:"frames_cached"` // frames reused from windows of earlier renders
}

// StageTime is the duration of one stage of a render.
type StageTime struct {
	Stage string `json:"stage"`
	MS    int64  `json:"ms"` // in ms; the durations of windows that are rendered in parallel are added up
}

// spentOf converts the times in the event of an outcome.
func spentOf(spent *movie.Spent) *MovieSpent {
	if spent == nil {
		return nil
	}
	out := &MovieSpent{TookMS: spent.TookMS, FramesEncoded: spent.Encoded, FramesCached: spent.Cached}
	for _, stage := range slices.Sorted(maps.Keys(spent.StagesMS)) {
		out.Stages = append(out.Stages, StageTime{stage, spent.StagesMS[stage]})
	}
	return out
}

// foldMovie applies one event of the movie's stream.
func foldMovie(m Movie, e Event) Movie {
	m.Project = e.ID
	standing := movie.Standing{Status: movie.Status(m.Status), Message: m.Message}.After(e.Data)
	m.Status, m.Message = string(standing.Status), standing.Message
	switch d := e.Data.(type) {
	case movie.Submitted:
		m.Account = string(d.Account)
		m.Draft = d.Draft
		m.Counted = d.Counted
		m.DocumentHash = d.DocumentHash
		m.DocumentSize = d.DocumentSize
		m.Destinations = d.Destinations
		m.Batch, m.Row = string(d.Batch), d.Row
		m.Warnings, m.Outputs = slices.Clone(d.Warnings), slices.Clone(d.Outputs)
		for _, use := range d.Templates {
			m.Templates = append(slices.Clip(m.Templates), use.ID)
		}
		m.CreatedAt = millis(d.At)
	case movie.SubmissionAbandoned:
		m.Status = statusAbandoned
		m.Closed = true
		m.CreatedAt = millis(d.At)
	case movie.RenderStarted:
		m = m.started(d)
	case movie.RenderTimedOut:
		m.EndedAt = at(d.At)
		m = m.failed(movie.TimedOut)
	case movie.RenderFinished:
		m = m.finished(d)
	case movie.Cancelled:
		m = m.failed(movie.CancelledByUser).madeOutputs(nil)
		m.Closed = true
		m.EndedAt = at(d.At)
	case movie.FileDeleted:
		m.Gone = true
		m.CacheKey = ""
		if d.Reason == movie.ByUser && m.DeletedAt == nil { // decision 31: only the first deletion by the owner sets the time
			m.DeletedAt = at(d.At)
		}
	case movie.DeliveryAttempted:
		m = m.delivered(d)
	}
	return m
}

func (m Movie) started(d movie.RenderStarted) Movie {
	m.Attempt = d.Attempt
	m.Worker = d.Worker
	if m.StartedAt == nil {
		m.StartedAt = at(d.At)
	}
	return m
}

// madeOutputs sets the outputs of a closed movie. file is its file; nil: the render has failed, or the movie was cancelled.
func (m Movie) madeOutputs(file *movie.File) Movie {
	if file != nil && len(file.Outputs) > 0 {
		m.Outputs = file.Outputs
		return m
	}
	m.Outputs = slices.Clone(m.Outputs)
	for i, o := range m.Outputs {
		if o.Status == movie.OutputPending {
			m.Outputs[i] = o.Failed("The movie has no video")
		}
	}
	return m
}

func (m Movie) failed(why movie.Failure) Movie {
	m.FailureCode, m.FailureFamily = why.Code, why.Family
	return m
}

// finished applies RenderFinished, which closes the movie.
func (m Movie) finished(d movie.RenderFinished) Movie {
	m.Closed = true
	m.EndedAt = at(d.At)
	m.Credits = d.Credits
	m.Plan = d.Plan
	m.File = d.File
	m = m.madeOutputs(d.File)
	for _, warning := range d.Warnings { // the render's warnings are added to those of the submission
		if len(m.Warnings) < domain.MaxWarnings && !slices.Contains(m.Warnings, warning) {
			m.Warnings = append(slices.Clip(m.Warnings), warning)
		}
	}
	if m.Status != StatusTimeout { // a timed-out movie keeps its status when its render fails
		m = m.failed(movie.FailureOf(d))
	}
	m.Spent = spentOf(d.Spent)
	m.CachedFrom = string(d.CachedFrom)
	if d.File != nil && d.File.Key != "" {
		m.CacheKey = d.CacheKey
	}
	return m
}

// delivered stores the final result of a destination. The result of a redelivery replaces the earlier result of the same
// destination. Decision 33.
func (m Movie) delivered(d movie.DeliveryAttempted) Movie {
	if !d.Final {
		return m
	}
	result := DeliveryResult{
		Index: d.Index, Type: d.Type, ID: d.ID, Status: string(d.Status),
		HTTPStatus: d.HTTPStatus, Attempts: d.Try, Message: d.Message,
		DurationMS: d.DurationMS, At: millis(d.At),
	}
	m.Deliveries = slices.Clone(m.Deliveries)
	i, found := slices.BinarySearchFunc(m.Deliveries, d.Index, func(r DeliveryResult, index int) int { return r.Index - index })
	if found {
		m.Deliveries[i] = result
	} else {
		m.Deliveries = slices.Insert(m.Deliveries, i, result)
	}
	return m
}

// at returns a pointer to a time, for an optional field of a document.
func at(t time.Time) *time.Time {
	out := millis(t)
	return &out
}

// The indexes of the movies, by the fields that they begin with.
const (
	indexNewest = "newest" // movies of an account
	indexCached = "cached" // movies of an account with a cache key
	indexBatch  = "batch"  // movies of an account and a batch, ordered by row
	indexStatus = "status" // movies of an account with a status
)

// statusShape is the first shape whose documents have the index of the status.
const statusShape = 7

// movieModel orders an account's movies newest first, then by project. Decision 11.
var movieModel = streamModel[Movie]{
	// Documents of an older shape may lack fields: shape 6 has added Templates, FailureCode, FailureFamily and Spent. SQLite stores
	// the documents as JSON.
	modelName: "movies", modelShape: 8,
	oldShape: 4, // older documents hold tokens unencrypted and must be rebuilt, see SealTokens
	category: movie.StreamCategory, forOwners: true,
	indexes: []Index{
		{Name: indexNewest, Fields: []Field{{Name: "account"}, {Name: "created_at", Descending: true}, {Name: "project"}}},
		{Name: indexCached, Fields: []Field{{Name: "account"}, {Name: "cache_key"}, {Name: "created_at", Descending: true}}},
		{Name: indexBatch, Fields: []Field{{Name: "account"}, {Name: "batch"}, {Name: "row"}}},
		{Name: indexStatus, Fields: []Field{{Name: "account"}, {Name: "status"}, {Name: "created_at", Descending: true},
			{Name: "project"}}},
	},
	revision: func(m *Movie) *int64 { return &m.Revision },
	fold:     foldMovie,
}

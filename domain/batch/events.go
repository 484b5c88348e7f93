package batch

import (
	"strconv"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

// Row is a valid row, from which a movie is made.
type Row struct {
	Number int   `json:"row"` // number of the row, counted from 1
	Held   int64 `json:"held,omitempty"`
	Draft  bool  `json:"draft,omitempty"`
}

// Flaw is the reason why no movie is made from a row.
type Flaw struct {
	Row     int    `json:"row"`
	Column  string `json:"column,omitempty" personal:"yes"` // empty: the flaw is not in one known column
	Code    string `json:"code" personal:"no"`
	Message string `json:"message" personal:"yes"`
}

// Requested is the first event of a batch, whose rows are stored already. With the stored rows and templates, it contains
// what is needed to hold the credits and to submit each movie, so that a process that continues after a crash takes the same
// steps. Decision 63.
type Requested struct {
	Account   domain.AccountID    `json:"account"`
	Template  string              `json:"template" personal:"no"`
	Templates []movie.TemplateUse `json:"templates"`               // templates at the revisions of which the movies are made
	RowsHash  string              `json:"rows_hash" personal:"no"` // hex SHA-256 of the stored rows
	Rows      []Row               `json:"rows"`
	Flaws     []Flaw              `json:"flaws,omitempty"`
	// the account is on a counted plan: the batch costs no credits (decision 36)
	Counted bool `json:"counted,omitempty"`
	// Outputs is the number of outputs beside the MP4 that the account's plan allows for each movie. Decision 61.
	Outputs int       `json:"outputs,omitempty"`
	At      time.Time `json:"at"`
}

// Accepted records that the credits of all rows are held: the movies can be submitted.
type Accepted struct {
	At time.Time `json:"at"`
}

// Refused records that the credits could not be held: the batch has no movies.
type Refused struct {
	Code    string    `json:"code" personal:"no"`
	Message string    `json:"message" personal:"yes"`
	At      time.Time `json:"at"`
}

// Submitted records that each valid row has its movie.
type Submitted struct {
	// Movies is the number of valid rows. 0: an earlier version, under which the end of the batch may have got lost, has
	// appended the event.
	Movies int       `json:"movies,omitempty"`
	At     time.Time `json:"at"`
}

// Cancelled records that the owner has cancelled the batch.
type Cancelled struct {
	At time.Time `json:"at"`
}

// Closed records that a refused or cancelled batch is wound down: no movie of it waits any more, and none will be submitted.
type Closed struct {
	Cancelled bool      `json:"cancelled,omitempty"` // the batch was cancelled; false: refused, or closed by an earlier version
	At        time.Time `json:"at"`
}

// Finished records that every movie of a batch has ended: rendered, failed, or cancelled together with the batch.
type Finished struct {
	// Worker is the process that has recorded the end of the batch. When several processes try at the same time, the first succeeds.
	Worker string    `json:"worker" personal:"no"`
	At     time.Time `json:"at"`
}

// EventType is the name of the type under which the event is stored.
func (Requested) EventType() string { return "BatchRequested" }
func (Accepted) EventType() string  { return "BatchAccepted" }
func (Refused) EventType() string   { return "BatchRefused" }
func (Submitted) EventType() string { return "BatchSubmitted" }
func (Cancelled) EventType() string { return "BatchCancelled" }
func (Closed) EventType() string    { return "BatchClosed" }
func (Finished) EventType() string  { return "BatchFinished" }

// EventKey returns an empty key, because each of these events occurs once in a stream.
func (Requested) EventKey() string { return "" }
func (Accepted) EventKey() string  { return "" }
func (Refused) EventKey() string   { return "" }
func (Submitted) EventKey() string { return "" }
func (Cancelled) EventKey() string { return "" }
func (Closed) EventKey() string    { return "" }

// EventKey distinguishes the events of several processes that record the end of a batch. Only the first of them is appended.
func (e Finished) EventKey() string {
	return e.Worker + "/" + strconv.FormatInt(e.At.UnixMilli(), 10)
}

// StreamCategory is the category of the streams of batches: the part of their names before the first dash.
const StreamCategory = "batch"

// Stream names the stream of a batch.
func Stream(id ID) string { return StreamCategory + "-" + string(id) }

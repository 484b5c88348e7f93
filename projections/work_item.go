package projections

import (
	"time"
)

// The kinds of work. A topic of the work queue is a kind.
const (
	WorkFetch = "fetch" // open while sources of a movie or preload item are to be fetched before its render or preparation starts
	// open from the submission until the movie times out or is closed; available again after a release or the death of its worker
	WorkRender = "render"
	WorkStop   = "stop" // a timed-out movie that is not closed: due when nobody renders it, or at twice the render timeout
	// settle the hold or count of a movie or preload item that has an outcome: open until the hold or count has ended
	WorkSettle  = "settle"
	WorkDeliver = "deliver" // deliver a closed movie: open from its end, or a RedeliveryRequested, until DeliveryFinished
	WorkTimeout = "timeout" // time out a render: due when the render timeout has passed since the first RenderStarted
	WorkAbandon = "abandon" // abandon a hold or count without a movie: due Config.AbandonAfter after it was made
	WorkExpire  = "expire"  // remove a rendered file: due Config.FileRetention after the end of the render
)

// The states of a work item.
const (
	WorkReady   = "ready"   // any worker may claim it once it is due
	WorkClaimed = "claimed" // a worker has claimed it; it is available again when that worker is dead
	workWaiting = "waiting" // not to be done yet: the item stores facts for the time when it becomes ready
)

// WorkItem is one thing still to be done. Its id is made of a line of work (such as render/) and the subject. The kind
// of an item changes with the state of its subject, so that the item is folded from its own state and the event alone.
// These are the lines of movies, with the kinds of their items:
//
//	fetch/<project>    fetch, of a movie that may name files
//	render/<project>   render, and after RenderTimedOut stop; its claim is that of the render, under the same id
//	timeout/<project>  timeout
//	hold/<project>     abandon, and after MovieSubmitted settle
//	deliver/<project>  deliver
//	file/<project>     expire
//
// The lines of the media library and of preloads are in work_media.go, those of accounts in work_account.go, those of
// templates in work_template.go, those of batches of movies in work_batch.go.
type WorkItem struct {
	ID      string     `json:"id"`
	Kind    string     `json:"kind"`
	Account string     `json:"account"`
	Subject string     `json:"subject"` // id of what the work is about, such as a movie or a file
	State   string     `json:"state"`
	Due     time.Time  `json:"due"`
	Attempt int        `json:"attempt"` // number of the attempt, or of the delivery run, of the claim
	Worker  string     `json:"worker"`  // id of the worker that has claimed it
	Since   *time.Time `json:"since"`   // when it was claimed first; nil: never
	Deaths  int        `json:"deaths"`  // number of earlier claims that ended with the death of the worker
	// an attempt may have crashed its process: it must be the only render or preload item in its process
	Suspect bool `json:"suspect"`
	// Shared is true when a render gave its slot to another account's movie, TimedOut when the render timeout has passed.
	Shared   bool `json:"shared"`
	TimedOut bool `json:"timed_out"`
	// Templates are the ids of the templates of a movie that waits for its render or first delivery, or of a batch of
	// movies.
	Templates []string `json:"templates"`
	// Correlation is the correlation id: that of the request from which the work follows. Events, log messages and calls of this
	// work contain it.
	Correlation string `json:"correlation"`
	// Traceparent is the trace context of the request from which the work follows; empty: it was not traced.
	Traceparent string `json:"traceparent"`

	Commit  int64 `json:"commit"` // position in the log of the last event that was folded in
	Prepare int64 `json:"prepare"`
}

// Presence is a worker's heartbeat for one claim. It is written every two seconds and is not an event: rebuilds and audits
// ignore it.
type Presence struct {
	Work    string    `json:"work"` // id of the WorkItem
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	Percent float64   `json:"percent"`
	Beat    int64     `json:"beat"` // incremented with every write
	At      time.Time `json:"at"`   // time of the write, for display only: no decision depends on it
}

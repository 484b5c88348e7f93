package projections

import (
	"time"
)

// The kinds of work. A topic of the work queue is a kind.
const (
	WorkFetch   = "fetch"   // open while files that a movie or an item of a preload names are not at hand; it is not begun then
	WorkRender  = "render"  // open while submitted, released or its claim is dead; not timed out, not closed
	WorkStop    = "stop"    // a timed-out movie that is not closed: due when nobody renders it, or at twice the render timeout
	WorkSettle  = "settle"  // open while an outcome's hold is still open
	WorkDeliver = "deliver" // open from the closing event until DeliveryFinished
	WorkTimeout = "timeout" // due when the render timeout has passed since the first RenderStarted
	WorkAbandon = "abandon" // due 10 minutes after a hold or count whose movie has not come
	WorkExpire  = "expire"  // due 7 days after the end of a render that left a file
)

// The states of a work item.
const (
	WorkReady   = "ready"   // anybody may take it once it is due
	WorkClaimed = "claimed" // a worker has it; it is open again when the claim is dead
	workWaiting = "waiting" // not work yet: it remembers what its later state needs
)

// WorkItem is one thing that is left to do. Its id is a line of work and the subject; along a line the kind changes as the
// subject moves on, so that every item is folded from its own state and the event alone:
//
//	fetch/<project>    fetch, of a movie that may name files
//	render/<project>   render, and after RenderTimedOut stop; its claim is that of the render, under the same id
//	timeout/<project>  timeout
//	hold/<project>     abandon, and after MovieSubmitted settle
//	deliver/<project>  deliver
//	file/<project>     expire
//
// Those of the media library and of preloads are told in work_media.go, those of accounts in work_account.go, those of templates in
// work_template.go, those of batches of movies in work_batch.go.
type WorkItem struct {
	ID      string     `json:"id"`
	Kind    string     `json:"kind"`
	Account string     `json:"account"`
	Subject string     `json:"subject"` // the project
	State   string     `json:"state"`
	Due     time.Time  `json:"due"`
	Attempt int        `json:"attempt"` // of the claim: render attempt or delivery run
	Worker  string     `json:"worker"`  // of the claim
	Since   *time.Time `json:"since"`   // of the first claim; nil before it
	Deaths  int        `json:"deaths"`  // claims that ended in nothing, their workers being dead, before this one
	Suspect bool       `json:"suspect"` // a crash of it is open: it is to be the only render or preload item in its process
	// Shared says of a render that it was handed back for another account's movie, TimedOut that its time is out.
	Shared   bool `json:"shared"`
	TimedOut bool `json:"timed_out"`
	// Templates are the ids of what the movie was made of, when it waits to be rendered or delivered for the first time.
	Templates []string `json:"templates"`
	// Correlation is the id of the request that all of this follows from. What is done about the item is marked with it.
	Correlation string `json:"correlation"`

	Commit  int64 `json:"commit"` // position in the log of the last event folded in
	Prepare int64 `json:"prepare"`
}

// Presence is a worker's sign of life for one claim. It is written every two seconds and is not an event: rebuild and audit
// ignore it.
type Presence struct {
	Work    string    `json:"work"` // id of the WorkItem
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	Percent float64   `json:"percent"`
	Beat    int64     `json:"beat"` // grows with every write
	At      time.Time `json:"at"`   // for people; nothing is decided on it
}

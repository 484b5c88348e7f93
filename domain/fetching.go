package domain

import "time"

// longestUnknown is how much time of an attempt at fetching counts that ended in nothing: nobody knows when its process ended.
const longestUnknown = time.Minute

// FetchClaim is what a worker holds while it fetches sources.
type FetchClaim struct {
	Attempt int // 1, 2, ... of the fetching
	Worker  string
}

// FetchStart is what a worker knows when it claims the fetching of sources.
type FetchStart struct {
	Worker string
	Dead   int   // the attempt whose worker is known to be dead; 0: none
	Death  Death // how that one failed
	Alone  bool  // no other render, preload item or fetching will be in work in the worker's process
}

// Fetching folds how far the sources of something (a movie, an item of a preload) have come. It stands apart from the work that
// they are fetched for. The zero Fetching is at its beginning. Decision 54.
type Fetching struct {
	claim   FetchClaim
	claimed bool
	done    bool
	trial   Trial
	first   time.Time     // when the first claim was made
	since   time.Time     // when the last one was
	spent   time.Duration // under the claims before
}

// Begin folds a claim.
func (f *Fetching) Begin(c FetchClaim, alone bool, death Death, at time.Time) {
	if f.claimed {
		f.spent += min(max(0, at.Sub(f.since)), longestUnknown)
	}
	f.trial.Begin(alone, death, 0)
	f.claim, f.claimed, f.since = c, true, at
	if f.first.IsZero() {
		f.first = at
	}
}

// Release folds that a claim was handed back.
func (f *Fetching) Release(at time.Time) {
	if f.claimed {
		f.spent += max(0, at.Sub(f.since))
	}
	f.claimed = false
}

// Finish folds that all sources are at hand.
func (f *Fetching) Finish() { f.claimed, f.done = false, true }

// Done says that all sources are at hand.
func (f *Fetching) Done() bool { return f.done }

// First is when the first claim was made: what was downloaded since then was downloaded for this. Zero before it.
func (f *Fetching) First() time.Time { return f.first }

// Spent is how long the claims before the one at hand have fetched.
func (f *Fetching) Spent() time.Duration { return f.spent }

// Held says whether somebody alive has the claim.
func (f *Fetching) Held(dead int) bool { return f.claimed && f.claim.Attempt != dead }

// Claim is the last claim, and whether it still stands.
func (f *Fetching) Claim() (FetchClaim, bool) { return f.claim, f.claimed }

// Alone says that the attempt at hand has its process for itself.
func (f *Fetching) Alone() bool { return f.trial.Alone() }

// Over says whether the death of the attempt at hand is the last that is allowed, and which deaths those were. Decision 56.
func (f *Fetching) Over(death Death) (Death, bool) { return f.trial.Over(death, 0) }

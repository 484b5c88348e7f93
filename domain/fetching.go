package domain

import "time"

// longestUnknown is the maximum time that is counted for a fetching attempt whose process died: the log does not tell when that
// was.
const longestUnknown = time.Minute

// FetchClaim is a worker's claim on the fetching of sources.
type FetchClaim struct {
	Attempt int // number of the fetching attempt: 1, 2, ...
	Worker  string
}

// FetchStart is what a worker states when it claims the fetching of sources.
type FetchStart struct {
	Worker string
	Dead   int   // number of the attempt whose worker's process is known to have died; 0: none
	Death  Death // cause of death of the worker whose attempt the field Dead names; empty: unknown
	Alone  bool  // the worker's process will have no other render, preload item or fetching in work
}

// Fetching is the state of fetching the sources of a movie or a preload item. It is kept apart from the state of the render or
// preparation. The zero Fetching has not begun. Decision 54.
type Fetching struct {
	claim   FetchClaim
	claimed bool
	done    bool
	trial   Trial
	first   time.Time     // time of the first claim
	since   time.Time     // time of the newest claim
	spent   time.Duration // duration of all earlier claims; at most longestUnknown of one that was not released
}

// Begin applies the event of a claim.
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

// Release applies the event that records the release of a claim.
func (f *Fetching) Release(at time.Time) {
	if f.claimed {
		f.spent += max(0, at.Sub(f.since))
	}
	f.claimed = false
}

// Finish applies the event that records that all sources are available.
func (f *Fetching) Finish() { f.claimed, f.done = false, true }

// Done reports whether all sources are available.
func (f *Fetching) Done() bool { return f.done }

// First returns the time of the first claim; zero before it. Sources that were downloaded since then count as fresh for
// this movie or item.
func (f *Fetching) First() time.Time { return f.first }

// Spent returns the duration of all claims before the current one. A claim that was not released counts at most a minute.
func (f *Fetching) Spent() time.Duration { return f.spent }

// Held reports whether the newest claim is open and its worker is not known to be dead. dead is the attempt whose worker is
// known to be dead.
func (f *Fetching) Held(dead int) bool { return f.claimed && f.claim.Attempt != dead }

// Claim returns the newest claim, and reports whether it is still held.
func (f *Fetching) Claim() (FetchClaim, bool) { return f.claim, f.claimed }

// Alone reports whether the current attempt is the only work in its process.
func (f *Fetching) Alone() bool { return f.trial.Alone() }

// Over reports whether fetching is given up when the current attempt ends with the given death. It also returns the newest
// known cause of death; Unexplained: none is known. Decision 56.
func (f *Fetching) Over(death Death) (Death, bool) { return f.trial.Over(death, 0) }

package ledger

import (
	"strconv"
	"time"

	"moviola/domain"
)

// CreditsGranted adds credits. A second grant with the same reference is the same grant.
type CreditsGranted struct {
	Reference string    `json:"reference"`
	Kind      string    `json:"kind,omitempty"` // "pack" gives a free account the paid length (decision 36)
	Amount    int64     `json:"amount"`
	At        time.Time `json:"at"`
}

// CreditsHeld sets credits aside for one project, or for one item of a preload batch. Either is held once, ever.
type CreditsHeld struct {
	Project domain.ProjectID `json:"project"` // or an Item, here as in every event that follows
	Amount  int64            `json:"amount"`
	Batch   domain.BatchID   `json:"batch,omitempty"` // that the project is a row of: its work gives the hold back, should the movie not come
	At      time.Time        `json:"at"`
}

// CreditsHoldChanged sets an open hold to another amount: the exact length is known now.
type CreditsHoldChanged struct {
	Project domain.ProjectID `json:"project"`
	Attempt int              `json:"attempt"` // the render attempt that found it; a lower one than the last is refused
	Before  int64            `json:"before"`  // the amount until now, so that a reader need not remember every open hold
	Amount  int64            `json:"amount"`  // the new amount, not the difference
	At      time.Time        `json:"at"`
}

// CreditsCharged closes a hold: its whole amount is spent.
type CreditsCharged struct {
	Project domain.ProjectID `json:"project"`
	Amount  int64            `json:"amount"`
	Zero    bool             `json:"zero,omitempty"` // it brought the balance to zero
	At      time.Time        `json:"at"`
}

// CreditsReleased closes a hold: its whole amount is available again.
type CreditsReleased struct {
	Project domain.ProjectID `json:"project"`
	Amount  int64            `json:"amount"`
	Reason  string           `json:"reason"` // failed, timeout, cancelled, abandoned, cached
	At      time.Time        `json:"at"`
}

// MovieCounted counts a movie of an account on a counted plan, until the movie fails. A project is counted once, ever.
type MovieCounted struct {
	Project domain.ProjectID `json:"project"`
	Period  string           `json:"period"` // the calendar month it counts for, in UTC: 2026-11
	Batch   domain.BatchID   `json:"batch,omitempty"`
	At      time.Time        `json:"at"`
}

// DraftCounted is MovieCounted for a draft, which counts as nothing else.
type DraftCounted struct {
	Project domain.ProjectID `json:"project"`
	Period  string           `json:"period"`
	Batch   domain.BatchID   `json:"batch,omitempty"`
	At      time.Time        `json:"at"`
}

// CountKept closes a count: the movie was made.
type CountKept struct {
	Project domain.ProjectID `json:"project"`
	At      time.Time        `json:"at"`
}

// CountReleased closes a count and takes it back.
type CountReleased struct {
	Project domain.ProjectID `json:"project"`
	Period  string           `json:"period"` // that it was counted for, and as what: so that a reader need not remember
	Draft   bool             `json:"draft,omitempty"`
	Reason  string           `json:"reason"` // failed, timeout, cancelled, abandoned
	At      time.Time        `json:"at"`
}

// ZeroBalancePurged says that the balance has been zero for so long that what is stored for the account goes: all that stands in
// the log before this event. Decision 39.
type ZeroBalancePurged struct {
	Since time.Time `json:"since"` // when the balance came to zero
	At    time.Time `json:"at"`
}

// Closed ends the ledger: nothing is held, counted or granted any more. What is open is still settled. Design §6.
type Closed struct {
	At time.Time `json:"at"`
}

// EventType is the persisted name.
func (CreditsGranted) EventType() string     { return "CreditsGranted" }
func (CreditsHeld) EventType() string        { return "CreditsHeld" }
func (CreditsHoldChanged) EventType() string { return "CreditsHoldChanged" }
func (CreditsCharged) EventType() string     { return "CreditsCharged" }
func (CreditsReleased) EventType() string    { return "CreditsReleased" }
func (MovieCounted) EventType() string       { return "MovieCounted" }
func (DraftCounted) EventType() string       { return "DraftCounted" }
func (CountKept) EventType() string          { return "CountKept" }
func (CountReleased) EventType() string      { return "CountReleased" }
func (ZeroBalancePurged) EventType() string  { return "ZeroBalancePurged" }
func (Closed) EventType() string             { return "LedgerClosed" }

// EventKey tells the event from others of its type in the same ledger.
func (e CreditsGranted) EventKey() string { return e.Reference }
func (e CreditsHeld) EventKey() string    { return string(e.Project) }
func (e CreditsHoldChanged) EventKey() string {
	return string(e.Project) + "/" + strconv.Itoa(e.Attempt)
}
func (e CreditsCharged) EventKey() string  { return string(e.Project) }
func (e CreditsReleased) EventKey() string { return string(e.Project) }
func (e MovieCounted) EventKey() string    { return string(e.Project) }
func (e DraftCounted) EventKey() string    { return string(e.Project) }
func (e CountKept) EventKey() string       { return string(e.Project) }
func (e CountReleased) EventKey() string   { return string(e.Project) }
func (e ZeroBalancePurged) EventKey() string {
	return strconv.FormatInt(e.Since.UnixMilli(), 10)
}
func (Closed) EventKey() string { return "" }

// StreamCategory is what the names of ledger streams begin with, up to the first dash.
const StreamCategory = "ledger"

// Stream names the ledger of one account.
func Stream(account domain.AccountID) string { return StreamCategory + "-" + string(account) }

// Cached is why the hold of a movie that was served from the cache is released.
const Cached = "cached"

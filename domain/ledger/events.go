package ledger

import (
	"strconv"
	"time"

	"moviola/domain"
)

// CreditsGranted adds credits. A grant with a reference that was used before is the same grant.
type CreditsGranted struct {
	Reference string `json:"reference" personal:"no"`
	// kind of the grant: "pack" gives a free account longer movies (decision 36)
	Kind   string    `json:"kind,omitempty" personal:"no"`
	Amount int64     `json:"amount"`
	At     time.Time `json:"at"`
}

// CreditsHeld holds credits for one project, or for one item of a preload batch. A project or item has only one hold in its
// life.
type CreditsHeld struct {
	Project domain.ProjectID `json:"project"` // a project, or a preload item (see Item), as in every event of a hold
	Amount  int64            `json:"amount"`
	// batch of which the project is a row: when the batch is cancelled, the command CompleteBatch abandons a row without a movie,
	// and its hold is released
	Batch domain.BatchID `json:"batch,omitempty"`
	At    time.Time      `json:"at"`
}

// CreditsHoldChanged changes the amount of an open hold, because the exact length of the movie is known now.
type CreditsHoldChanged struct {
	Project domain.ProjectID `json:"project"`
	// render attempt that computed the length; an attempt before the last one is refused
	Attempt int       `json:"attempt"`
	Before  int64     `json:"before"` // amount before the change, so that readers of events need not remember open holds
	Amount  int64     `json:"amount"` // the new amount, not the difference
	At      time.Time `json:"at"`
}

// CreditsCharged closes a hold: the whole amount is spent.
type CreditsCharged struct {
	Project domain.ProjectID `json:"project"`
	Amount  int64            `json:"amount"`
	Zero    bool             `json:"zero,omitempty"` // the charge brought the balance to zero
	At      time.Time        `json:"at"`
}

// CreditsReleased closes a hold: the whole amount is available again.
type CreditsReleased struct {
	Project domain.ProjectID `json:"project"`
	Amount  int64            `json:"amount"`
	Reason  string           `json:"reason" personal:"no"` // reason for the release: failed, timeout, cancelled, abandoned or cached
	At      time.Time        `json:"at"`
}

// MovieCounted counts a movie of an account on a counted plan. The count is taken back if no movie is made. A project is
// counted only once in its life.
type MovieCounted struct {
	Project domain.ProjectID `json:"project"`
	Period  string           `json:"period" personal:"no"` // the calendar month for which the movie is counted, in UTC: 2026-11
	Batch   domain.BatchID   `json:"batch,omitempty"`
	At      time.Time        `json:"at"`
}

// DraftCounted counts a draft of an account on a counted plan. The count is taken back if no draft is made. Drafts have a
// quota of their own: a draft is not counted as a movie, too.
type DraftCounted struct {
	Project domain.ProjectID `json:"project"`
	Period  string           `json:"period" personal:"no"`
	Batch   domain.BatchID   `json:"batch,omitempty"`
	At      time.Time        `json:"at"`
}

// CountKept closes a count: a movie was made.
type CountKept struct {
	Project domain.ProjectID `json:"project"`
	At      time.Time        `json:"at"`
}

// CountReleased closes a count and takes it back.
type CountReleased struct {
	Project domain.ProjectID `json:"project"`
	Period  string           `json:"period" personal:"no"` // period of the count, so that readers need not remember open counts
	Draft   bool             `json:"draft,omitempty"`
	Reason  string           `json:"reason" personal:"no"` // reason for the release: failed, timeout, cancelled or abandoned
	At      time.Time        `json:"at"`
}

// ZeroBalancePurged records that the balance has been zero for so long that the account's files are deleted. Files that were
// stored after this event in the log stay. Decision 39.
type ZeroBalancePurged struct {
	Since time.Time `json:"since"` // time from which the zero balance counts: see Ledger.Purge
	At    time.Time `json:"at"`
}

// Closed ends the ledger: no new grant, hold or count is accepted. Open holds and counts are still settled. Design §6.
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

// EventKey distinguishes the event from others of its type in the same ledger. Where two processes may decide the same grant,
// hold or count with different contents, the contents are part of the key: with the same key the store would take the second
// event for a retry of the first, and that process would count credits that the ledger does not have.
func (e CreditsGranted) EventKey() string {
	return strconv.FormatInt(e.Amount, 10) + "/" + strconv.Quote(e.Kind) + "/" + e.Reference
}
func (e CreditsHeld) EventKey() string {
	return string(e.Project) + "/" + strconv.FormatInt(e.Amount, 10)
}
func (e CreditsHoldChanged) EventKey() string {
	return string(e.Project) + "/" + strconv.Itoa(e.Attempt)
}
func (e CreditsCharged) EventKey() string  { return string(e.Project) }
func (e CreditsReleased) EventKey() string { return string(e.Project) }
func (e MovieCounted) EventKey() string    { return string(e.Project) + "/" + e.Period }
func (e DraftCounted) EventKey() string    { return string(e.Project) + "/" + e.Period }
func (e CountKept) EventKey() string       { return string(e.Project) }
func (e CountReleased) EventKey() string   { return string(e.Project) }
func (e ZeroBalancePurged) EventKey() string {
	return strconv.FormatInt(e.Since.UnixMilli(), 10)
}
func (Closed) EventKey() string { return "" }

// FormerKey is the key under which versions until November 2026 have stored the event.
func (e CreditsGranted) FormerKey() string { return e.Reference }
func (e CreditsHeld) FormerKey() string    { return string(e.Project) }
func (e MovieCounted) FormerKey() string   { return string(e.Project) }
func (e DraftCounted) FormerKey() string   { return string(e.Project) }

// StreamCategory is the part of the names of ledger streams before the first dash.
const StreamCategory = "ledger"

// Stream names the ledger of one account.
func Stream(account domain.AccountID) string { return StreamCategory + "-" + string(account) }

// Cached is the reason for releasing the hold of a movie that was served from the cache.
const Cached = "cached"

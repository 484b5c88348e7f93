package account

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Opened is the first event of an account. The grant of its first credits, if it gets any, and the issue of its first API
// key follow; until then the opening is incomplete.
type Opened struct {
	Name string `json:"name" personal:"yes"`
	Plan string `json:"plan" personal:"no"` // name of the plan: free, paid, counted, or another of the installation (decision 36)
	// Credits are the credits that are granted after this event; nil in events of the program's first version, which granted them
	// before.
	Credits *int64    `json:"credits,omitempty"`
	At      time.Time `json:"at"`
}

// PlanChanged puts an account on another plan.
type PlanChanged struct {
	Change int    `json:"change"` // number of the change: 1, 2, ...
	Plan   string `json:"plan" personal:"no"`
	// Counted reports whether the plan counts movies and needs no credits. On such a plan a balance of zero has no
	// consequence.
	Counted bool `json:"counted,omitempty"`
	// Zero reports whether the balance is zero and this plan needs credits, which the previous plan did not: then the 30 days until
	// a purge begin. Decision 39.
	Zero bool      `json:"zero,omitempty"`
	At   time.Time `json:"at"`
}

// Closed ends an account. Then its ledger is closed, its open movies are cancelled, and its stored files are removed.
// Design §6.
type Closed struct {
	At time.Time `json:"at"`
}

// ClearReason is the reason why everything that is stored for an account is removed.
type ClearReason string

// The reasons for which everything that is stored for an account is removed.
const (
	Purged    ClearReason = "purged" // a balance of zero for 30 days: what was stored before ZeroBalancePurged is removed
	Departure ClearReason = "closed" // the account was closed: removed twice, because late uploads may arrive for a day
)

// Cleared records that the files stored for an account have been removed.
type Cleared struct {
	Reason ClearReason `json:"reason"`
	Round  int         `json:"round"` // number of the removal for this reason: 1, 2, ...
	At     time.Time   `json:"at"`
}

// EventType is the name of the type under which the event is stored.
func (Opened) EventType() string      { return "AccountOpened" }
func (PlanChanged) EventType() string { return "PlanChanged" }
func (Closed) EventType() string      { return "AccountClosed" }
func (Cleared) EventType() string     { return "AccountCleared" }

// EventKey distinguishes the event from others of its type in the same stream. Changes to different plans at the same time
// are different events.
func (Opened) EventKey() string        { return "" }
func (e PlanChanged) EventKey() string { return strconv.Itoa(e.Change) + "/" + e.Plan }
func (Closed) EventKey() string        { return "" }
func (e Cleared) EventKey() string     { return string(e.Reason) + "/" + strconv.Itoa(e.Round) }

// StreamCategory is the category of the streams of accounts: the part of their names before the first dash.
const StreamCategory = "account"

// Stream names the stream of one account.
func Stream(account domain.AccountID) string { return StreamCategory + "-" + string(account) }

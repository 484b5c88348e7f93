package account

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Opened is the first event of an account. Its first credits and its first key follow; until then the opening is incomplete.
type Opened struct {
	Name string `json:"name"`
	Plan string `json:"plan"` // free, paid, counted, or another of the installation's plans (decision 36)
	// Credits are granted next; nil in logs of the first version, where they were granted before this event.
	Credits *int64    `json:"credits,omitempty"`
	At      time.Time `json:"at"`
}

// PlanChanged puts an account on another plan, from now on.
type PlanChanged struct {
	Change int    `json:"change"` // 1, 2, ...
	Plan   string `json:"plan"`
	// Counted says that the plan counts movies and needs no credits: a balance of zero does not matter on it.
	Counted bool `json:"counted,omitempty"`
	// Zero says that the balance is zero and that the plan needs credits while the previous one did not: the 30 days until a
	// purge begin. Decision 39.
	Zero bool      `json:"zero,omitempty"`
	At   time.Time `json:"at"`
}

// Closed ends an account. Its ledger is closed next, then its open movies are cancelled, then what is stored goes. Design §6.
type Closed struct {
	At time.Time `json:"at"`
}

// ClearReason is why everything that is stored for an account is removed.
type ClearReason string

// The reasons.
const (
	Purged    ClearReason = "purged" // a balance of zero for 30 days: removes what was stored before ZeroBalancePurged
	Departure ClearReason = "closed" // the account was closed; done twice, because late uploads may come for a day
)

// Cleared says that what was stored for an account has been removed.
type Cleared struct {
	Reason ClearReason `json:"reason"`
	Round  int         `json:"round"` // 1, 2, ... for this reason
	At     time.Time   `json:"at"`
}

// EventType is the persisted name.
func (Opened) EventType() string      { return "AccountOpened" }
func (PlanChanged) EventType() string { return "PlanChanged" }
func (Closed) EventType() string      { return "AccountClosed" }
func (Cleared) EventType() string     { return "AccountCleared" }

// EventKey tells the event from others of its type in the same stream.
func (Opened) EventKey() string        { return "" }
func (e PlanChanged) EventKey() string { return strconv.Itoa(e.Change) }
func (Closed) EventKey() string        { return "" }
func (e Cleared) EventKey() string     { return string(e.Reason) + "/" + strconv.Itoa(e.Round) }

// StreamCategory is what the names of account streams begin with, up to the first dash.
const StreamCategory = "account"

// Stream names the stream of one account.
func Stream(account domain.AccountID) string { return StreamCategory + "-" + string(account) }

package projections

import (
	"time"

	"moviola/domain/account"
)

// Account is the read model of one account. Its id is the account's id.
type Account struct {
	Account  string     `json:"account"`
	Revision int64      `json:"revision"` // revision of the last event of the account's stream that was folded in
	Name     string     `json:"name"`
	Plan     string     `json:"plan"` // plan of the account: free, paid, counted, or another one of this installation (decision 36)
	OpenedAt time.Time  `json:"opened_at"`
	ClosedAt *time.Time `json:"closed_at"` // when the account was closed; nil while it is open
	// ClearedAt is when the account's files were last removed: after 30 days with a balance of zero, or after its closing.
	ClearedAt *time.Time `json:"cleared_at"`
}

// foldAccount applies one event of the account's stream.
func foldAccount(a Account, e Event) Account {
	switch d := e.Data.(type) {
	case account.Opened:
		a.Account = e.ID
		a.Name = d.Name
		a.Plan = d.Plan
		a.OpenedAt = millis(d.At)
	case account.PlanChanged:
		a.Plan = d.Plan
	case account.Closed:
		a.ClosedAt = at(d.At)
	case account.Cleared:
		a.ClearedAt = at(d.At)
	}
	return a
}

// indexOpened orders accounts by the time when they were opened.
const indexOpened = "opened"

var accountModel = streamModel[Account]{
	modelName: "accounts", modelShape: 3, oldShape: 2, category: account.StreamCategory,
	indexes:  []Index{{Name: indexOpened, Fields: []Field{{Name: "opened_at"}}}},
	revision: func(a *Account) *int64 { return &a.Revision },
	fold:     foldAccount,
}

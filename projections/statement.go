package projections

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
)

// Entry is the read model of one event of a ledger: a line of the account's statement. It never changes. Its id is made of the
// account and the number.
type Entry struct {
	ID      string    `json:"id"`
	Account string    `json:"account"`
	Number  int64     `json:"number"` // revision of the event in its ledger, from 0
	At      time.Time `json:"at"`
	Event   string    `json:"event"` // stored name of the event's type
	// Subject is what the entry is about: the project of a movie, the item of a preload batch as <preload>/<number>, or the
	// reference of a grant.
	Subject string `json:"subject"`
	Amount  int64  `json:"amount"`  // credits that the event names
	Granted int64  `json:"granted"` // change of the granted credits
	Held    int64  `json:"held"`    // change of the held credits
	Charged int64  `json:"charged"` // change of the charged credits
	Kind    string `json:"kind"`    // kind of a grant: pack, or empty
	Reason  string `json:"reason"`  // why credits or a count were released
	Period  string `json:"period"`  // month in which a movie or draft was counted: 2026-11
	Draft   bool   `json:"draft"`   // the counted movie is a draft
}

// entryOf returns the statement's line of an event; false for events without one.
func entryOf(e Event) (Entry, bool) {
	line := Entry{ID: entryID(e.ID, int64(e.Revision)), Account: e.ID, Number: int64(e.Revision), Event: e.Data.EventType()}
	switch d := e.Data.(type) {
	case ledger.CreditsGranted:
		line.At, line.Subject, line.Amount, line.Granted, line.Kind = d.At, d.Reference, d.Amount, d.Amount, d.Kind
	case ledger.CreditsHeld:
		line.At, line.Subject, line.Amount, line.Held = d.At, string(d.Project), d.Amount, d.Amount
	case ledger.CreditsHoldChanged:
		line.At, line.Subject, line.Amount, line.Held = d.At, string(d.Project), d.Amount, d.Amount-d.Before
	case ledger.CreditsCharged:
		line.At, line.Subject, line.Amount, line.Held, line.Charged = d.At, string(d.Project), d.Amount, -d.Amount, d.Amount
	case ledger.CreditsReleased:
		line.At, line.Subject, line.Amount, line.Held, line.Reason = d.At, string(d.Project), d.Amount, -d.Amount, d.Reason
	case ledger.MovieCounted:
		line.At, line.Subject, line.Period = d.At, string(d.Project), d.Period
	case ledger.DraftCounted:
		line.At, line.Subject, line.Period, line.Draft = d.At, string(d.Project), d.Period, true
	case ledger.CountKept:
		line.At, line.Subject = d.At, string(d.Project)
	case ledger.CountReleased:
		line.At, line.Subject, line.Period, line.Draft, line.Reason = d.At, string(d.Project), d.Period, d.Draft, d.Reason
	case ledger.ZeroBalancePurged:
		line.At = d.At
	case ledger.Closed:
		line.At = d.At
	default:
		return Entry{}, false
	}
	line.At = millis(line.At)
	return line, true
}

// entryID returns the document's id. Ids sort by number.
func entryID(account string, number int64) string { return fmt.Sprintf("%s/%012d", account, number) }

// statementModel has one document for each event of a ledger.
type statementModel struct{}

// indexStatement orders the entries of an account, newest first.
const indexStatement = "statement"

func (statementModel) name() string     { return "statements" }
func (statementModel) listed() string   { return ledger.StreamCategory }
func (statementModel) shape() int       { return 2 }
func (statementModel) oldestShape() int { return 1 }
func (statementModel) declare() []Index {
	return []Index{{Name: indexStatement, Fields: []Field{{Name: "account"}, {Name: "at", Descending: true},
		{Name: "number", Descending: true}}}}
}
func (statementModel) decode(body Body) (any, error) { return decodeAs[Entry](body) }

func (statementModel) touched(e Event) []string {
	if e.Category != ledger.StreamCategory {
		return nil
	}
	return []string{entryID(e.ID, int64(e.Revision))}
}

// apply implements model. An existing entry never changes.
func (statementModel) apply(_ string, doc any, _ bool, e Event) (folded, error) {
	if have, exists := doc.(Entry); exists {
		return folded{doc: have}, nil
	}
	line, ok := entryOf(e)
	return folded{doc: line, changed: ok}, nil
}

// Statements answers queries for entries of ledgers.
type Statements struct{ at *catalogue }

// StatementQuery selects a page of an account's statement. Its JSON is the cursor of GET /credits/ledger.
type StatementQuery struct {
	Account domain.AccountID `json:"a"`
	From    time.Time        `json:"f"` // time of the earliest entry; zero: no limit
	To      time.Time        `json:"t"` // time of the latest entry, inclusive; zero: no limit
	Limit   int              `json:"l"` // maximum of entries in the page, 1 to 999
	After   *EntryCursor     `json:"e"` // the last entry of the previous page; nil: the first page
}

// EntryCursor is an entry's place in the statement.
type EntryCursor struct {
	At     time.Time `json:"at"`
	Number int64     `json:"number"`
}

// Cursor returns the entry's place in the statement.
func (e Entry) Cursor() EntryCursor { return EntryCursor{At: e.At, Number: e.Number} }

// Page returns entries, newest first, and whether more follow.
func (s *Statements) Page(ctx context.Context, q StatementQuery) ([]Entry, bool, error) {
	limit := min(q.Limit, MaxPage-1)
	stored := Query{Index: indexStatement, Equal: []any{string(q.Account)}, Limit: limit + 1}
	if !q.From.IsZero() {
		stored.Range.Min = millis(q.From)
	}
	if !q.To.IsZero() {
		stored.Range.Max = millis(q.To)
	}
	if q.After != nil {
		stored.After = []any{q.After.At, q.After.Number, entryID(string(q.Account), q.After.Number)}
	}
	entries, err := page[Entry](ctx, s.at, statementModel{}.name(), stored)
	if err != nil || len(entries) <= limit {
		return entries, false, err
	}
	return entries[:limit], true, nil
}

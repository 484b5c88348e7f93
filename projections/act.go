package projections

import (
	"context"
	"time"

	"moviola/domain/operator"
)

// Act is the read model of one act of an operator. Its id is the act's id.
type Act struct {
	ID  string    `json:"id"`
	Who string    `json:"who"`
	Act string    `json:"act"`
	On  string    `json:"on"`
	How string    `json:"how"`
	At  time.Time `json:"at"`
	// Issuer and Subject identify the operator at the identity provider; empty: the operator signed in with a token.
	Issuer  string `json:"issuer,omitempty"`
	Subject string `json:"subject,omitempty"`
	// Refused is why the act was refused; empty: no refusal is known.
	Refused string `json:"refused,omitempty"`
}

// actModel has one document for each act of an operator, such as a grant of credits.
type actModel struct{}

// The indexes of acts, newest first: one index of all acts, and one of the acts on one subject.
const (
	indexActs   = "acts"
	indexActsOn = "acts_on"
)

func (actModel) name() string { return "operator_acts" }
func (actModel) shape() int   { return 4 }

// oldestShape returns the oldest shape (version of the documents' fields) of stored acts that this program can still
// read. Among the later shapes, shape 2 added the field refused, and shape 4 the fields issuer and subject.
func (actModel) oldestShape() int { return 1 }
func (actModel) declare() []Index {
	newest := Field{Name: "at", Descending: true}
	return []Index{
		{Name: indexActs, Fields: []Field{newest}},
		{Name: indexActsOn, Fields: []Field{{Name: "on"}, newest}},
	}
}
func (actModel) decode(body Body) (any, error) { return decodeAs[Act](body) }

func (actModel) touched(e Event) []string {
	if d, ok := e.Data.(operator.Acted); ok {
		return []string{d.ID}
	}
	return nil
}

// apply implements model. An existing act can only change by a refusal.
func (actModel) apply(_ string, doc any, _ bool, e Event) (folded, error) {
	d, ok := e.Data.(operator.Acted)
	if have, exists := doc.(Act); exists {
		changed := d.Refused != "" && have.Refused == ""
		if changed {
			have.Refused = d.Refused
		}
		return folded{doc: have, changed: changed}, nil
	}
	return folded{doc: Act{ID: d.ID, Who: d.Who, Act: d.Act, On: d.On, How: d.How, At: millis(d.At), Issuer: d.Issuer,
		Subject: d.Subject, Refused: d.Refused}, changed: ok}, nil
}

// Acts answers queries for acts of operators.
type Acts struct{ at *catalogue }

// ActQuery selects a page of acts. Its JSON is the cursor of GET /admin/acts.
type ActQuery struct {
	On    string     `json:"on"` // subject of the acts; empty: all subjects
	After *ActCursor `json:"at"` // the last act of the previous page; nil: the first page
	Limit int        `json:"-"`  // maximum of acts in the page, 1 to 999
}

// ActCursor is an act's place in the list.
type ActCursor struct {
	At time.Time `json:"at"`
	ID string    `json:"id"`
}

// Cursor returns the act's place in the list.
func (a Act) Cursor() ActCursor { return ActCursor{At: a.At, ID: a.ID} }

// Page returns acts, newest first, and whether more follow.
func (a *Acts) Page(ctx context.Context, q ActQuery) ([]Act, bool, error) {
	limit := min(q.Limit, MaxPage-1)
	stored := Query{Index: indexActs, Limit: limit + 1}
	if q.On != "" {
		stored.Index, stored.Equal = indexActsOn, []any{q.On}
	}
	if q.After != nil {
		stored.After = []any{q.After.At, q.After.ID}
	}
	acts, err := page[Act](ctx, a.at, actModel{}.name(), stored)
	if err != nil || len(acts) <= limit {
		return acts, false, err
	}
	return acts[:limit], true, nil
}

package projections

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

// Delivery is the read model of one destination of a movie, from its first try on. Its id is made of the project and the
// destination's index.
type Delivery struct {
	ID         string    `json:"id"`
	Project    string    `json:"project"`
	Account    string    `json:"account"`
	Revision   int64     `json:"revision"` // revision of the last event of the movie's stream that was folded in
	Index      int       `json:"index"`    // index of the destination in the movie's destinations, from 0
	Kind       string    `json:"kind"`
	Connection string    `json:"connection"` // id of a saved connection; empty: the movie names the destination itself
	Status     string    `json:"status"`     // result of the last try: ok, error, skipped
	Final      bool      `json:"final"`      // no further automatic try follows
	HTTPStatus int       `json:"http_status"`
	Message    string    `json:"message"`
	Tries      int64     `json:"tries"`       // number of tries in all runs together
	DurationMS int64     `json:"duration_ms"` // duration of all tries together, in ms
	FirstAt    time.Time `json:"first_at"`    // when the first try ended
	At         time.Time `json:"at"`          // when the last try ended
}

// deliveryID returns the document's id. Ids sort in the order of a movie's destinations.
func deliveryID(project string, index int) string { return fmt.Sprintf("%s/%04d", project, index) }

// deliveryModel has one document for each destination that was tried.
type deliveryModel struct{}

func (deliveryModel) name() string     { return "deliveries" }
func (deliveryModel) listed() string   { return movie.StreamCategory }
func (deliveryModel) shape() int       { return 2 }
func (deliveryModel) oldestShape() int { return 1 }
func (deliveryModel) declare() []Index {
	return []Index{{Name: indexNewest, Fields: []Field{{Name: "account"}, {Name: "at", Descending: true}, {Name: "id"}}}}
}
func (deliveryModel) decode(body Body) (any, error) { return decodeAs[Delivery](body) }

func (deliveryModel) touched(e Event) []string {
	if tried, ok := e.Data.(movie.DeliveryAttempted); ok {
		return []string{deliveryID(e.ID, tried.Index)}
	}
	return nil
}

// apply implements model. The document's revision is that of the event of the destination's last try.
func (deliveryModel) apply(id string, doc any, _ bool, e Event) (folded, error) {
	have, exists := doc.(Delivery)
	if exists && int64(e.Revision) <= have.Revision {
		return folded{doc: have}, nil
	}
	tried, _ := e.Data.(movie.DeliveryAttempted)
	next := have
	if !exists {
		next = Delivery{ID: id, Project: e.ID, Account: string(e.Account), Index: tried.Index, FirstAt: millis(tried.At)}
	}
	next.Revision = int64(e.Revision)
	next.Kind, next.Connection, next.Status, next.Final = tried.Type, tried.ID, string(tried.Status), tried.Final
	next.HTTPStatus, next.Message, next.At = tried.HTTPStatus, tried.Message, millis(tried.At)
	next.Tries++
	next.DurationMS += tried.DurationMS
	return folded{doc: next, changed: true}, nil
}

// Deliveries answers queries for what was delivered where.
type Deliveries struct{ at *catalogue }

// DeliveryList selects a page of an account's destinations, the last tried first. Its JSON is the cursor of GET /deliveries.
type DeliveryList struct {
	Account domain.AccountID `json:"a"`
	Limit   int              `json:"l"` // maximum of destinations in the page, 1 to 100
	// After is the place of the last destination of the previous page; nil: the first page.
	After *DeliveryCursor `json:"d,omitempty"`
}

// DeliveryCursor is a destination's place in the list.
type DeliveryCursor struct {
	At time.Time `json:"t"`
	ID string    `json:"i"`
}

// Cursor returns the destination's place in the list.
func (d Delivery) Cursor() DeliveryCursor { return DeliveryCursor{At: d.At, ID: d.ID} }

// List returns a page of an account's destinations, and whether more follow.
func (d *Deliveries) List(ctx context.Context, list DeliveryList) ([]Delivery, bool, error) {
	q := Query{Index: indexNewest, Equal: []any{string(list.Account)}, Limit: list.Limit + 1}
	if list.After != nil {
		q.After = []any{list.After.At, list.After.ID}
	}
	found, err := page[Delivery](ctx, d.at, deliveryModel{}.name(), q)
	if err != nil || len(found) <= list.Limit {
		return found, false, err
	}
	return found[:list.Limit], true, nil
}

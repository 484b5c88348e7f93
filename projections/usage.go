package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

// Usage is the read model of an account's activity on one day in UTC, counted from the events of its movies on that day. Its id
// is made of the day and the account.
type Usage struct {
	ID      string `json:"id"`
	Day     string `json:"day"` // the day in UTC, as 2026-11-25
	Account string `json:"account"`

	Submitted int64 `json:"submitted"` // submitted movies, drafts included
	Drafts    int64 `json:"drafts"`
	Rendered  int64 `json:"rendered"` // movies that got a video, also those that got it after a timeout
	Cached    int64 `json:"cached"`   // rendered movies that are copies of an equal movie
	Failed    int64 `json:"failed"`   // movies that failed or timed out, also those that got a video after the timeout
	Cancelled int64 `json:"cancelled"`

	// The failed movies by family of the failure: see movie.Failure.
	FailedMovie   int64 `json:"failed_movie"`
	FailedAccount int64 `json:"failed_account"`
	FailedSources int64 `json:"failed_sources"`
	FailedService int64 `json:"failed_service"`
	FailedTimeout int64 `json:"failed_timeout"`
	FailedUnknown int64 `json:"failed_unknown"`

	VideoMS  int64 `json:"video_ms"` // total length of the rendered movies, in ms
	Credits  int64 `json:"credits"`
	Bytes    int64 `json:"bytes"`     // total size of the rendered files, in bytes
	RenderMS int64 `json:"render_ms"` // total duration of attempts with an outcome, in ms, where it was measured

	DeliveriesOK      int64 `json:"deliveries_ok"` // destinations whose last result in a run was ok
	DeliveriesError   int64 `json:"deliveries_error"`
	DeliveriesSkipped int64 `json:"deliveries_skipped"`
	DeliveryTries     int64 `json:"delivery_tries"`

	Commit  int64 `json:"commit"` // position in the log of the last event that was folded in
	Prepare int64 `json:"prepare"`
}

// dayForm is the format of a day.
const dayForm = time.DateOnly

// usageTime returns the time of an event that counts as activity, and false for every other event.
func usageTime(e Event) (time.Time, bool) {
	switch d := e.Data.(type) {
	case movie.Submitted:
		return d.At, true
	case movie.RenderFinished:
		return d.At, true
	case movie.RenderTimedOut:
		return d.At, true
	case movie.Cancelled:
		return d.At, true
	case movie.DeliveryAttempted:
		return d.At, true
	default:
		return time.Time{}, false
	}
}

// after returns the day's usage with one more event counted.
func (u Usage) after(e Event) Usage {
	switch d := e.Data.(type) {
	case movie.Submitted:
		u.Submitted++
		if d.Draft {
			u.Drafts++
		}
	case movie.RenderTimedOut:
		u = u.failure(movie.TimedOut)
	case movie.Cancelled:
		u.Cancelled++
	case movie.RenderFinished:
		u = u.finished(d)
	case movie.DeliveryAttempted:
		u = u.delivery(d)
	}
	return u
}

func (u Usage) failure(why movie.Failure) Usage {
	u.Failed++
	switch why.Family {
	case movie.FamilyMovie:
		u.FailedMovie++
	case movie.FamilyAccount:
		u.FailedAccount++
	case movie.FamilySources:
		u.FailedSources++
	case movie.FamilyService:
		u.FailedService++
	case movie.FamilyTimeout:
		u.FailedTimeout++
	default:
		u.FailedUnknown++
	}
	return u
}

func (u Usage) finished(d movie.RenderFinished) Usage {
	if d.Spent != nil {
		u.RenderMS += d.Spent.TookMS
	}
	if !d.Success {
		if why := movie.FailureOf(d); why != movie.TimedOut { // a timed-out movie was counted at its timeout
			u = u.failure(why)
		}
		return u
	}
	u.Rendered++
	u.Credits += d.Credits
	if d.CachedFrom != "" {
		u.Cached++
	}
	if d.Plan != nil && d.Plan.FPSNum > 0 {
		u.VideoMS += d.Plan.Milliseconds()
	}
	if d.File != nil {
		u.Bytes += d.File.Size
	}
	return u
}

func (u Usage) delivery(d movie.DeliveryAttempted) Usage {
	u.DeliveryTries++
	switch {
	case !d.Final:
	case d.Status == movie.DeliveryOK:
		u.DeliveriesOK++
	case d.Status == movie.DeliverySkipped:
		u.DeliveriesSkipped++
	default:
		u.DeliveriesError++
	}
	return u
}

// The indexes of usage.
const (
	indexDays    = "days"    // documents of all accounts, by day
	indexAccount = "account" // documents of one account, by day
)

// usageModel has a document for each day and account. Since a document follows many streams, it is guarded by the position in the
// log.
type usageModel struct{}

func (usageModel) name() string     { return "usage_daily" }
func (usageModel) listed() string   { return movie.StreamCategory }
func (usageModel) shape() int       { return 2 }
func (usageModel) oldestShape() int { return 1 }
func (usageModel) declare() []Index {
	return []Index{
		{Name: indexDays, Fields: []Field{{Name: "day"}, {Name: "account"}}},
		{Name: indexAccount, Fields: []Field{{Name: "account"}, {Name: "day"}}},
	}
}
func (usageModel) decode(body Body) (any, error) { return decodeAs[Usage](body) }

func (usageModel) touched(e Event) []string {
	at, counts := usageTime(e)
	if !counts || e.Category != movie.StreamCategory {
		return nil
	}
	return []string{at.UTC().Format(dayForm) + "/" + string(e.Account)}
}

func (usageModel) apply(id string, doc any, _ bool, e Event) (folded, error) {
	have, exists := doc.(Usage)
	if exists && e.Position.Compare(positionOf(have.Commit, have.Prepare)) <= 0 {
		return folded{doc: have}, nil
	}
	next := have
	if !exists {
		at, _ := usageTime(e)
		next = Usage{ID: id, Day: at.UTC().Format(dayForm), Account: string(e.Account)}
	}
	next = next.after(e)
	next.Commit, next.Prepare = int64(e.Position.Commit), int64(e.Position.Prepare)
	return folded{doc: next, changed: true}, nil
}

// UsageDays answers queries for the activity of accounts by day.
type UsageDays struct{ at *catalogue }

// UsageQuery selects a page of days, earliest first. Its JSON is the cursor of GET /admin/usage.
type UsageQuery struct {
	Account      domain.AccountID `json:"a"` // empty: all accounts
	From         string           `json:"f"` // the first day; empty: no limit
	To           string           `json:"t"` // the last day, inclusive; empty: no limit
	Limit        int              `json:"l"` // maximum of documents in the page, 1 to 999
	*UsageCursor                  // the last document of the previous page; nil: the first page
}

// UsageCursor is a document's place in the lists of all accounts and of one account.
type UsageCursor struct {
	Day   string           `json:"d"`
	Owner domain.AccountID `json:"o"`
}

// Cursor returns the document's place in the list.
func (u Usage) Cursor() UsageCursor {
	return UsageCursor{Day: u.Day, Owner: domain.AccountID(u.Account)}
}

// List returns documents by day and account, and whether more follow. It may lag behind the log.
func (u *UsageDays) List(ctx context.Context, list UsageQuery) ([]Usage, bool, error) {
	q := Query{Index: indexDays, Limit: list.Limit + 1}
	if list.Account != "" {
		q.Index, q.Equal = indexAccount, []any{string(list.Account)}
	}
	if list.From != "" {
		q.Range.Min = list.From
	}
	if list.To != "" {
		q.Range.Max = list.To
	}
	if after := list.UsageCursor; after != nil {
		id := after.Day + "/" + string(after.Owner)
		q.After = []any{after.Day, string(after.Owner), id}
		if list.Account != "" {
			q.After = []any{after.Day, id}
		}
	}
	found, err := page[Usage](ctx, u.at, usageModel{}.name(), q)
	if err != nil || len(found) <= list.Limit {
		return found, false, err
	}
	return found[:list.Limit], true, nil
}

package admin

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"moviola/domain"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// UsagePages reads pages of the daily usage of accounts.
type UsagePages interface {
	List(ctx context.Context, q projections.UsageQuery) ([]projections.Usage, bool, error)
}

// usageShown is the usage of an account on one day, as GET /admin/usage returns it.
type usageShown struct {
	Day               string `json:"day"`
	Account           string `json:"account"`
	Submitted         int64  `json:"submitted"`
	Drafts            int64  `json:"drafts"`
	Rendered          int64  `json:"rendered"`
	Cached            int64  `json:"cached"`
	Failed            int64  `json:"failed"`
	Cancelled         int64  `json:"cancelled"`
	FailedMovie       int64  `json:"failed_movie"`
	FailedAccount     int64  `json:"failed_account"`
	FailedSources     int64  `json:"failed_sources"`
	FailedService     int64  `json:"failed_service"`
	FailedTimeout     int64  `json:"failed_timeout"`
	FailedUnknown     int64  `json:"failed_unknown"`
	VideoMS           int64  `json:"video_ms"`
	Credits           int64  `json:"credits"`
	Bytes             int64  `json:"bytes"`
	RenderMS          int64  `json:"render_ms"`
	DeliveriesOK      int64  `json:"deliveries_ok"`
	DeliveriesError   int64  `json:"deliveries_error"`
	DeliveriesSkipped int64  `json:"deliveries_skipped"`
	DeliveryTries     int64  `json:"delivery_tries"`
}

func showUsage(u projections.Usage) usageShown {
	return usageShown{
		Day: u.Day, Account: u.Account, Submitted: u.Submitted, Drafts: u.Drafts, Rendered: u.Rendered, Cached: u.Cached,
		Failed: u.Failed, Cancelled: u.Cancelled, FailedMovie: u.FailedMovie, FailedAccount: u.FailedAccount,
		FailedSources: u.FailedSources, FailedService: u.FailedService, FailedTimeout: u.FailedTimeout,
		FailedUnknown: u.FailedUnknown, VideoMS: u.VideoMS, Credits: u.Credits, Bytes: u.Bytes, RenderMS: u.RenderMS,
		DeliveriesOK: u.DeliveriesOK, DeliveriesError: u.DeliveriesError, DeliveriesSkipped: u.DeliveriesSkipped,
		DeliveryTries: u.DeliveryTries,
	}
}

type usagePage struct {
	Success   bool         `json:"success"`
	Count     int          `json:"count"`
	HasNext   bool         `json:"has_next"`
	NextToken *string      `json:"next_token"`
	Usage     []usageShown `json:"usage"`
}

// parseUsage reads the query parameters of GET /admin/usage.
func parseUsage(query url.Values) (projections.UsageQuery, error) {
	limit, err := web.ParseLimit(query)
	if err != nil {
		return projections.UsageQuery{}, err
	}
	q := projections.UsageQuery{Limit: limit}
	account, ok := web.One(query, "account")
	if !ok {
		return q, web.ErrCursor
	}
	q.Account = domain.AccountID(account)
	if q.From, err = parseDay(query, false, "start_date"); err != nil {
		return q, err
	}
	q.To, err = parseDay(query, true, "end_date")
	return q, err
}

// parseDay reads the day, in UTC, of the date or date-time in the parameter name of a query; empty when the parameter is missing.
func parseDay(query url.Values, end bool, name string) (string, error) {
	at, err := web.ParseDate(query, end, name)
	if err != nil || at == nil {
		return "", err
	}
	return at.UTC().Format(time.DateOnly), nil
}

// listUsage serves GET /admin/usage, sorted by day and account, the first day first.
func (a *API) listUsage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	q, err := parseUsage(query)
	if err != nil {
		return err
	}
	token, ok := web.One(query, "next_token")
	if !ok {
		return web.ErrCursor
	}
	if token != "" {
		if q, err = a.usage.Resume(token, q); err != nil {
			return err
		}
	}
	q.Limit = cmp.Or(q.Limit, web.MaxPage) // MaxPage is the limit when the client gives none; a cursor contains its limit
	days, more, err := a.cfg.Usage.List(r.Context(), q)
	if err != nil {
		return err
	}
	answer := usagePage{Success: true, Count: len(days), HasNext: more, Usage: make([]usageShown, len(days))}
	for i, day := range days {
		answer.Usage[i] = showUsage(day)
	}
	if more {
		last := days[len(days)-1].Cursor()
		q.UsageCursor = &last
		if answer.NextToken, err = a.usage.Next(q); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

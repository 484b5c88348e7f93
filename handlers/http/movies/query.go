package movies

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"moviola/domain"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// maxMonths is the maximum date range of a list, in months. Spec: Limits.
const maxMonths = 3

// The limits of the filters of a list.
const (
	maxDataFilters = 5
	maxFilterText  = 1024
	dataFilter     = "client-data."
)

var statuses = []string{projections.StatusPending, projections.StatusRunning, projections.StatusDone, projections.StatusError,
	projections.StatusTimeout}

// The refusals of GET /movies. Spec: Errors; decisions 11 and 14.
var (
	errRange  = domain.Errorf(domain.Invalid, "date_range_too_long", "Maximum date range is 3 months.")
	errFormat = domain.Errorf(domain.Invalid, "format_invalid", "Invalid format")
	errStatus = domain.Errorf(domain.Invalid, "status_invalid", "Invalid status. It is one of %s.", strings.Join(statuses, ", "))
	errFilter = domain.Errorf(domain.Invalid, "filter_invalid", "Invalid filter. template, movie_id and client-data.NAME "+
		"are given once each, with at most %d names, each with at most %d bytes.", maxDataFilters, maxFilterText)
	errProjects = domain.Errorf(domain.Invalid, "project_ambiguous", "The parameters project and id name different movies")
)

// moviesQuery is the parsed query of GET /movies: one movie, or a page of a list.
type moviesQuery struct {
	project string // empty: a list is requested
	list    projections.MovieList
	simple  bool
}

// parseMovies reads the parameters of GET /movies. With a project, all other parameters but format are ignored.
func (a *API) parseMovies(query url.Values, account domain.AccountID) (moviesQuery, error) {
	var q moviesQuery
	var ok bool
	if q.project, ok = web.One(query, "project", "id"); !ok {
		return q, errProjects
	}
	format, ok := web.One(query, "format")
	if !ok || format != "" && format != "simple" {
		return q, errFormat
	}
	q.simple = format == "simple"
	if q.project != "" {
		return q, checkProject(q.project)
	}
	var err error
	q.list, err = a.parseList(query, account)
	return q, err
}

// checkProject refuses an id of the wrong length. Spec: Errors; decision 7.
func checkProject(text string) error {
	if _, ok := domain.ParseProjectID(text); ok {
		return nil
	}
	return domain.Errorf(domain.Invalid, "project_invalid", "Project ID must be a 16-character string. Received ID: %s (length: %d)",
		text, utf8.RuneCountInString(text))
}

// parseList reads the requested page of a list: the page of the cursor, or the first page without a cursor.
func (a *API) parseList(query url.Values, account domain.AccountID) (projections.MovieList, error) {
	from, err := web.ParseDate(query, false, "from", "date_start")
	if err != nil {
		return projections.MovieList{}, err
	}
	to, err := web.ParseDate(query, true, "to", "date_end")
	if err != nil {
		return projections.MovieList{}, err
	}
	list := projections.MovieList{Account: account, From: orZero(from), To: orZero(to)}
	if list.Limit, err = web.ParseLimit(query); err != nil {
		return list, err
	}
	if err := parseFilters(query, &list); err != nil {
		return list, err
	}
	token, ok := web.One(query, "next_token")
	switch {
	case !ok:
		return list, web.ErrCursor
	case token != "":
		return a.lists.Resume(token, list)
	}
	now := a.now().UTC()
	list.Limit, list.From = cmp.Or(list.Limit, web.MaxPage), time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	if from == nil && to != nil && to.Before(list.From) {
		list.From = earliest(*to)
	}
	if from != nil {
		list.From = *from
	}
	if to == nil {
		list.To = web.EndOfDay(now)
	}
	return list, checkRange(list.From, list.To)
}

// parseFilters reads the filters of a list. Decision 73.
func parseFilters(query url.Values, list *projections.MovieList) error {
	var ok bool
	if list.Status, ok = web.One(query, "status"); !ok || list.Status != "" && !slices.Contains(statuses, list.Status) {
		return errStatus
	}
	for name, value := range map[string]*string{"template": &list.Template, "movie_id": &list.MovieID} {
		if *value, ok = web.One(query, name); !ok || len(*value) > maxFilterText {
			return errFilter
		}
	}
	for parameter, values := range query {
		name, is := strings.CutPrefix(parameter, dataFilter)
		if !is {
			continue
		}
		if len(values) != 1 || len(list.ClientData) == maxDataFilters || len(name)+len(values[0]) > maxFilterText {
			return errFilter
		}
		if list.ClientData == nil {
			list.ClientData = map[string]string{}
		}
		list.ClientData[name] = values[0]
	}
	return nil
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// checkRange refuses a range whose end is before its start, and a range that is too long. The last day may be at most
// three calendar months after the first day. If that month has no such day, its last day is the limit: 28 or 29
// February for 30 November. Decision 14.
func checkRange(from, to time.Time) error {
	if from.After(to) {
		return web.ErrStartDate
	}
	if to.After(latest(from)) {
		return errRange
	}
	return nil
}

// latest returns the latest end of a range that begins at a time.
func latest(from time.Time) time.Time {
	y, m, d := from.UTC().Date()
	last := time.Date(y, m+maxMonths+1, 0, 0, 0, 0, 0, time.UTC) // the last day of the third month after the start
	if d < last.Day() {
		last = last.AddDate(0, 0, d-last.Day())
	}
	return web.EndOfDay(last)
}

// earliest returns the earliest start of a range that ends at a time. Decision 52.
func earliest(to time.Time) time.Time {
	y, m, d := to.UTC().Date()
	// When the month has no such day, time.Date goes on into the next month: it makes 31 February the 3rd of March.
	// Three days less are therefore never too late, and the loop below finds the exact day.
	day := time.Date(y, m-maxMonths, d, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -3)
	if first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); day.Before(first) { // a year before 0 cannot be written as a date
		return first
	}
	for latest(day).Before(to) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

// errQuery refuses a query that is wrongly encoded or not UTF-8. Decision 58.
var errQuery = domain.Errorf(domain.Invalid, "query_invalid", "Invalid query string")

// ParseQuery parses the query of a request. With an error it returns the part that could be parsed.
func ParseQuery(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return query, errQuery
	}
	for name, values := range query {
		if !utf8.ValidString(name) || slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
			return query, errQuery
		}
	}
	return query, nil
}

// One returns the value of a parameter that has several names. An empty value counts as not set (decision 7). It returns false
// when the parameter is given twice with different values.
func One(query url.Values, names ...string) (string, bool) {
	value := ""
	for _, name := range names {
		for _, given := range query[name] {
			switch {
			case given == "" || given == value:
			case value == "":
				value = given
			default:
				return value, false
			}
		}
	}
	return value, true
}

// layouts are the accepted forms of a date-time. A date-time without a zone is in UTC. Decision 14.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04",
}

// The refusals of dates.
var (
	ErrStartDate = domain.Errorf(domain.Invalid, "start_date_invalid", "Invalid start date")
	ErrEndDate   = domain.Errorf(domain.Invalid, "end_date_invalid", "Invalid end date")
)

// ParseDate reads a parameter that is a date or a date-time. It returns nil when the parameter is missing. The error for an
// invalid one is ErrStartDate, or ErrEndDate with end set. With end set, a date means the end of that day.
func ParseDate(query url.Values, end bool, names ...string) (*time.Time, error) {
	var refusal error = ErrStartDate
	if end {
		refusal = ErrEndDate
	}
	text, ok := One(query, names...)
	if !ok {
		return nil, refusal
	}
	if text == "" {
		return nil, nil
	}
	at, ok := ParseTime(text, end)
	if !ok {
		return nil, refusal
	}
	return &at, nil
}

// ParseTime parses a date or a date-time. A date-time without a zone is in UTC. With end set, a date means the end of that
// day. Decision 14.
func ParseTime(text string, end bool) (time.Time, bool) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		if end {
			day = EndOfDay(day)
		}
		return day, true
	}
	for _, layout := range layouts {
		if at, ok := parseTime(layout, text); ok {
			return at, true
		}
	}
	return time.Time{}, false
}

// MaxPage is the maximum size of a page of a list. Spec: Limits.
const MaxPage = 100

// errLimit refuses an invalid page size. Decision 11.
var errLimit = domain.Errorf(domain.Invalid, "limit_invalid", "Invalid limit")

// ParseLimit reads the parameter limit, the size of a page: 1 to MaxPage, or 0 when the parameter is missing.
func ParseLimit(query url.Values) (int, error) {
	text, ok := One(query, "limit")
	if text == "" {
		return 0, nil
	}
	limit, err := strconv.Atoi(text)
	if !ok || err != nil || limit < 1 || limit > MaxPage {
		return 0, errLimit
	}
	return limit, nil
}

// parseTime parses a text by a layout. It also accepts a blank in place of a + that the client did not encode in the query:
// "00:00 02:00" for "00:00+02:00".
func parseTime(layout, text string) (time.Time, bool) {
	at, err := time.Parse(layout, text)
	if err != nil {
		blank := strings.LastIndexByte(text, ' ')
		if blank < 0 {
			return time.Time{}, false
		}
		at, err = time.Parse(layout, text[:blank]+"+"+text[blank+1:])
	}
	return at.UTC(), err == nil
}

// EndOfDay returns the last millisecond of a day in UTC.
func EndOfDay(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC).Add(-time.Millisecond)
}

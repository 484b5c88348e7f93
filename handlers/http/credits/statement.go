package credits

import (
	"net/http"
	"strconv"
	"time"

	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// The sizes of a page of a statement.
const (
	largestPage = 999
	jsonPage    = 100
)

// The forms of a statement.
const (
	asJSON = "json"
	asCSV  = "csv"
)

// nextTokenHeader contains the cursor of the next page of a statement in CSV, because CSV has no field for a cursor.
const nextTokenHeader = "X-Next-Token"

// The refusals of GET /credits/ledger.
var (
	errLimit  = domain.Errorf(domain.Invalid, "limit_invalid", "Invalid limit")
	errFormat = domain.Errorf(domain.Invalid, "format_invalid", "Invalid format")
)

// line is an entry of a ledger, as a statement shows it.
type line struct {
	Number  int64   `json:"number"`
	At      string  `json:"at"`
	Event   string  `json:"event"`
	Subject *string `json:"subject"`
	Amount  int64   `json:"amount"`
	Granted int64   `json:"granted"`
	Held    int64   `json:"held"`
	Charged int64   `json:"charged"`
	Kind    *string `json:"kind"`
	Reason  *string `json:"reason"`
	Period  *string `json:"period"`
	Draft   bool    `json:"draft"`
}

type statement struct {
	Success   bool             `json:"success"`
	Account   domain.AccountID `json:"account"`
	From      *string          `json:"from"`
	To        *string          `json:"to"`
	Count     int              `json:"count"`
	Limit     int              `json:"limit"`
	HasNext   bool             `json:"has_next"`
	NextToken *string          `json:"next_token"`
	Entries   []line           `json:"entries"`
	Timestamp string           `json:"timestamp"`
}

// statement serves GET /credits/ledger, newest entry first.
func (a *API) statement(w http.ResponseWriter, r *http.Request, c access.Call) error {
	format, ok := c.One("format")
	if !ok || format != "" && format != asJSON && format != asCSV {
		return errFormat
	}
	list, err := a.parse(c, format)
	if err != nil {
		return err
	}
	entries, more, err := a.cfg.Statements.Page(r.Context(), list)
	if err != nil {
		return err
	}
	var next *string
	if more {
		last := entries[len(entries)-1].Cursor()
		list.After = &last
		if next, err = a.lists.Next(list); err != nil {
			return err
		}
	}
	if format == asCSV {
		return writeCSV(w, entries, next)
	}
	answer := statement{
		Success: true, Account: c.Account, From: stampOf(list.From), To: stampOf(list.To), Count: len(entries), Limit: list.Limit,
		HasNext: more, NextToken: next, Entries: make([]line, len(entries)), Timestamp: web.Stamp(a.cfg.Now()),
	}
	for i, entry := range entries {
		answer.Entries[i] = show(entry)
	}
	return web.Write(w, http.StatusOK, answer)
}

// parse reads the parameters of GET /credits/ledger for one page. A cursor contains the range and the limit of its list. Decision
// 14.
func (a *API) parse(c access.Call, format string) (projections.StatementQuery, error) {
	at := projections.StatementQuery{Account: c.Account}
	from, err := web.ParseDate(c.Query, false, "from")
	if err != nil {
		return at, err
	}
	to, err := web.ParseDate(c.Query, true, "to")
	if err != nil {
		return at, err
	}
	if from != nil {
		at.From = *from
	}
	if to != nil {
		at.To = *to
	}
	if from != nil && to != nil && from.After(*to) {
		return at, web.ErrStartDate
	}
	if at.Limit, err = parseLimit(c); err != nil {
		return at, err
	}
	token, ok := c.One("next_token")
	if !ok {
		return at, web.ErrCursor
	}
	if token != "" {
		return a.lists.Resume(token, at)
	}
	switch {
	case at.Limit > 0:
	case format == asCSV:
		at.Limit = largestPage
	default:
		at.Limit = jsonPage
	}
	return at, nil
}

// parseLimit reads the size of a page; 0: the parameter is missing. Pages of statements may be larger than those of other
// lists.
func parseLimit(c access.Call) (int, error) {
	text, ok := c.One("limit")
	if text == "" {
		return 0, nil
	}
	limit, err := strconv.Atoi(text)
	if !ok || err != nil || limit < 1 || limit > largestPage {
		return 0, errLimit
	}
	return limit, nil
}

func show(e projections.Entry) line {
	return line{
		Number: e.Number, At: web.Stamp(e.At), Event: e.Event, Subject: textOrNull(e.Subject), Amount: e.Amount,
		Granted: e.Granted, Held: e.Held, Charged: e.Charged, Kind: textOrNull(e.Kind), Reason: textOrNull(e.Reason),
		Period: textOrNull(e.Period), Draft: e.Draft,
	}
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func stampOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return web.StampOrNull(&t)
}

// columns is the header line of a statement in CSV.
var columns = []string{"number", "at", "event", "subject", "amount", "granted", "held", "charged", "kind", "reason", "period",
	"draft"}

// writeCSV answers with a page in CSV (RFC 4180); the cursor is in a header.
func writeCSV(w http.ResponseWriter, entries []projections.Entry, next *string) error {
	rows := [][]string{columns}
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, e := range entries {
		rows = append(rows, []string{
			whole(e.Number), web.Stamp(e.At), e.Event, web.CSVText(e.Subject), whole(e.Amount), whole(e.Granted), whole(e.Held),
			whole(e.Charged),
			web.CSVText(e.Kind), web.CSVText(e.Reason), e.Period, strconv.FormatBool(e.Draft),
		})
	}
	if next != nil {
		w.Header().Set(nextTokenHeader, *next)
	}
	return web.SendCSV(w, "ledger.csv", rows)
}

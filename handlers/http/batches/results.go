package batches

import (
	"net/http"
	"slices"
	"strconv"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/result"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// The statuses of rows that have no movie.
const (
	rowWaiting   = "waiting"   // the row's movie is not submitted yet
	rowInvalid   = "invalid"   // the row is invalid and gets no movie
	rowCancelled = "cancelled" // the batch was cancelled before the row's movie was submitted
)

// row is the state of a row in an answer.
type row struct {
	Row      int     `json:"row"`
	Project  string  `json:"project,omitempty"`
	Status   string  `json:"status"`
	URL      *string `json:"url"`
	Duration float64 `json:"duration,omitempty"`
	Credits  int64   `json:"credits"`
	Column   string  `json:"column,omitempty"`
	Code     string  `json:"code,omitempty"`
	Message  string  `json:"message,omitempty"`
}

// summary is a batch with the state of its movies.
type summary struct {
	head
	Status string         `json:"status"`
	Counts map[string]int `json:"counts"`
}

// resultList selects a page of the rows of a batch. Its JSON is the cursor of GET /batches/{id}.
type resultList struct {
	Account domain.AccountID `json:"a"`
	Batch   string           `json:"b"`
	Limit   int              `json:"l"`
	After   int              `json:"r"` // number of the last row of the previous page
}

// shown is the answer of GET /batches/{id}.
type shown struct {
	Success   bool    `json:"success"`
	Batch     summary `json:"batch"`
	Results   []row   `json:"results"`
	HasNext   bool    `json:"has_next"`
	NextToken *string `json:"next_token"`
	Timestamp string  `json:"timestamp"`
}

// get serves GET /batches/{id}: the batch's progress, and a page of its rows.
func (a *API) get(w http.ResponseWriter, r *http.Request, c access.Call) error {
	b, rows, err := a.results(r, c)
	if err != nil {
		return err
	}
	asked := resultList{Account: c.Account, Batch: b.ID}
	if asked.Limit, err = web.ParseLimit(c.Query); err != nil {
		return err
	}
	if asked, err = resumed(a.rows, c, asked); err != nil {
		return err
	}
	if asked.Limit == 0 {
		asked.Limit = web.MaxPage
	}
	answer := shown{Success: true, Batch: summarize(b, rows), Results: []row{}, Timestamp: web.Stamp(a.cfg.Now())}
	for _, one := range rows {
		switch {
		case one.Row <= asked.After:
		case len(answer.Results) < asked.Limit:
			answer.Results = append(answer.Results, one)
		default:
			answer.HasNext = true
		}
	}
	if answer.HasNext {
		asked.After = answer.Results[len(answer.Results)-1].Row
		if answer.NextToken, err = a.rows.Next(asked); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// csv serves GET /batches/{id}/results.csv: all rows.
func (a *API) csv(w http.ResponseWriter, r *http.Request, c access.Call) error {
	b, rows, err := a.results(r, c)
	if err != nil {
		return err
	}
	lines := [][]string{{"row", "project", "status", "url", "duration", "credits", "column", "code", "message"}}
	for _, one := range rows {
		url, duration := "", ""
		if one.URL != nil {
			url = *one.URL
		}
		if one.Duration > 0 {
			duration = strconv.FormatFloat(one.Duration, 'f', -1, 64)
		}
		lines = append(lines, []string{
			strconv.Itoa(one.Row), one.Project, one.Status, url, duration, strconv.FormatInt(one.Credits, 10),
			web.CSVText(one.Column), one.Code, web.CSVText(one.Message),
		})
	}
	return web.SendCSV(w, "batch-"+b.ID+".csv", lines)
}

// results returns the caller's batch and all its rows, in order.
func (a *API) results(r *http.Request, c access.Call) (projections.MovieBatch, []row, error) {
	b, err := a.owned(r, c)
	if err != nil {
		return b, nil, err
	}
	found, err := a.cfg.Batches.Movies(r.Context(), c.Account, batch.ID(b.ID))
	if err != nil {
		return b, nil, err
	}
	movies := make(map[int]projections.Movie, len(found))
	for _, m := range found {
		movies[m.Row] = m
	}
	rows := make([]row, 0, len(b.Rows)+len(b.Flaws))
	for _, good := range b.Rows {
		rows = append(rows, a.rowOf(b, good, movies))
	}
	for _, flaw := range b.Flaws {
		rows = append(rows, row{Row: flaw.Row, Status: rowInvalid, Column: flaw.Column, Code: flaw.Code, Message: flaw.Message})
	}
	slices.SortFunc(rows, func(a, b row) int { return a.Row - b.Row })
	return b, rows, nil
}

// rowOf returns the state of a row that gets a movie.
func (a *API) rowOf(b projections.MovieBatch, of batch.Row, movies map[int]projections.Movie) row {
	shown := row{Row: of.Number, Project: string(batch.Project(batch.ID(b.ID), of.Number)), Status: rowWaiting}
	m, come := movies[of.Number]
	switch {
	case !come && b.State == projections.BatchCancelled:
		shown.Status = rowCancelled
	case come:
		shown.Status, shown.Message, shown.Credits = m.Status, m.Message, m.Credits
	}
	if m.Plan != nil {
		shown.Duration = result.Duration(*m.Plan)
	}
	if m.File != nil && m.File.Key != "" && !m.Gone {
		address := a.cfg.Tokens.AddressesOf(a.cfg.PublicURL, domain.ProjectID(m.Project), m.File).Movie
		shown.URL = &address
	}
	return shown
}

// summarize counts the rows by state. The status of the batch follows from the statuses of its movies.
func summarize(b projections.MovieBatch, rows []row) summary {
	s := summary{head: headOf(b), Counts: map[string]int{
		rowWaiting: 0, projections.StatusPending: 0, projections.StatusRunning: 0, projections.StatusDone: 0,
		projections.StatusError:   0,
		projections.StatusTimeout: 0, rowInvalid: 0, rowCancelled: 0,
	}}
	for _, one := range rows {
		s.Counts[one.Status]++
	}
	open := s.Counts[rowWaiting] + s.Counts[projections.StatusPending] + s.Counts[projections.StatusRunning]
	switch {
	case open == 0 && b.State == projections.BatchCancelled:
		s.Status = projections.BatchCancelled
	case open == 0:
		s.Status = projections.StatusDone
	case s.Counts[rowWaiting]+s.Counts[projections.StatusPending] == len(b.Rows):
		s.Status = projections.StatusPending
	default:
		s.Status = projections.StatusRunning
	}
	return s
}

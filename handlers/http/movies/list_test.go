package movies_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/projections"
)

// page is the answer of a list, as far as paging goes.
type page struct {
	Success   bool             `json:"success"`
	From      string           `json:"from"`
	To        string           `json:"to"`
	Count     int              `json:"count"`
	Limit     int              `json:"limit"`
	HasNext   bool             `json:"has_next"`
	HasPrev   bool             `json:"has_prev"`
	NextToken *string          `json:"next_token"`
	Movies    []map[string]any `json:"movies"`
	Quota     map[string]int   `json:"remaining_quota"`
	Timestamp string           `json:"timestamp"`
}

func (w *world) list(t *testing.T, key, query string) page {
	t.Helper()
	answer := w.call("GET", "/v2/movies?"+query, key, "")
	if answer.Code != 200 {
		t.Fatalf("%s: %d %s", query, answer.Code, answer.Body)
	}
	var p page
	if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if p.Count != len(p.Movies) || p.HasNext != (p.NextToken != nil) || !p.Success {
		t.Errorf("%s: count %d of %d movies, has_next %v, next_token %v", query, p.Count, len(p.Movies), p.HasNext, p.NextToken)
	}
	return p
}

// walk pages to the end and returns the projects in the order they came.
func (w *world) walk(t *testing.T, key, query string) (projects []string, pages int) {
	t.Helper()
	next := query
	for {
		p := w.list(t, key, next)
		if pages++; p.HasPrev != (pages > 1) {
			t.Errorf("page %d: has_prev is %v", pages, p.HasPrev)
		}
		for _, m := range p.Movies {
			projects = append(projects, m["project"].(string))
		}
		if !p.HasNext {
			return projects, pages
		}
		next = "next_token=" + *p.NextToken
	}
}

// fill adds n movies of alice, three to a second, and two of bob between them. It returns alice's, newest first.
func (w *world) fill(n int) []string {
	want := make([]string, n)
	for i := range n {
		m := done(fmt.Sprintf("Movie%011d", i), now.Add(time.Duration(i/3-n)*time.Second))
		w.add(m, scenes)
		want[n-1-i] = m.Project
		if i < 2 {
			m.Project, m.Account = fmt.Sprintf("Other%011d", i), string(bob)
			w.add(m, scenes)
		}
	}
	return want
}

func TestList_PagesInOrderWithoutGaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := w.fill(250)
	for limit, pages := range map[int]int{1: 250, 7: 36, 100: 3} {
		got, n := w.walk(t, "viewer", fmt.Sprintf("limit=%d", limit))
		if diff := cmp.Diff(want, got); diff != "" || n != pages {
			t.Errorf("limit %d, %d pages (-want +got):\n%s", limit, n, diff)
		}
	}
	if p := w.list(t, "viewer", ""); p.Limit != 100 || p.Count != 100 {
		t.Errorf("the default limit is %d, %d movies", p.Limit, p.Count)
	}
	if p := w.list(t, "bob", "limit=2"); p.Count != 2 || p.HasNext {
		t.Errorf("another account has %d movies, has_next %v", p.Count, p.HasNext)
	}
}

func TestList_Empty(t *testing.T) {
	t.Parallel()
	answer := newWorld(t).call("GET", "/v2/movies?limit=&from=&next_token=&format=&project=", "viewer", "")
	checkJSON(t, `{"success":true,"from":"2026-11-01T00:00:00.000Z","to":"2026-11-21T23:59:59.999Z","count":0,"limit":100,"has_next":false,
		"has_prev":false,"next_token":null,"movies":[],"remaining_quota":{"time":550},"timestamp":"2026-11-21T12:00:00.000Z"}`, answer.Body.String())
}

// Spec: GET /movies, from and to; decision 14.
func TestList_Ranges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := []struct {
		name, query, from, to string
	}{
		{"a date ends with its day", "from=2026-11-02&to=2026-11-03", "2026-11-02T00:00:00.000Z", "2026-11-03T23:59:59.999Z"},
		{"one day", "from=2026-11-02&to=2026-11-02", "2026-11-02T00:00:00.000Z", "2026-11-02T23:59:59.999Z"},
		{"aliases", "date_start=2026-11-02&date_end=2026-11-03", "2026-11-02T00:00:00.000Z", "2026-11-03T23:59:59.999Z"},
		{"both names alike", "from=2026-11-02&date_start=2026-11-02", "2026-11-02T00:00:00.000Z", "2026-11-21T23:59:59.999Z"},
		{"no zone is UTC", "from=2026-11-02T10:00:00&to=2026-11-02T11:30", "2026-11-02T10:00:00.000Z", "2026-11-02T11:30:00.000Z"},
		{"Z and milliseconds", "from=2026-11-02T10:00:00.250Z", "2026-11-02T10:00:00.250Z", "2026-11-21T23:59:59.999Z"},
		{"a zone", "from=2026-11-02T01:00:00%2B02:00", "2026-11-01T23:00:00.000Z", "2026-11-21T23:59:59.999Z"},
		{"a plus sent as it is", "from=2026-11-02T01:00:00+02:00", "2026-11-01T23:00:00.000Z", "2026-11-21T23:59:59.999Z"},
		{"a blank for the T", "from=2026-11-02%2010:00:00", "2026-11-02T10:00:00.000Z", "2026-11-21T23:59:59.999Z"},
		{"three months to the day", "from=2026-08-21", "2026-08-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z"},
		{"three months to the day, from a late hour", "from=2026-08-21T23:00:00Z", "2026-08-21T23:00:00.000Z", "2026-11-21T23:59:59.999Z"},
		{"held to the month's end", "from=2026-11-30&to=2027-02-28", "2026-11-30T00:00:00.000Z", "2027-02-28T23:59:59.999Z"},
		{"held to the end of a leap February", "from=2027-11-30&to=2028-02-29", "2027-11-30T00:00:00.000Z", "2028-02-29T23:59:59.999Z"},
		{"only an end, in an earlier month", "to=2026-05-31", "2026-03-01T00:00:00.000Z", "2026-05-31T23:59:59.999Z"},
		{"only an end, in a month that is as long", "to=2026-10-15", "2026-07-15T00:00:00.000Z", "2026-10-15T23:59:59.999Z"},
		{"only an end, at a time", "to=2026-10-31T10:00:00Z", "2026-07-31T00:00:00.000Z", "2026-10-31T10:00:00.000Z"},
		{"only an end, after a short month", "to=2026-05-30", "2026-03-01T00:00:00.000Z", "2026-05-30T23:59:59.999Z"},
		{"only an end, at the end of February", "to=2026-02-28", "2025-11-28T00:00:00.000Z", "2026-02-28T23:59:59.999Z"},
		{"only an end, in the current month", "to=2026-11-03", "2026-11-01T00:00:00.000Z", "2026-11-03T23:59:59.999Z"},
		{"over the year's end", "from=2026-12-31&to=2027-03-31", "2026-12-31T00:00:00.000Z", "2027-03-31T23:59:59.999Z"},
	}
	for _, tt := range tests {
		if p := w.list(t, "viewer", tt.query); p.From != tt.from || p.To != tt.to {
			t.Errorf("%s: %s to %s, want %s to %s", tt.name, p.From, p.To, tt.from, tt.to)
		}
	}
	for _, query := range []string{"from=2026-08-20", "from=2026-11-30&to=2027-03-01", "from=2027-11-30&to=2028-03-01", "from=2026-01-31&to=2026-05-01"} {
		if answer := w.call("GET", "/v2/movies?"+query, "viewer", ""); answer.Code != 400 || !strings.Contains(answer.Body.String(), "Maximum date range is 3 months.") {
			t.Errorf("%s: %d %s", query, answer.Code, answer.Body)
		}
	}
}

func TestList_RangeIncludesItsEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
	for i, at := range []time.Time{day.Add(-time.Millisecond), day, day.Add(24*time.Hour - time.Millisecond), day.Add(24 * time.Hour)} {
		w.add(done(fmt.Sprintf("Edge%012d", i), at), scenes)
	}
	got, _ := w.walk(t, "viewer", "from=2026-11-10&to=2026-11-10")
	if diff := cmp.Diff([]string{"Edge000000000002", "Edge000000000001"}, got); diff != "" {
		t.Errorf("movies of the day (-want +got):\n%s", diff)
	}
}

// Decision 14: next_token alone carries its range and limit; what is sent beside it must be equal.
func TestList_NextToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(10)
	token := *w.list(t, "viewer", "limit=4&from=2026-11-21&to=2026-11-22").NextToken
	for query, want := range map[string]int{
		"": 200, "&limit=4": 200, "&from=2026-11-21": 200, "&date_start=2026-11-21T00:00:00Z&date_end=2026-11-22&limit=4": 200, "&format=simple": 200,
		"&limit=5": 400, "&from=2026-11-20": 400, "&to=2026-11-21": 400, "&limit=x": 400, "&next_token=abc": 400,
	} {
		answer := w.call("GET", "/v2/movies?next_token="+token+query, "viewer", "")
		if answer.Code != want {
			t.Errorf("%q beside the token: %d %s", query, answer.Code, answer.Body)
		}
	}
	p := w.list(t, "viewer", "next_token="+token)
	if p.Limit != 4 || p.From != "2026-11-21T00:00:00.000Z" || p.To != "2026-11-22T23:59:59.999Z" || p.Count != 4 {
		t.Errorf("the token carries limit %d, %s to %s", p.Limit, p.From, p.To)
	}
	if answer := w.call("GET", "/v2/movies?next_token="+token, "bob", ""); answer.Code != 400 {
		t.Errorf("another account's token: %d", answer.Code)
	}
	for i := range token {
		for _, c := range "Ab-_9=\n" {
			altered := token[:i] + string(c) + token[i+1:]
			if altered == token {
				continue
			}
			if answer := w.call("GET", "/v2/movies?next_token="+url.QueryEscape(altered), "viewer", ""); answer.Code != 400 {
				t.Errorf("byte %d altered: %d", i, answer.Code)
			}
		}
	}
	for _, forged := range []string{token + "A", token + "\n", token[1:], strings.Repeat("A", 10_000), "AAAA", "e30", "%00"} {
		if answer := w.call("GET", "/v2/movies?next_token="+url.QueryEscape(forged), "viewer", ""); answer.Code != 400 {
			t.Errorf("%.20q: %d", forged, answer.Code)
		}
	}
}

func TestList_Simple(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(done(project, now.Add(-time.Hour)), `{"id":"my-id","client-data":{"a":1},"scenes":[]}`)
	for query, want := range map[string]bool{"": true, "format=simple": false} {
		m := w.list(t, "viewer", query).Movies[0]
		if _, ok := m["json"]; ok != want {
			t.Errorf("%q: json is there: %v", query, ok)
		}
		if m["id"] != "my-id" || m["client-data"].(map[string]any)["a"] != 1.0 {
			t.Errorf("%q: id %v, client-data %v", query, m["id"], m["client-data"])
		}
	}
}

// Decision 13: a page is cut before 6 MB, holds one movie at least, and paging still sees every movie once.
func TestList_PageIsCutBySize(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sizes := []int{2 << 20, 2 << 20, 1000, 2 << 20, 2 << 20, 2<<20 - 2000, 1000, 2 << 20, 1000, 1000}
	var want []string
	for i, size := range sizes {
		m := done(fmt.Sprintf("Large%011d", i), now.Add(-time.Duration(i)*time.Second))
		w.add(m, sized(size))
		want = append(want, m.Project)
	}
	var got []string
	for next, pages := "", 0; ; pages++ {
		answer := w.call("GET", "/v2/movies?"+next, "viewer", "")
		if length := answer.Body.Len(); length >= 6<<20 {
			t.Errorf("page %d has %d bytes", pages, length)
		}
		var p page
		if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil || p.Count == 0 {
			t.Fatalf("page %d: %d movies, %v", pages, p.Count, err)
		}
		for _, m := range p.Movies {
			got = append(got, m["project"].(string))
		}
		if !p.HasNext {
			if pages == 0 {
				t.Error("everything came on one page")
			}
			break
		}
		next = "next_token=" + *p.NextToken
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("movies (-want +got):\n%s", diff)
	}
	if simple := w.list(t, "viewer", "format=simple"); simple.Count != len(sizes) {
		t.Errorf("without json the page holds %d movies, want all", simple.Count)
	}
}

func TestList_ShowsProgressAndStatusOfEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	started := now.Add(-time.Minute)
	w.add(projections.Movie{Project: running, Account: string(alice), Status: projections.StatusRunning, CreatedAt: started, StartedAt: &started, Attempt: 2}, scenes)
	for _, tt := range []struct {
		presence projections.Presence
		want     float64
	}{
		{projections.Presence{Attempt: 2, Percent: 42.9}, 42},
		{projections.Presence{Attempt: 2, Percent: 100}, 99}, // not done before it is
		{projections.Presence{Attempt: 2, Percent: -1}, 0},
		{projections.Presence{Attempt: 1, Percent: 80}, 0}, // of an attempt that was given up
	} {
		w.presence["render/"+running] = tt.presence
		if got := w.list(t, "viewer", "").Movies[0]["progress"]; got != tt.want {
			t.Errorf("%+v: progress %v, want %v", tt.presence, got, tt.want)
		}
	}
}

// A page may be empty while others follow, and the cursor carries the filters. Decision 73.
func TestList_Filters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(3)
	query := "limit=1&status=done&template=t&movie_id=7&client-data.order=4711&client-data.=x&other=y"
	first := w.list(t, "viewer", query)
	second := w.list(t, "viewer", "next_token="+*first.NextToken)
	if !second.HasPrev || len(w.asked) != 2 {
		t.Fatalf("has_prev %v, %d lists", second.HasPrev, len(w.asked))
	}
	want := projections.MovieList{
		Account: alice, Limit: 1, Status: "done", Template: "t", MovieID: "7", ClientData: map[string]string{"order": "4711", "": "x"},
		From: w.asked[0].From, To: w.asked[0].To,
	}
	for _, got := range w.asked {
		got.MovieCursor = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	w.lookOnly = true
	if p := w.list(t, "viewer", "status=done"); p.Count != 0 || !p.HasNext {
		t.Errorf("a stretch without hits: %+v", p)
	}
}

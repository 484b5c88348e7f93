package faults_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"moviola/tests/harness"
)

const (
	longestCall = 15 * time.Second // in which every request has to end
	patientCall = 60 * time.Second // after which the client gives one up
	settled     = 10 * time.Second // decision 59: a list is five seconds behind, or it is refused
)

// entry is a movie of the journal: what was sent, and what the installation has ever said about it.
type entry struct {
	key     string // Idempotency-Key
	body    []byte
	project string    // empty until it was acknowledged
	status  string    // the last one seen
	at      time.Time // when the movie was acknowledged
}

// ended says whether a status is one that a movie keeps.
func ended(status string) bool { return slices.Contains([]string{"done", "error", "timeout"}, status) }

// journal is what a client knows by itself. It is safe for concurrent use.
type journal struct {
	account string
	client  *harness.Client
	settled time.Duration // time after which a list must have a movie that was acknowledged
	http    *http.Client

	mu      sync.Mutex
	entries []*entry
	calls   int
	refused int // calls that were answered 5xx or not at all
	longest time.Duration
	slow    []string // calls that took longer than longestCall
	lies    []string // answers that the journal contradicts
}

func newJournal(account string, client *harness.Client) *journal {
	return &journal{account: account, client: client, settled: settled, http: &http.Client{Timeout: patientCall, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// add writes a movie down before it is sent.
func (j *journal) add(movie object) (*entry, error) {
	body, err := json.Marshal(movie)
	if err != nil {
		return nil, err
	}
	e := &entry{key: rand.Text(), body: body}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
	return e, nil
}

// open counts the movies that were not seen at their end.
func (j *journal) open() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, e := range j.entries {
		if !ended(e.status) {
			n++
		}
	}
	return n
}

// acknowledged are the movies that the installation has promised to make.
func (j *journal) acknowledged() []*entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var known []*entry
	for _, e := range j.entries {
		if e.project != "" {
			known = append(known, e)
		}
	}
	return known
}

// call sends a request and notes how long it took. Without an answer the status is 0.
func (j *journal) call(method, path string, body []byte, key string) (status int, answer []byte) {
	req, err := http.NewRequest(method, j.client.Base+"/v2"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	req.Header.Set("x-api-key", j.client.Key)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	began := time.Now()
	if res, err := j.http.Do(req); err == nil {
		answer, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil {
			status = res.StatusCode
		}
	}
	took := time.Since(began)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	j.longest = max(j.longest, took)
	if status == 0 || status >= 500 {
		j.refused++
	}
	if took > longestCall {
		j.slow = append(j.slow, fmt.Sprintf("%s %s: %d after %.1f s", method, path, status, took.Seconds()))
	}
	return status, answer
}

func (j *journal) lie(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lies = append(j.lies, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// submit sends a movie once and says whether it was acknowledged. What was not is sent again with the same key, later.
func (j *journal) submit(e *entry) bool {
	status, answer := j.call(http.MethodPost, "/movies", e.body, e.key)
	var got struct {
		Success bool   `json:"success"`
		Project string `json:"project"`
	}
	switch {
	case status == 0 || status >= 500:
		return false
	case status != http.StatusOK:
		j.lie("POST /movies of a good movie: %d %s", status, answer)
		return false
	}
	if err := json.Unmarshal(answer, &got); err != nil || !got.Success || len(got.Project) != 16 {
		j.lie("POST /movies: 200 %s (%v)", answer, err)
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e.project, e.at = got.Project, time.Now()
	return true
}

// look asks for an acknowledged movie and holds the answer against what was known before.
func (j *journal) look(e *entry) {
	j.mu.Lock()
	project, before := e.project, e.status
	j.mu.Unlock()
	status, answer := j.call(http.MethodGet, "/movies?project="+project, nil, "")
	if status == 0 || status >= 500 {
		return
	}
	var got harness.Single
	if err := json.Unmarshal(answer, &got); status != http.StatusOK || err != nil || got.Movie.Project != project {
		j.lie("GET of the acknowledged movie %s: %d %s", project, status, answer)
		return
	}
	now := got.Movie.Status
	if ended(before) && now != before {
		j.lie("movie %s was %s and is %s", project, before, now)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e.status = now
}

func (j *journal) statusOf(e *entry) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return e.status
}

// count asks for the list and holds its pages against the journal: every movie that was acknowledged some time ago is there.
func (j *journal) count() {
	began := time.Now()
	want := map[string]bool{}
	for _, e := range j.acknowledged() {
		if began.Sub(e.at) > j.settled {
			want[e.project] = true
		}
	}
	for path := "/movies?format=simple&limit=20"; ; {
		status, answer := j.call(http.MethodGet, path, nil, "")
		if status != http.StatusOK {
			return
		}
		var page harness.List
		if err := json.Unmarshal(answer, &page); err != nil {
			j.lie("GET /movies: %v: %s", err, answer)
			return
		}
		for _, movie := range page.Movies {
			delete(want, movie.Project)
		}
		if !page.HasNext || page.NextToken == nil {
			break
		}
		path = "/movies?format=simple&limit=20&next_token=" + url.QueryEscape(*page.NextToken)
	}
	if len(want) > 0 {
		j.lie("GET /movies lacks %d movies that were acknowledged more than %v ago, %v among them", len(want), j.settled, firstOf(want))
	}
}

func firstOf(set map[string]bool) string {
	for one := range set {
		return one
	}
	return ""
}

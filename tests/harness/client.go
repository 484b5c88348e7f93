package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Client talks to the HTTP interface with one API key.
type Client struct {
	t    testing.TB
	Base string // http://127.0.0.1:port
	Key  string
}

// Answer is an HTTP answer, read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// unavailable reports whether a part of the service did not answer in time.
func (a Answer) unavailable() bool {
	return a.Status == http.StatusServiceUnavailable && bytes.Contains(a.Body, []byte(`"service_unavailable"`))
}

// Into decodes the body, and fails the test when it is not JSON.
func (a Answer) Into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("answer %d is no JSON: %v\n%s", a.Status, err, a.Body)
	}
}

// Movie is the part of the status object that the tests read.
type Movie struct {
	Project            string           `json:"project"`
	Status             string           `json:"status"`
	Success            bool             `json:"success"`
	Message            string           `json:"message"`
	URL                *string          `json:"url"`
	Thumbnail          *string          `json:"thumbnail"`
	Ass                *string          `json:"ass"`
	Progress           float64          `json:"progress"`
	Duration           float64          `json:"duration"`
	Width              int              `json:"width"`
	Height             int              `json:"height"`
	Size               int64            `json:"size"`
	ConsumedCredits    int64            `json:"consumed_credits"`
	DeletedAt          *time.Time       `json:"deleted_at"`
	CreatedAt          time.Time        `json:"created_at"`
	EndedAt            *time.Time       `json:"ended_at"`
	ClientData         json.RawMessage  `json:"client-data"`
	JSON               json.RawMessage  `json:"json"`
	DestinationsResult []map[string]any `json:"destinations_result"`
	Warnings           []string         `json:"warnings"`
	Outputs            []Output         `json:"outputs"`
}

// Output is an entry of a movie's outputs.
type Output struct {
	Format   string   `json:"format"`
	URL      *string  `json:"url"`
	Size     *int64   `json:"size"`
	Width    *int     `json:"width"`
	Height   *int     `json:"height"`
	Duration *float64 `json:"duration"`
	Status   string   `json:"status"`
	Message  string   `json:"message"`
}

// Single is the answer to GET /movies with a project.
type Single struct {
	Success        bool           `json:"success"`
	Movie          Movie          `json:"movie"`
	RemainingQuota map[string]int `json:"remaining_quota"`
	Timestamp      time.Time      `json:"timestamp"`
}

// List is the answer to GET /movies without one.
type List struct {
	Success   bool    `json:"success"`
	Count     int     `json:"count"`
	Limit     int     `json:"limit"`
	HasNext   bool    `json:"has_next"`
	HasPrev   bool    `json:"has_prev"`
	NextToken *string `json:"next_token"`
	Movies    []Movie `json:"movies"`

	RemainingQuota map[string]int `json:"remaining_quota"`
}

// Do sends a request to a path below /v2 and returns the answer. It repeats a GET while a part of the service is away.
func (c *Client) Do(method, path string, body []byte) Answer {
	c.t.Helper()
	return c.send(method, c.Base+"/v2"+path, body, map[string]string{"x-api-key": c.Key})
}

// Try is Do for a server that may not be running: it returns false when there was no answer.
func (c *Client) Try(method, path string, body []byte) (Answer, bool) {
	req, err := http.NewRequest(method, c.Base+"/v2"+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, false
	}
	req.Header.Set("x-api-key", c.Key)
	return fetch(req)
}

func (c *Client) send(method, url string, body []byte, header map[string]string) Answer {
	c.t.Helper()
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range header {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	began := time.Now()
	answer, ok := fetch(req)
	for giveUp := time.Now().Add(Patience); ok && method == http.MethodGet && answer.unavailable() && time.Now().Before(giveUp); {
		<-time.After(longestPause) // the machine is busy: see docs/requests.md
		answer, ok = fetch(req)
	}
	if !ok {
		c.t.Fatalf("%s %s: no answer", method, url)
	}
	Seen(c.t, c.Base, method, began, answer)
	LoadContract(c.t).Check(c.t, method, url, answer)
	return answer
}

var plainClient = &http.Client{Timeout: Patience, Transport: &http.Transport{DisableKeepAlives: true}}

func fetch(req *http.Request) (Answer, bool) {
	res, err := plainClient.Do(req)
	if err != nil {
		return Answer{}, false
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return Answer{}, false
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: data}, true
}

// Submit posts a movie and returns its project.
func (c *Client) Submit(movie any) string {
	c.t.Helper()
	body, err := json.Marshal(movie)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.SubmitBody(body)
}

// SubmitBody posts a movie as it is and returns its project.
func (c *Client) SubmitBody(body []byte) string {
	c.t.Helper()
	answer := c.Do(http.MethodPost, "/movies", body)
	var got struct {
		Success bool   `json:"success"`
		Project string `json:"project"`
	}
	answer.Into(c.t, &got)
	if answer.Status != http.StatusOK || !got.Success || len(got.Project) != 16 {
		c.t.Fatalf("POST /movies: %d %s", answer.Status, answer.Body)
	}
	NextMillisecond()
	return got.Project
}

// Get returns the status of one movie.
func (c *Client) Get(project string) Single {
	c.t.Helper()
	answer := c.Do(http.MethodGet, "/movies?project="+project, nil)
	if answer.Status != http.StatusOK {
		c.t.Fatalf("GET /movies: %d %s", answer.Status, answer.Body)
	}
	var got Single
	answer.Into(c.t, &got)
	return got
}

// WaitFor polls until the movie has one of the statuses, separated by spaces; servers may be away meanwhile. It waits as long as
// the movie makes progress.
func (c *Client) WaitFor(project, statuses string) Movie {
	c.t.Helper()
	type place struct {
		status   string
		progress float64
	}
	var last Movie
	Patiently(c.t, "movie "+project+" is "+statuses, func() (bool, any) {
		if answer, ok := c.Try(http.MethodGet, "/movies?project="+project, nil); ok && answer.Status == http.StatusOK {
			var got Single
			answer.Into(c.t, &got)
			last = got.Movie
		}
		reached := last.Status != "" && strings.Contains(statuses, last.Status)
		if ended := strings.Contains("done error timeout", last.Status); ended && last.Status != "" && !reached {
			c.t.Fatalf("movie %s is %s (%s), wanted %s", project, last.Status, last.Message, statuses)
		}
		return reached, place{last.Status, last.Progress}
	})
	return last
}

// Download fetches an address that the service handed out.
func (c *Client) Download(url string, header map[string]string) Answer {
	c.t.Helper()
	return c.send(http.MethodGet, url, nil, header)
}

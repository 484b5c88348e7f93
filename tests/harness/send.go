package harness

import (
	"bytes"
	"net/http"
	"testing"
	"time"
)

// Send sends a request with exactly these headers, and without the client's key, to a path below the root. It checks the answer
// against the description of the interface.
func (c *Client) Send(method, path string, body []byte, header http.Header) Answer {
	c.t.Helper()
	req, err := http.NewRequest(method, c.Base+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = header
	began := time.Now()
	answer, ok := fetch(req)
	if !ok {
		c.t.Fatalf("%s %s: no answer", method, path)
	}
	Seen(c.t, c.Base, method, began, answer)
	LoadContract(c.t).Check(c.t, method, c.Base+path, answer)
	return answer
}

// SendWhenFree is Send for a preview, repeated as WhenFree says.
func (c *Client) SendWhenFree(method, path string, body []byte, header http.Header) Answer {
	c.t.Helper()
	return WhenFree(c.t, func() Answer { return c.Send(method, path, body, header) })
}

// WhenFree repeats a request as long as the answer is 503: requests, and previews above all, have time limits, which a busy
// machine exceeds.
func WhenFree(t testing.TB, ask func() Answer) Answer {
	t.Helper()
	var answer Answer
	Eventually(t, "an answer in its time", func() bool {
		answer = ask()
		return answer.Status != http.StatusServiceUnavailable
	})
	return answer
}

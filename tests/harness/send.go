package harness

import (
	"bytes"
	"net/http"
)

// Send sends a request with exactly these headers, no key of its own, to a path below the root, and holds the answer against the
// interface's description.
func (c *Client) Send(method, path string, body []byte, header http.Header) Answer {
	c.t.Helper()
	req, err := http.NewRequest(method, c.Base+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = header
	answer, ok := fetch(req)
	if !ok {
		c.t.Fatalf("%s %s: no answer", method, path)
	}
	LoadContract(c.t).Check(c.t, method, c.Base+path, answer)
	return answer
}

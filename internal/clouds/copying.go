package clouds

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// copying sends requests with copies of their bodies. The library of Azure keeps the blocks of an upload in memory that it
// gives back to the system when a block is refused or its context ends. The connection may read the body even then, and
// could crash the process. A body has a block's length at most.
type copying struct{ client *http.Client }

// Do implements policy.Transporter.
func (c copying) Do(request *http.Request) (*http.Response, error) {
	if request.Body == nil || request.Body == http.NoBody {
		return c.client.Do(request)
	}
	content, err := io.ReadAll(request.Body)
	if err = errors.Join(err, request.Body.Close()); err != nil {
		return nil, err
	}
	copied := request.WithContext(request.Context())
	copied.Body = io.NopCloser(bytes.NewReader(content))
	copied.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	return c.client.Do(copied)
}

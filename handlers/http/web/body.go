package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

// maxDrainBytes is the maximum number of further bytes that are read of a body that is too large, so that the client sees
// the answer. maxBodyTime is the time limit for reading a body with ReadBody or ReadTable.
const (
	maxDrainBytes = 8 << 20
	maxBodyTime   = 2 * time.Minute
)

// ReadBody reads a JSON body of at most limit bytes, even when the Content-Length header is wrong. For a longer body it
// returns tooLarge. It drops a byte order mark (decision 58). All bodies that are being processed share a memory budget, in
// which accounts take turns. A request that waits too long is refused with an error that tells the client to retry.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64, tooLarge error) ([]byte, error) {
	return readBody(w, r, limit, bodyFactor, tooLarge)
}

// ReadTable reads a body in the way of ReadBody, but reserves a smaller share of the budget. It is for bodies whose
// processing needs less memory than that of a movie, such as CSV.
func ReadTable(w http.ResponseWriter, r *http.Request, limit int64, tooLarge error) ([]byte, error) {
	return readBody(w, r, limit, tableFactor, tooLarge)
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64, factor int, tooLarge error) ([]byte, error) {
	// A failure is ignored: a test's recorder does not support deadlines, and a real connection does.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(maxBodyTime))
	if r.ContentLength > limit {
		drain(r)
		return nil, tooLarge
	}
	resume := untilRead(r.Context())
	defer resume()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		drain(r)
		return nil, tooLarge
	case err != nil:
		return nil, domain.Errorf(domain.Invalid, "body_unreadable", "The request body ended before it was complete")
	}
	if err := enter(r.Context(), bodies, len(body)*factor/bodyFactor); err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), nil
}

// ReadObject reads a body of at most limit bytes, which must be one JSON object, into a struct or map.
func ReadObject(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	body, err := ReadBody(w, r, limit, domain.Errorf(domain.TooLarge, "body_too_large",
		"The request body is larger than the limit of %d bytes", limit))
	switch {
	case err != nil:
		return err
	case len(body) == 0:
		return domain.Errorf(domain.Invalid, "body_missing", "No payload provided")
	}
	// json.Unmarshal accepts null for every struct, but null is no object.
	if err := json.Unmarshal(body, into); err != nil || !utf8.Valid(body) || bytes.TrimLeft(body, " \t\r\n")[0] != '{' {
		return domain.Errorf(domain.Invalid, "body_invalid", "The request body is not the JSON object that is expected here")
	}
	return nil
}

// drain reads on in a body that is too large, within limits, so that the client sees the answer. A client that waits for
// permission to send (Expect: 100-continue) gets its answer at once.
func drain(r *http.Request) {
	if r.Header.Get("Expect") != "" {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, maxDrainBytes)
}
